"""Table `metrics`: one row per measured value of an attempt; an unreported value is a row that says so, never a 0."""

import hashlib
from typing import Final

from shared.tables.published import PublishedRun
from shared.tables.rows import Rows, trace_columns
from shared.tables.schema import TRACE, Constant, Table, columns

TABLE: Final = Table(
    name="metrics",
    version=1,
    grain="one measured value of one owner",
    key="metric_id",
    columns=(*TRACE, *columns("metric_id owner_type owner_id name step:i? value:f? observation unit aggregation?")),
)


def metric_id(owner: str, name: str, step: int | None, aggregation: str | None) -> str:
    """Return the id of the metric `name` of `owner`: the same measurement always has the same id."""
    text = "\0".join((owner, name, "" if step is None else str(step), aggregation or ""))
    return f"metric-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def rows(run: PublishedRun, publication: str) -> Rows:
    """Return one row per metric of every attempt of `run`."""
    attempts = [attempt for cell in run.cells for trial in cell.trials for attempt in trial.attempts]
    owners = [attempt.attempt_id for attempt in attempts for _ in attempt.metrics]
    found = [metric for attempt in attempts for metric in attempt.metrics]
    return {
        **trace_columns(run, TABLE, publication, len(found)),
        "metric_id": [metric_id(owner, metric.name, None, None) for owner, metric in zip(owners, found, strict=True)],
        "owner_type": Constant("attempt", len(found)),
        "owner_id": owners,
        "name": [metric.name for metric in found],
        "step": Constant(None, len(found)),
        "value": [metric.value for metric in found],
        "observation": [metric.observation.value for metric in found],
        "unit": [metric.unit for metric in found],
        "aggregation": Constant(None, len(found)),
    }
