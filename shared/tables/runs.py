"""Table `runs`: one row per submission of a plan."""

from typing import Final

from shared.tables.published import PublishedRun
from shared.tables.rows import Rows, by_column, counts_row, scope_row, trace_columns
from shared.tables.schema import COUNTS, SCOPE, TRACE, Table, columns
from shared.tables.score import count_trials

TABLE: Final = Table(
    name="runs",
    version=1,
    grain="one submission of one plan",
    key="run_id",
    columns=(
        *TRACE,
        *SCOPE,
        *COUNTS,
        *columns(
            "experiment plan_digest manifest_sha256 prices_sha256 requested_by approval approved_by? source_type source_repo? "
            "source_revision? eval_task_id? cells:i waves:i build_digest harbor_version harbor_lock_sha256 "
            "estimated_cost_usd_micros:i? submitted_at:t completed_at:t"
        ),
    ),
)


def rows(run: PublishedRun, publication: str) -> Rows:
    """Return the one row of `run`."""
    row = {
        **scope_row(run.scope, run.scope.quality),
        **counts_row(count_trials([trial for cell in run.cells for trial in cell.trials])),
        "experiment": run.experiment,
        "plan_digest": run.plan_digest,
        "manifest_sha256": run.manifest_sha256,
        "prices_sha256": run.prices_sha256,
        "requested_by": run.requested_by,
        "approval": run.approval,
        "approved_by": run.approved_by,
        "source_type": run.source_type,
        "source_repo": run.source_repo,
        "source_revision": run.source_revision,
        "eval_task_id": run.eval_task_id,
        "cells": len(run.cells),
        "waves": run.waves,
        "build_digest": run.build_digest,
        "harbor_version": run.harbor_version,
        "harbor_lock_sha256": run.harbor_lock_sha256,
        "estimated_cost_usd_micros": run.estimated_cost_usd_micros,
        "submitted_at": run.submitted_at,
        "completed_at": run.completed_at,
    }
    return by_column(TABLE, [row], trace_columns(run, TABLE, publication, 1))
