"""What a cell is worth: over what was planned, never over what is present."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.outcomes import AttemptEnd, Observation, Outcome
from shared.tables.published import NO_USAGE, TrialFacts
from shared.tables.score import Score, count_trials, score_cell, unranked_reason
from tests.builders.published import LOST, some_attempt, some_cell, some_scope, some_trial


def score_of(trials: list[TrialFacts], repeats: int = 1, **changes: Any) -> Score:
    """Return the score of a cell of `trials`."""
    tasks = len({trial.task_name for trial in trials})
    return score_cell(some_cell(trials, **changes), some_scope(tasks, repeats))


@pytest.mark.parametrize("outcome", [Outcome.AGENT_FAILED, Outcome.BENCHMARK_FAILED, LOST])
def test_a_failed_trial_counts_0_and_stays_in_the_denominator(outcome: Outcome) -> None:
    """Nobody's score rises by a trial that ended badly."""
    score = score_of([some_trial(0), some_trial(1), some_trial(2), some_trial(3, None, outcome)])
    assert (score.score, score.pass_rate, score.passed_trials) == (0.75, 0.75, 3)


def test_a_reward_between_is_summed_exactly() -> None:
    """Ten tenths are one."""
    assert score_of([some_trial(number, 0.1) for number in range(10)]).score == 0.1


def test_a_reward_of_0_is_a_score() -> None:
    """It is scored, it is no failure, and the cell is ranked."""
    score = score_of([some_trial(0, 0.0), some_trial(1, 0.0)])
    assert (score.score, score.unranked_reason) == (0.0, None)


@pytest.mark.parametrize(
    ("lost", "planned", "is_ranked"), [(5, 100, True), (6, 100, False), (1, 20, True), (1, 19, False), (0, 5, True)]
)
def test_a_cell_is_ranked_up_to_5_percent_lost(lost: int, planned: int, is_ranked: bool) -> None:
    """Five of a hundred rank, six do not."""
    trials = [some_trial(number, None, LOST) if number < lost else some_trial(number) for number in range(planned)]
    assert (score_of(trials, quality="degraded").unranked_reason is None) == is_ranked


def test_agents_that_fail_do_not_unrank() -> None:
    """Their failures are the result."""
    trials = [some_trial(0), *(some_trial(number, None, Outcome.AGENT_FAILED) for number in range(1, 10))]
    assert score_of(trials, quality="degraded").unranked_reason is None


@pytest.mark.parametrize(
    ("changes", "scope", "word"),
    [
        ({}, {"kind": "partial"}, "partial"),
        ({"quality": "partial"}, {}, "partial"),
        ({}, {"role": "diagnostic"}, "diagnostic"),
        ({"host_packages_sha256": "mixed"}, {}, "different software"),
    ],
)
def test_what_is_not_ranked_says_why(changes: dict[str, Any], scope: dict[str, Any], word: str) -> None:
    """In words that a page can show."""
    cell = some_cell([some_trial(0)], **changes)
    assert word in str(unranked_reason(cell, some_scope(1, **scope), count_trials(cell.trials)))


def test_bounds_say_what_lost_trials_could_have_been() -> None:
    """All failed, or all passed; without lost trials there are none."""
    score = score_of([some_trial(0), some_trial(1, 0.0), some_trial(2, None, LOST), some_trial(3, None, LOST)])
    assert (score.score, score.bound_low, score.bound_high) == (0.25, 0.25, 0.75)
    assert score_of([some_trial(0)]).bound_low is None


def test_bounds_follow_the_range_of_the_reward() -> None:
    """A lost trial could have been worth less than 0."""
    score = score_of([some_trial(0, 3.0), some_trial(1, None, LOST)], reward_range=(-1.0, 5.0))
    assert (score.score, score.bound_low, score.bound_high) == (1.5, 1.0, 4.0)


def test_an_incomplete_cell_has_no_score() -> None:
    """Nor an interval, bounds or a pass rate; what it cost is known."""
    cell = some_cell([some_trial(0), some_trial(1, None, None)])
    score = score_cell(cell, some_scope(2, kind="partial"))
    assert (score.score, score.interval, score.bound_low, score.pass_rate, score.cost_usd_micros) == (None, None, None, None, 10)


def test_a_cell_without_a_scored_trial_has_no_score() -> None:
    """There is nothing to publish."""
    assert score_of([some_trial(0, None, LOST)]).score is None


def test_an_interval_needs_two_tasks_and_rewards_within_0_and_1() -> None:
    """Otherwise there is none."""
    assert score_of([some_trial(0), some_trial(1, 0.0)]).interval is not None
    assert score_of([some_trial(0)]).interval is None
    assert score_of([some_trial(0), some_trial(1, 0.0)], reward_range=(0.0, 2.0)).interval is None


def test_repeats_of_one_task_are_one_mean() -> None:
    """Twenty repeats of two tasks are two observations, not forty."""
    trials = [some_trial(number, float(number % 2), task=f"org/{number % 2}") for number in range(20)]
    interval = score_of(trials, repeats=10).interval
    assert interval is not None
    assert interval.effective_n == 1.0


def test_counts_sum_to_the_planned() -> None:
    """Outcomes and the unfinished; released tries are none."""
    released = dataclasses.replace(
        some_trial(4), attempts=(some_attempt("trial-4", 1, end=AttemptEnd.RELEASED), some_attempt("trial-4", 2))
    )
    trials = [
        some_trial(0),
        some_trial(1, None, LOST),
        some_trial(2, None, Outcome.AGENT_FAILED),
        some_trial(3, None, Outcome.BENCHMARK_FAILED),
        released,
        some_trial(5, None, None),
    ]
    counts = count_trials(trials)
    ended = counts.scored_trials + counts.agent_failed_trials + counts.benchmark_failed_trials
    assert ended + counts.infrastructure_exhausted_trials + counts.unfinished_trials == counts.planned_trials == 6
    assert (counts.attempts, counts.failed_attempts) == (6, 4)


def test_a_cost_is_known_only_if_every_attempt_told_it() -> None:
    """A partial sum would read as a total."""
    silent = dataclasses.replace(some_trial(1), attempts=(some_attempt("trial-1", usage=NO_USAGE),))
    assert (score_of([some_trial(0)]).cost_usd_micros, score_of([some_trial(0), silent]).cost_usd_micros) == (5, None)
    score = score_of([some_trial(0)], needs_model=False)
    assert (score.cost_usd_micros, score.cost_observation) == (None, Observation.NOT_APPLICABLE)


@settings(deadline=None)
@given(st.lists(st.floats(-1.0, 2.0), min_size=1, max_size=4), st.lists(st.floats(-1.0, 2.0), min_size=1, max_size=4))
def test_bounds_hold_the_score_of_every_completion_of_the_lost_trials(earned: list[float], completion: list[float]) -> None:
    """Whatever the lost trials would have earned within the range of the reward."""
    kept = [some_trial(5 + number, reward) for number, reward in enumerate(earned)]
    lost = [some_trial(number, None, LOST) for number in range(len(completion))]
    score = score_of([*kept, *lost], reward_range=(-1.0, 2.0))
    completed = score_of([*kept, *(some_trial(number, reward) for number, reward in enumerate(completion))])
    assert score.bound_low is not None
    assert score.bound_high is not None
    assert completed.score is not None
    assert score.bound_low - 1e-12 <= completed.score <= score.bound_high + 1e-12
