"""Published runs in which much went wrong: every outcome, retries, reviews, an unfinished cell, two digests, two editions.

Metrics of cells and waves are added to the published rows: the table may hold them, and pages give some of their names a meaning.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from shared.measures import ENDPOINT_PHASES, LATENCIES, endpoint_metric
from shared.outcomes import AttemptEnd, Category, Label, Observation, Outcome
from shared.tables.published import AttemptFacts, CellFacts, Metric, PublishedRun, TrialFacts

BENCHMARK: Final = "troubles"
DATASET: Final = f"example/{BENCHMARK}"
TWICE: Final = "task-0003"
"""The task with two contents."""
NEVER: Final = "task-0005"
ALWAYS: Final = "task-0000"
_OTHER_DIGEST: Final = "ab" * 32


def troubled_runs() -> list[PublishedRun]:
    """Return three runs: five cells of one edition, another cell of it with another content of one task, another edition."""
    first = synthetic_run(1, cells=5, tasks=11, repeats=2, seed=5, benchmark=BENCHMARK)
    cells = [_calm(cell) for cell in first.cells]
    cells[0] = _with(cells[0], _agent_fails)
    cells[1] = _with(cells[1], _interrupted)
    cells[2] = _named(cells[2], "oracle", "none")
    cells[3] = _with(cells[3], _reviewed)
    cells[4] = _named(cells[4], "nop", "none")
    second = synthetic_run(2, cells=1, tasks=11, repeats=2, seed=5, benchmark=BENCHMARK)
    other = synthetic_run(3, cells=2, tasks=11, repeats=3, seed=5, benchmark=BENCHMARK)
    return [
        replace(first, cells=tuple(cells), estimated_cost_usd_micros=7_000_000, approval="single", approved_by="somebody"),
        replace(second, cells=tuple(_with(_calm(cell), _another_content) for cell in second.cells)),
        replace(other, cells=tuple(_calm(cell) for cell in other.cells)),
    ]


def publish_troubles(root: Path) -> None:
    """Publish the troubled runs below `root`."""
    write_results(root, troubled_runs())


def measured(rows: list[dict[str, Any]], cell: str, wave: str) -> None:
    """Add metrics to published `rows`: latencies of `cell`, phases of `wave`, one of them not observed."""
    like = {**rows[0], "step": None, "unit": "second", "observation": "observed"}
    for place, name in enumerate(LATENCIES.values()):
        for value, aggregation in ((0.25 + place, "p50"), (1.5 + place, "p95")):
            rows.append(
                {**like, "owner_type": "cell", "owner_id": cell, "name": name, "value": value, "aggregation": aggregation}
            )
    for place, phase in enumerate(ENDPOINT_PHASES[:-1]):
        rows.append({**like, "owner_type": "wave", "owner_id": wave, "name": endpoint_metric(phase), "value": 100.0 + place})
    last = {"name": endpoint_metric(ENDPOINT_PHASES[-1]), "value": None, "observation": "not_observed"}
    rows.append({**like, "owner_type": "wave", "owner_id": wave, **last})
    for number, row in enumerate(rows):
        row["metric_id"] = f"metric-{number:032x}"
    rows.sort(key=lambda row: str(row["metric_id"]))


def _with(cell: CellFacts, change: Callable[[TrialFacts, int], TrialFacts]) -> CellFacts:
    trials = tuple(change(trial, place) for place, trial in enumerate(cell.trials))
    ended = [trial.outcome for trial in trials]
    quality = Label.PARTIAL if None in ended else Label.CLEAN if set(ended) == {Outcome.SCORED} else Label.DEGRADED
    return replace(cell, trials=trials, quality=quality.value)


def _calm(cell: CellFacts) -> CellFacts:
    """Return `cell` with what a real retry says of itself; one task that all solve, one that nobody does."""

    def told(trial: TrialFacts, place: int) -> TrialFacts:
        waited = Metric("queue_seconds", 5.0, Observation.OBSERVED, "second")
        if place % 3:
            waited = Metric("queue_seconds", None, Observation.NOT_OBSERVED, "second")
        attempts = tuple(replace(each, retry_reason="lost" if each.ordinal > 1 else None) for each in trial.attempts)
        attempts = tuple(replace(each, reason_code="HOST_LOST", phase="agent") if each.category else each for each in attempts)
        attempts = (*attempts[:-1], replace(attempts[-1], metrics=(*attempts[-1].metrics, waited)))
        trial = replace(trial, attempts=attempts, selected=attempts[-1] if trial.selected else None)
        if trial.task_name in {NEVER, ALWAYS} and trial.outcome is Outcome.SCORED:
            is_solved = trial.task_name == ALWAYS
            return replace(trial, reward=float(is_solved), is_passed=is_solved)
        return trial

    return _with(cell, told)


def _named(cell: CellFacts, agent: str, model: str) -> CellFacts:
    def played(trial: TrialFacts, _place: int) -> TrialFacts:
        is_solved = agent == "oracle"
        scored = trial.outcome is Outcome.SCORED
        return replace(trial, reward=float(is_solved), is_passed=is_solved) if scored else trial

    kinds = {"deployment_id": "none", "deployment_kind": "none"}
    identity = replace(cell.identity, agent_name=agent, agent_id=agent, model_repo=model, model_id=model, **kinds)
    return replace(_with(cell, played), identity=identity, needs_model=False)


def _failed(trial: TrialFacts, outcome: Outcome, category: Category, **facts: Any) -> TrialFacts:
    last: AttemptFacts = replace(trial.attempts[-1], end=AttemptEnd.FAILED, category=category, **facts)
    attempts = (*trial.attempts[:-1], last)
    return replace(trial, outcome=outcome, reward=None, is_passed=None, selected=None, attempts=attempts)


def _agent_fails(trial: TrialFacts, place: int) -> TrialFacts:
    if place % 7 == 0:
        facts = {"reason_code": "cost_ceiling", "phase": "agent", "exception_type": "AgentTimeoutError"}
        return _failed(trial, Outcome.AGENT_FAILED, Category.AGENT, **facts)
    if place % 7 == 1:
        return _failed(trial, Outcome.BENCHMARK_FAILED, Category.BENCHMARK, reason_code="REWARD_MISSING", phase="verifier")
    return trial


def _reviewed(trial: TrialFacts, place: int) -> TrialFacts:
    if place % 5 == 0:
        facts = {"reason_code": "UNCLASSIFIED", "phase": "environment", "exception_type": "OddError", "needs_review": True}
        return _failed(trial, Outcome.INFRASTRUCTURE_EXHAUSTED, Category.TRANSIENT, **facts)
    if place % 5 == 1:
        first = trial.attempts[0]
        released = replace(first, attempt_id=f"{first.attempt_id[:-4]}free", ordinal=9, end=AttemptEnd.RELEASED, category=None)
        released = replace(released, bundle_sha256=None, metrics=(), artifacts=(), started_at=None, finished_at=None)
        return replace(trial, attempts=(*trial.attempts, released))
    return trial


def _interrupted(trial: TrialFacts, place: int) -> TrialFacts:
    if place % 4:
        return trial
    return replace(trial, outcome=None, reward=None, is_passed=None, selected=None, attempts=())


def _another_content(trial: TrialFacts, _place: int) -> TrialFacts:
    return replace(trial, task_digest=_OTHER_DIGEST) if trial.task_name == TWICE else trial
