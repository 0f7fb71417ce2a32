"""Table `attempts`: one row per physical try at a trial."""

from typing import Final

from shared.tables.published import PublishedRun
from shared.tables.rows import Rows, trace_columns
from shared.tables.schema import TRACE, Table, columns

TABLE: Final = Table(
    name="attempts",
    version=1,
    grain="one physical try at a trial",
    key="attempt_id",
    columns=(
        *TRACE,
        *columns(
            "attempt_id cell_id trial_id ordinal:i wave_id runtime state category? reason_code? phase? exception_type? "
            "classification_version:i needs_review:b verifier_environment? retry_reason? job_id? bundle_sha256? started_at:t? "
            "finished_at:t?"
        ),
    ),
)


def rows(run: PublishedRun, publication: str) -> Rows:
    """Return one row per attempt of `run`."""
    found = [
        (cell.identity.cell_id, trial.trial_id, attempt)
        for cell in run.cells
        for trial in cell.trials
        for attempt in trial.attempts
    ]
    attempts = [attempt for _, _, attempt in found]
    return {
        **trace_columns(run, TABLE, publication, len(found)),
        "attempt_id": [attempt.attempt_id for attempt in attempts],
        "cell_id": [cell for cell, _, _ in found],
        "trial_id": [trial for _, trial, _ in found],
        "ordinal": [attempt.ordinal for attempt in attempts],
        "wave_id": [attempt.wave_id for attempt in attempts],
        "runtime": [attempt.runtime for attempt in attempts],
        "state": [attempt.end.value for attempt in attempts],
        "category": [None if attempt.category is None else attempt.category.value for attempt in attempts],
        "reason_code": [attempt.reason_code for attempt in attempts],
        "phase": [attempt.phase for attempt in attempts],
        "exception_type": [attempt.exception_type for attempt in attempts],
        "classification_version": [attempt.classification_version for attempt in attempts],
        "needs_review": [attempt.needs_review for attempt in attempts],
        "verifier_environment": [attempt.verifier_environment for attempt in attempts],
        "retry_reason": [attempt.retry_reason for attempt in attempts],
        "job_id": [attempt.job_id for attempt in attempts],
        "bundle_sha256": [attempt.bundle_sha256 for attempt in attempts],
        "started_at": [attempt.started_at for attempt in attempts],
        "finished_at": [attempt.finished_at for attempt in attempts],
    }
