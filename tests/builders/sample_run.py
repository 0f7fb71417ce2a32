"""One small run with one of each thing that the pages must show.

Clean and degraded cells, a cell with infrastructure bounds, one that lost too much to be ranked, an agent without a model, an
unreported cost, a cell to withdraw.
"""

from dataclasses import replace
from typing import Final

from benchmarks.synthetic import synthetic_run
from shared.outcomes import AttemptEnd, Category, Label, Outcome
from shared.tables.published import NO_USAGE, CellFacts, PublishedRun, TrialFacts

MODELS: Final = ("example/Coral-32B", "example/coral-7b", "example/kelp-1b", "none", "example/coral-7b", "example/kelp-1b")
AGENTS: Final = ("shell", "shell", "shell", "oracle", "planner", "planner")
TASKS: Final = (
    "sort-receipts",
    "fix-login-page",
    "rename-photos",
    "parse-weather-log",
    "patch-race",
    "schedule-tides",
    "pack-archive",
    "trace-leak",
)


def sample_run() -> PublishedRun:
    """Return the one run of the sample: six cells of eight tasks, three repeats each."""
    run = synthetic_run(1, cells=len(MODELS), tasks=len(TASKS), repeats=3, seed=11, benchmark="harbour-chores")
    cells = tuple(_cell(cell, index) for index, cell in enumerate(run.cells))
    scope = replace(run.scope, quality=Label.DEGRADED.value, series="sample")
    return replace(run, cells=cells, scope=scope, experiment="sample", requested_by="example")


def _cell(cell: CellFacts, index: int) -> CellFacts:
    model, agent = MODELS[index], AGENTS[index]
    is_modelless = model == "none"
    identity = replace(
        cell.identity,
        model_id=model.rpartition("/")[2],
        model_repo=model,
        model_revision="none" if is_modelless else cell.identity.model_revision,
        deployment_id="none" if is_modelless else "server",
        deployment_kind="none" if is_modelless else "server",
        agent_id=agent,
        agent_name=agent,
    )
    lost = {2: 1, 4: 4}.get(index, 0)
    trials = tuple(_trial(trial, index, is_lost=number < lost) for number, trial in enumerate(cell.trials))
    quality = Label.CLEAN if all(trial.outcome is Outcome.SCORED for trial in trials) else Label.DEGRADED
    return replace(cell, identity=identity, trials=trials, quality=quality.value, needs_model=not is_modelless)


def _trial(trial: TrialFacts, index: int, *, is_lost: bool) -> TrialFacts:
    name = TASKS[int(trial.task_name.removeprefix("task-"))]
    attempts = tuple(replace(attempt, artifacts=attempt.artifacts[:1]) for attempt in trial.attempts[-1:])
    attempts = tuple(replace(attempt, ordinal=1, end=AttemptEnd.SUCCEEDED, category=None) for attempt in attempts)
    if index in {3, 5}:
        attempts = tuple(replace(attempt, usage=NO_USAGE) for attempt in attempts)
    if is_lost:
        ended = replace(attempts[0], end=AttemptEnd.LOST, category=Category.LOST, reason_code="HOST_LOST", bundle_sha256=None)
        return replace(
            trial,
            task_name=name,
            outcome=Outcome.INFRASTRUCTURE_EXHAUSTED,
            reward=None,
            is_passed=None,
            selected=None,
            attempts=(replace(ended, artifacts=(), metrics=(), usage=NO_USAGE, finished_at=None, phase="agent"),),
        )
    solved = bool(trial.reward) or index == 3
    return replace(
        trial,
        task_name=name,
        outcome=Outcome.SCORED,
        reward=float(solved),
        is_passed=solved,
        selected=attempts[-1],
        attempts=attempts,
    )
