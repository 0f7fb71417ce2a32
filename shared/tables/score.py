"""What a cell is worth: counts, score, interval and bounds from its trials, over the planned number, never over those present.

score = sum of rewards / planned trials: a trial without a scored outcome adds 0 and stays in the denominator. Beside a cell
with `infrastructure_exhausted` trials stand two bounds: what the score would be had all of those failed (lower end of the
reward range) or passed (upper end). Above 5% of the planned trials such a cell is listed and not ranked.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.outcomes import AttemptEnd, Label, Observation, Outcome
from shared.statistics.intervals import Interval, score_interval
from shared.statistics.ranked_sets import why_unranked
from shared.tables.published import AttemptFacts, CellFacts, Scope, TrialFacts

COMPLETE: Final = "complete"
MANUAL: Final = "manual"
"""Made elsewhere and brought in: never ranked."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How the planned trials of a cell or a run ended, and how many tries that took."""

    planned_trials: int
    scored_trials: int
    agent_failed_trials: int
    benchmark_failed_trials: int
    infrastructure_exhausted_trials: int
    unfinished_trials: int
    attempts: int
    failed_attempts: int


@dataclass(frozen=True, slots=True)
class Score:
    """A cell's score columns; None where the cell has no such value."""

    score: float | None
    interval: Interval | None
    bound_low: float | None
    bound_high: float | None
    pass_rate: float | None
    passed_trials: int
    cost_usd_micros: int | None
    cost_observation: Observation
    unranked_reason: str | None


def count_trials(trials: Sequence[TrialFacts]) -> Counts:
    """Count outcomes and attempts of `trials`; the outcomes and the unfinished sum to the planned."""
    outcomes = Counter(trial.outcome for trial in trials)
    tries = [attempt for trial in trials for attempt in trial.attempts if attempt.end is not AttemptEnd.RELEASED]
    return Counts(
        planned_trials=len(trials),
        scored_trials=outcomes[Outcome.SCORED],
        agent_failed_trials=outcomes[Outcome.AGENT_FAILED],
        benchmark_failed_trials=outcomes[Outcome.BENCHMARK_FAILED],
        infrastructure_exhausted_trials=outcomes[Outcome.INFRASTRUCTURE_EXHAUSTED],
        unfinished_trials=outcomes[None],
        attempts=len(tries),
        failed_attempts=sum(attempt.end is not AttemptEnd.SUCCEEDED for attempt in tries),
    )


def score_cell(cell: CellFacts, scope: Scope) -> Score:
    """Return what `cell` is worth within `scope`; a cell without a score has no interval and no bounds."""
    counts = count_trials(cell.trials)
    passed = sum(bool(trial.is_passed) for trial in cell.trials)
    cost, observation = _cost(cell)
    reason = unranked_reason(cell, scope, counts)
    if not has_score(scope.kind, cell.quality) or not counts.scored_trials:
        return Score(None, None, None, None, None, passed, cost, observation, reason)
    low, high = _bounds(cell, counts)
    return Score(
        score=mean_reward(cell.trials),
        interval=_interval(cell, scope.repeats),
        bound_low=low,
        bound_high=high,
        pass_rate=passed / counts.planned_trials,
        passed_trials=passed,
        cost_usd_micros=cost,
        cost_observation=observation,
        unranked_reason=reason,
    )


def has_score(kind: str, quality: str) -> bool:
    """Tell whether a cell has a score: a complete one, and one that was brought in from elsewhere and is whole."""
    return kind == COMPLETE or (kind == MANUAL and quality in {Label.CLEAN, Label.DEGRADED})


def mean_reward(trials: Sequence[TrialFacts]) -> float:
    """Return the sum of the rewards of scored trials over all planned `trials`."""
    return math.fsum(trial.reward or 0.0 for trial in trials if trial.outcome is Outcome.SCORED) / len(trials)


def unranked_reason(cell: CellFacts, scope: Scope, counts: Counts) -> str | None:
    """Return why `cell` may not be ranked, or None."""
    return why_unranked(
        kind=scope.kind,
        quality=cell.quality,
        role=scope.role,
        planned=counts.planned_trials,
        lost=counts.infrastructure_exhausted_trials,
        host_packages_sha256=cell.host_packages_sha256,
    )


def _interval(cell: CellFacts, repeats: int) -> Interval | None:
    if cell.reward_range != (0.0, 1.0):
        return None
    rewards: dict[str, list[float]] = {}
    for trial in cell.trials:
        reward = trial.reward if trial.outcome is Outcome.SCORED else 0.0
        rewards.setdefault(trial.task_name, []).append(reward or 0.0)
    return score_interval([math.fsum(task) / len(task) for task in rewards.values()], repeats)


def _bounds(cell: CellFacts, counts: Counts) -> tuple[float | None, float | None]:
    lost = counts.infrastructure_exhausted_trials
    if not lost:
        return None, None
    low, high = cell.reward_range
    score = mean_reward(cell.trials)
    return score + low * lost / counts.planned_trials, score + high * lost / counts.planned_trials


def _cost(cell: CellFacts) -> tuple[int | None, Observation]:
    if not cell.needs_model:
        return None, Observation.NOT_APPLICABLE
    costs = [attempt.usage.cost_usd_micros for attempt in attempts_of(cell)]
    known = [cost for cost in costs if cost is not None]
    if not costs or len(known) < len(costs):
        return None, Observation.NOT_REPORTED
    return sum(known), Observation.OBSERVED


def attempts_of(cell: CellFacts) -> list[AttemptFacts]:
    """Return every attempt of `cell` that began, in trial and ordinal order."""
    return [attempt for trial in cell.trials for attempt in trial.attempts if attempt.end is not AttemptEnd.RELEASED]
