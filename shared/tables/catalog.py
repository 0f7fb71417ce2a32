"""Table `catalog`: the global index; one appended row per published cell and per later record about it.

Rows are only appended. The newest row of a (publication, cell) is its state: published, withdrawn, superseded, restored or
private. `sequence` rises by one over the whole catalog.
"""

from typing import Final

from shared.tables.published import PublishedRun
from shared.tables.rows import Rows, by_column, identity_row, scope_row, score_row, trace_columns
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
