"""Table `cells`: one row per point of the matrix inside a run; the leaderboard's grain."""

from collections.abc import Iterable
from typing import Final

from shared.tables.published import AttemptFacts, CellFacts, PublishedRun
from shared.tables.rows import Row, Rows, by_column, counts_row, identity_row, scope_row, score_row, trace_columns
from shared.tables.schema import COUNTS, IDENTITY, SCOPE, SCORE, TRACE, Table, columns
from shared.tables.score import attempts_of, count_trials, score_cell

TABLE: Final = Table(
    name="cells",
    version=1,
    grain="one point of the matrix inside a run: model x deployment x agent x benchmark",
    key="cell_id",
    columns=(
        *TRACE,
        *SCOPE,
        *COUNTS,
        *IDENTITY,
        *SCORE,
        *columns(
            "weights_format quantization? deployment_digest deployment_spec_digest api? accelerator_count:i? engine? "
            "engine_version? image_digest? agent_import_path? concurrency:i host_release? host_packages_sha256? "
            "serving_profile_sha256? primary_reward pass_threshold:f reward_low:f reward_high:f input_tokens:i? "
            "cached_tokens:i? output_tokens:i? reasoning_tokens:i? duration_seconds:f? started_at:t completed_at:t"
        ),
    ),
)


def rows(run: PublishedRun, publication: str) -> Rows:
    """Return one row per cell of `run`."""
    return by_column(TABLE, [_row(run, cell) for cell in run.cells], trace_columns(run, TABLE, publication, len(run.cells)))


def _row(run: PublishedRun, cell: CellFacts) -> Row:
    attempts = attempts_of(cell)
    starts = [attempt.started_at for attempt in attempts if attempt.started_at is not None]
    ends = [attempt.finished_at for attempt in attempts if attempt.finished_at is not None]
    return {
        **scope_row(run.scope, cell.quality),
        **counts_row(count_trials(cell.trials)),
        **identity_row(cell.identity),
        **score_row(score_cell(cell, run.scope)),
        "weights_format": cell.weights_format,
        "quantization": cell.quantization,
        "deployment_digest": cell.deployment_digest,
        "deployment_spec_digest": cell.deployment_spec_digest,
        "api": cell.api,
        "accelerator_count": cell.accelerator_count,
        "engine": cell.engine,
        "engine_version": cell.engine_version,
        "image_digest": cell.image_digest,
        "agent_import_path": cell.agent_import_path,
        "concurrency": cell.concurrency,
        "host_release": cell.host_release,
        "host_packages_sha256": cell.host_packages_sha256,
        "serving_profile_sha256": cell.serving_profile_sha256,
        "primary_reward": cell.primary_reward,
        "pass_threshold": cell.pass_threshold,
        "reward_low": cell.reward_range[0],
        "reward_high": cell.reward_range[1],
        "input_tokens": _total(attempt.usage.input_tokens for attempt in attempts),
        "cached_tokens": _total(attempt.usage.cached_tokens for attempt in attempts),
        "output_tokens": _total(attempt.usage.output_tokens for attempt in attempts),
        "reasoning_tokens": None,
        "duration_seconds": _duration(attempts),
        "started_at": min(starts, default=run.submitted_at),
        "completed_at": max(ends, default=run.completed_at),
    }


def _total(values: Iterable[int | None]) -> int | None:
    """Return the sum, or None unless every attempt reported the value: a partial sum would read as a total."""
    known = list(values)
    return sum(value or 0 for value in known) if known and None not in known else None


def _duration(attempts: list[AttemptFacts]) -> float | None:
    known = [attempt.duration_seconds for attempt in attempts]
    return sum(value or 0.0 for value in known) if known and None not in known else None
