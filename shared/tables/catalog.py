"""Table `catalog`: the global index; one appended row per published cell and per later record about it.

Rows are only appended. The newest row of a (publication, cell) is its state: published, withdrawn, superseded, restored or
private. `sequence` rises by one over the whole catalog.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.tables.published import PublishedRun
from shared.tables.rows import Row, Rows, by_column, identity_row, scope_row, score_row, trace_columns
from shared.tables.schema import IDENTITY, SCOPE, SCORE, TRACE, Table, columns
from shared.tables.score import count_trials, score_cell

TABLE: Final = Table(
    name="catalog",
    version=1,
    grain="one record about one published cell",
    key="sequence",
    columns=(
        *TRACE,
        *SCOPE,
        *IDENTITY,
        *SCORE,
        *columns(
            "sequence:i record planned_trials:i scored_trials:i completed_at:t dataset dataset_revision receipt_sha256 "
            "recorded_at:t actor? reason? replaced_by?"
        ),
    ),
)


def rows(
    run: PublishedRun,
    publication: str,
    *,
    first_sequence: int,
    dataset: str,
    dataset_revision: str,
    receipt_sha256: str,
    actor: str | None = None,
    reason: str | None = None,
) -> Rows:
    """Return the `published` records of the cells of `run`, numbered from `first_sequence`."""
    found = []
    for offset, cell in enumerate(run.cells):
        counts = count_trials(cell.trials)
        found.append(
            {
                **scope_row(run.scope, cell.quality),
                **identity_row(cell.identity),
                **score_row(score_cell(cell, run.scope)),
                "sequence": first_sequence + offset,
                "record": "published",
                "planned_trials": counts.planned_trials,
                "scored_trials": counts.scored_trials,
                "completed_at": run.completed_at,
                "dataset": dataset,
                "dataset_revision": dataset_revision,
                "receipt_sha256": receipt_sha256,
                "recorded_at": run.completed_at,
                "actor": actor,
                "reason": reason,
                "replaced_by": None,
            }
        )
    return by_column(TABLE, found, trace_columns(run, TABLE, publication, len(found)))


PRIVATE: Final = "private"
WITHDRAWN: Final = "withdrawn"
_EMPTY: Final[Mapping[str, Any]] = {"text": "", "int": 0, "float": 0.0, "bool": False, "time": 0, "texts": []}


def private_rows(cell_digests: Sequence[str], *, first_sequence: int, at_micros: int) -> Rows:
    """Return the records of a run that was kept private: each cell's digest and the time, everything else empty."""
    empty: Row = {column.name: None if column.is_nullable else _EMPTY[column.kind] for column in TABLE.columns}
    same = {"schema_version": TABLE.version, "record": PRIVATE, "completed_at": at_micros, "recorded_at": at_micros}
    found = [
        {**empty, **same, "cell_digest": digest, "sequence": first_sequence + offset}
        for offset, digest in enumerate(sorted(cell_digests))
    ]
    return {column.name: [row[column.name] for row in found] for column in TABLE.columns}


def withdrawn_rows(records: Sequence[Row], *, first_sequence: int, at_micros: int, actor: str, reason: str) -> Rows:
    """Return what follows the newest `records` of a publication's cells once it is withdrawn; what they said of it stays."""
    later = {"record": WITHDRAWN, "recorded_at": at_micros, "actor": actor, "reason": reason}
    found = [
        {**row, **later, "sequence": first_sequence + offset}
        for offset, row in enumerate(sorted(records, key=lambda row: int(row["sequence"])))
    ]
    return {column.name: [row[column.name] for row in found] for column in TABLE.columns}
