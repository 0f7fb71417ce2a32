"""Table `trials`: one row per planned trial, ended or not."""

from typing import Final

from shared.outcomes import Outcome
from shared.tables.published import PublishedRun, TrialFacts
from shared.tables.rows import Rows, trace_columns
from shared.tables.schema import TRACE, Table, columns

TABLE: Final = Table(
    name="trials",
    version=1,
    grain="cell x task x repeat",
    key="trial_id",
    columns=(
        *TRACE,
        *columns(
            "trial_id cell_id task_name task_digest repeat:i outcome? reward:f? passed:b? selected_attempt_id? attempts:i "
            "failure_category? reason_code? cost_usd_micros:i? duration_seconds:f?"
        ),
    ),
)


def rows(run: PublishedRun, publication: str) -> Rows:
    """Return one row per planned trial of `run`."""
    trials = [(cell.identity.cell_id, trial) for cell in run.cells for trial in cell.trials]
    failed = [_failure(trial) for _, trial in trials]
    return {
        **trace_columns(run, TABLE, publication, len(trials)),
        "trial_id": [trial.trial_id for _, trial in trials],
        "cell_id": [cell for cell, _ in trials],
        "task_name": [trial.task_name for _, trial in trials],
        "task_digest": [trial.task_digest for _, trial in trials],
        "repeat": [trial.repeat for _, trial in trials],
        "outcome": [None if trial.outcome is None else trial.outcome.value for _, trial in trials],
        "reward": [trial.reward for _, trial in trials],
        "passed": [trial.is_passed for _, trial in trials],
        "selected_attempt_id": [trial.selected.attempt_id if trial.selected else None for _, trial in trials],
        "attempts": [len(trial.attempts) for _, trial in trials],
        "failure_category": [category for category, _ in failed],
        "reason_code": [reason for _, reason in failed],
        "cost_usd_micros": [_cost(trial) for _, trial in trials],
        "duration_seconds": [trial.selected.duration_seconds if trial.selected else None for _, trial in trials],
    }


def _failure(trial: TrialFacts) -> tuple[str | None, str | None]:
    if trial.outcome is Outcome.SCORED or not trial.attempts:
        return None, None
    last = trial.attempts[-1]
    return (None if last.category is None else last.category.value), last.reason_code


def _cost(trial: TrialFacts) -> int | None:
    """Return what all tries of `trial` cost together, or None unless each of them reported it."""
    costs = [attempt.usage.cost_usd_micros for attempt in trial.attempts]
    return sum(cost or 0 for cost in costs) if costs and None not in costs else None
