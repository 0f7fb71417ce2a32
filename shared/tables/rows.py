"""How rows are built by column: the shared groups (trace, scope, counts, identity, score) as columns of plain lists."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from shared.tables.published import CellFacts, Identity, PublishedRun, Scope
from shared.tables.schema import Constant, Table
from shared.tables.score import Counts, Score

type Row = dict[str, Any]
type Rows = dict[str, Sequence[Any]]


def trace_columns(run: PublishedRun, table: Table, publication: str, count: int) -> Rows:
    """Return the trace columns of `count` rows of `table` in `publication`."""
    trace = run.trace
    values = {
        "schema_version": table.version,
        "publication_id": publication,
        "benchmark": trace.benchmark,
        "run_id": trace.run_id,
        "evidence_prefix": trace.evidence_prefix,
        "evidence_sha256": trace.evidence_sha256,
        "run_lock_sha256": trace.run_lock_sha256,
        "control_commit": trace.control_commit,
    }
    return {name: Constant(value, count) for name, value in values.items()}


def scope_row(scope: Scope, quality: str) -> Row:
    """Return the scope columns of one row, with the row's own quality."""
    row = asdict(scope)
    row.update(quality=quality, source_flags=list(scope.source_flags), source_publications=list(scope.source_publications))
    return row


def counts_row(counts: Counts) -> Row:
    """Return the counts columns of one row."""
    return asdict(counts)


def identity_row(identity: Identity) -> Row:
    """Return the identity columns of one row."""
    return asdict(identity)


def score_row(score: Score) -> Row:
    """Return the score columns of one row."""
    interval = score.interval
    return {
        "score": score.score,
        "score_stderr": interval.stderr if interval else None,
        "score_low": interval.low if interval else None,
        "score_high": interval.high if interval else None,
        "bound_low": score.bound_low,
        "bound_high": score.bound_high,
        "pass_rate": score.pass_rate,
        "effective_n": interval.effective_n if interval else None,
        "passed_trials": score.passed_trials,
        "cost_usd_micros": score.cost_usd_micros,
        "cost_observation": score.cost_observation.value,
        "ranked": score.unranked_reason is None,
        "unranked_reason": score.unranked_reason,
    }


def by_column(table: Table, rows: Sequence[Row], trace: Rows) -> Rows:
    """Turn `rows` into the columns of `table`, with the trace columns in front."""
    own = {column.name: [row[column.name] for row in rows] for column in table.own_columns}
    return {**trace, **own}


def task_count(cell: CellFacts) -> int:
    """Return how many distinct tasks the trials of `cell` belong to."""
    return len({trial.task_name for trial in cell.trials})
