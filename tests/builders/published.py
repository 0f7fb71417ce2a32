"""Facts of a finished run, all valid; a test says how each trial ended."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from shared.outcomes import AttemptEnd, Category, Label, Observation, Outcome
from shared.tables.published import (
    Artifact,
    AttemptFacts,
    CellFacts,
    Identity,
    Metric,
    PublishedRun,
    Scope,
    Trace,
    TrialFacts,
    Usage,
)

START_US = 1_700_000_000_000_000
LOST = Outcome.INFRASTRUCTURE_EXHAUSTED


def some_scope(tasks: int, repeats: int = 1, **changes: Any) -> Scope:
    """Return the scope of a complete run."""
    scope = Scope(
        kind="complete", quality="clean", role="final", series="first", benchmark_digest="b" * 64, tasks_sha256="t" * 64,
        tasks=tasks, repeats=repeats, sandbox="local", trial_seconds=60, agent_setup_multiplier="1.0",
    )  # fmt: skip
    return dataclasses.replace(scope, **changes)


def some_attempt(trial: str, ordinal: int = 1, **changes: Any) -> AttemptFacts:
    """Return an attempt that succeeded."""
    attempt = AttemptFacts(
        attempt_id=f"att-{trial}-{ordinal}",
        ordinal=ordinal,
        wave_id="wave-1",
        runtime="local",
        end=AttemptEnd.SUCCEEDED,
        classification_version=1,
        bundle_sha256="c" * 64,
        started_at=START_US,
        finished_at=START_US + 1_500_000,
        usage=Usage(Observation.OBSERVED, 100, 10, 20, 5),
    )
    return dataclasses.replace(attempt, **changes)


def some_trial(
    number: int, reward: float | None = 1.0, outcome: Outcome | None = Outcome.SCORED, *, task: str = ""
) -> TrialFacts:
    """Return trial `number`, of a task of its own unless `task` is given."""
    name = f"trial-{number}"
    is_scored = outcome is Outcome.SCORED
    failed: dict[str, Any] = {"end": AttemptEnd.FAILED, "category": Category.TRANSIENT, "reason_code": "other"}
    attempt = some_attempt(name) if is_scored else some_attempt(name, **failed)
    return TrialFacts(
        trial_id=name,
        task_name=task or f"org/task-{number}",
        task_digest="d" * 64,
        repeat=1,
        outcome=outcome,
        reward=reward if is_scored else None,
        is_passed=bool(reward and reward >= 1) if is_scored else None,
        selected=attempt if is_scored else None,
        attempts=(attempt,),
    )


def some_cell(trials: Sequence[TrialFacts], name: str = "cell-1", **changes: Any) -> CellFacts:
    """Return a clean cell of `trials`."""
    identity = Identity(
        cell_id=name, cell_digest="e" * 64, edition="f" * 64, model_id="small", model_repo="example/small",
        model_revision="0" * 40,
        deployment_id="here", deployment_kind="server", agent_id="shell", agent_name="ShellAgent", agent_revision="1.0.0",
    )  # fmt: skip
    cell = CellFacts(
        identity=identity, quality=Label.CLEAN.value, trials=tuple(trials), weights_format="safetensors-bf16",
        deployment_digest="1" * 64, deployment_spec_digest="2" * 64, concurrency=4, primary_reward="reward", pass_threshold=1.0,
        reward_range=(0.0, 1.0),
    )  # fmt: skip
    return dataclasses.replace(cell, **changes)


def some_run(cells: Sequence[CellFacts], **changes: Any) -> PublishedRun:
    """Return a run of `cells`."""
    tasks = len({trial.task_name for trial in cells[0].trials}) if cells else 0
    trace = Trace("starter", "run-1", "runs/run-1", "3" * 64, "4" * 64, "7-abc")
    run = PublishedRun(
        trace=trace, scope=some_scope(tasks), cells=tuple(cells), experiment="first", plan_digest="5" * 64,
        manifest_sha256="6" * 64, prices_sha256="7" * 64, requested_by="tester", source_type="directory", waves=1,
        build_digest="8" * 64, harbor_version="0.26.0", harbor_lock_sha256="9" * 64, submitted_at=START_US,
        completed_at=START_US + 60_000_000,
    )  # fmt: skip
    return dataclasses.replace(run, **changes)


def odd_run() -> PublishedRun:
    """Return a run that has one of everything that is hard to store: missing values, lists, non-ASCII, extremes of floats."""
    first = dataclasses.replace(
        some_attempt("trial-0"),
        metrics=(
            Metric("reward.étoile", -0.0, Observation.OBSERVED, "reward"),
            Metric("x", 1e-7, Observation.OBSERVED, "reward"),
        ),
        artifacts=(Artifact("harbor/名.txt", "log", "a" * 64, 2**53, "loose", "text/plain"),),
    )
    odd = dataclasses.replace(some_trial(0, 0.1), task_name="org/tâche-ü", attempts=(first,), selected=first)
    unfinished = dataclasses.replace(some_trial(1, None, None), attempts=())
    scope = some_scope(2, kind="partial", quality="partial", source_flags=("a", "é"), source_publications=())
    return some_run([some_cell([odd, unfinished], quality="partial")], scope=scope)
