"""Writes the sample that a Space shows when nothing is configured: `python -m benchmarks.sample` renews space/sample/results.

The rows are synthetic and measure nothing. They are shaped so that every page has something to show: models that paired tests
tell apart and models that they do not, prices that buy something and prices that do not, hardware and hosted models, a cell that
was rerun a month later, one that lost too much, one that was withdrawn, tasks that nobody solves.
"""

import hashlib
import random
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.synthetic import START, synthetic_run
from benchmarks.synthetic_results import write_results
from shared.outcomes import AttemptEnd, Category, Label, Observation, Outcome
from shared.tables.published import NO_USAGE, AttemptFacts, CellFacts, Metric, PublishedRun, TrialFacts, Usage

TARGET: Final = Path(__file__).parent.parent / "space" / "sample" / "results"
BENCHMARK: Final = "harbour-chores"
REPEATS: Final = 3
MONTH: Final = 30 * 86_400_000_000
HARD: Final = {"rewrite-tide-tables": 9.0, "untangle-mooring": 9.0}
TASKS: Final = (
    "sort-receipts", "fix-login-page", "rename-photos", "parse-weather-log", "patch-race", "schedule-tides", "pack-archive",
    "trace-leak", "merge-manifests", "audit-crane-log", "repair-index",
    "rewrite-tide-tables", "untangle-mooring",
)  # fmt: skip


class Made(NamedTuple):
    """One cell of the sample: who, how able, and what a million output tokens cost."""

    model: str
    agent: str
    skill: float
    usd: float | None
    hardware: str | None = None
    provider: str | None = None
    lost: int = 0


FIRST: Final = (
    Made("example/Coral-32B", "shell", 1.15, 9.0, "a100-large"),
    Made("example/Coral-32B", "planner", 1.05, 14.0, "a100-large"),
    Made("example/coral-7b", "shell", 0.95, 1.1, "l4x1"),
    Made("example/coral-7b", "planner", 0.6, 1.6, "l4x1", lost=4),
    Made("example/kelp-1b", "shell", 0.4, None, None, lost=1),
    Made("example/kelp-1b", "planner", 0.5, 0.2, "cpu-upgrade"),
    Made("example/tern-3b", "shell", 0.7, 0.5, None, "example-cloud"),
    Made("none", "oracle", 99.0, None),
)
LATER: Final = (Made("example/coral-7b", "shell", 1.05, 1.0, "l4x1"),)


def main() -> None:
    """Write the sample anew."""
    shutil.rmtree(TARGET, ignore_errors=True)
    first, later = _run(1, FIRST, START), _run(2, LATER, START + MONTH)
    withdrawn = first.cells[5].identity.cell_id
    record = {
        "cell_id": withdrawn,
        "record": "withdrawn",
        "actor": "example",
        "reason": "the agent was started with another prompt",
    }
    write_results(TARGET, [first, replace(later, harbor_version="0.26.1")], [record])


def _run(number: int, made: tuple[Made, ...], at: int) -> PublishedRun:
    run = synthetic_run(number, cells=len(made), tasks=len(TASKS), repeats=REPEATS, seed=11, benchmark=BENCHMARK)
    cells = tuple(_cell(cell, each, at) for cell, each in zip(run.cells, made, strict=True))
    is_clean = all(cell.quality == Label.CLEAN.value for cell in cells)
    scope = replace(run.scope, quality=(Label.CLEAN if is_clean else Label.DEGRADED).value, series="sample")
    return replace(
        run,
        cells=cells,
        scope=scope,
        experiment=f"sample-{number}",
        requested_by="example",
        submitted_at=at,
        completed_at=at + 3_600_000_000,
    )


def _cell(cell: CellFacts, made: Made, at: int) -> CellFacts:
    has_model = made.model != "none"
    kind = ("provider" if made.provider else "server") if has_model else "none"
    identity = replace(
        cell.identity,
        cell_digest=_digest("cell", made.model, made.agent),
        model_id=made.model.rpartition("/")[2],
        model_repo=made.model,
        model_revision=_digest("model", made.model)[:40] if has_model else "none",
        deployment_id=kind,
        deployment_kind=kind,
        provider=made.provider,
        hardware=made.hardware,
        agent_id=made.agent,
        agent_name=made.agent,
    )
    chance = random.Random(f"{made.model} {made.agent} {at}")
    trials = tuple(_trial(trial, made, chance, at, is_lost=place < made.lost) for place, trial in enumerate(cell.trials))
    quality = Label.CLEAN if all(trial.outcome is Outcome.SCORED for trial in trials) else Label.DEGRADED
    return replace(
        cell,
        identity=identity,
        trials=trials,
        quality=quality.value,
        needs_model=has_model,
        accelerator_count=1 if made.hardware else None,
    )


def _trial(trial: TrialFacts, made: Made, chance: random.Random, at: int, *, is_lost: bool) -> TrialFacts:
    number = int(trial.task_name.removeprefix("task-"))
    name = TASKS[number]
    ease = 1.1 - number * 0.06 - HARD.get(name, 0)
    is_solved = made.agent == "oracle" or chance.random() < made.skill * ease
    attempt = _attempt(trial.attempts[-1], made, chance, at, has_artifact=trial.repeat == 1 and number % 2 == 0)
    trial = replace(trial, task_name=name, task_digest=_digest("task", name), reward=float(is_solved), is_passed=is_solved)
    if not is_lost:
        return replace(trial, outcome=Outcome.SCORED, selected=attempt, attempts=(attempt,))
    lost = replace(attempt, end=AttemptEnd.LOST, category=Category.LOST, reason_code="HOST_LOST", bundle_sha256=None)
    lost = replace(lost, artifacts=(), metrics=(), usage=NO_USAGE, finished_at=None, phase="agent")
    exhausted = Outcome.INFRASTRUCTURE_EXHAUSTED
    return replace(trial, outcome=exhausted, reward=None, is_passed=None, selected=None, attempts=(lost,))


def _attempt(attempt: AttemptFacts, made: Made, chance: random.Random, at: int, *, has_artifact: bool) -> AttemptFacts:
    tokens = chance.randrange(4_000, 40_000)
    written = tokens // 6
    cost = None if made.usd is None else round(written * made.usd)
    usage = NO_USAGE if made.agent == "oracle" else Usage(Observation.OBSERVED, tokens, tokens // 2, written, cost)
    seconds = 3 if made.agent == "oracle" else chance.randrange(20, 90) * (2 if made.model.endswith("32B") else 1)
    begin = at + chance.randrange(1_000_000_000)
    waits = Metric("agent_seconds", seconds * 0.8, Observation.OBSERVED, "second")
    return replace(
        attempt,
        ordinal=1,
        end=AttemptEnd.SUCCEEDED,
        category=None,
        usage=usage,
        started_at=begin,
        finished_at=begin + seconds * 1_000_000,
        metrics=(waits,),
        artifacts=attempt.artifacts[:1] if has_artifact else (),
    )


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


if __name__ == "__main__":
    main()
