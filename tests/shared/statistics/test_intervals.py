"""The interval of a score: known values, its edges, and how often it covers the truth."""

from collections.abc import Callable

import numpy as np
import pytest

from shared.statistics.intervals import score_interval, wilson

type Design = Callable[[np.random.Generator], tuple[float, list[float]]]
RUNS = 2_000


@pytest.mark.parametrize(
    ("mean", "n", "expected"),
    [
        (0.0, 10, (0.0, 0.2775327999)),
        (1.0, 10, (0.7224672001, 1.0)),
        (0.5, 10, (0.2365930905, 0.7634069095)),
        (0.1, 100, (0.0552291371, 0.1743656615)),
    ],
)
def test_wilsons_interval_at_the_normal_quantile(mean: float, n: int, expected: tuple[float, float]) -> None:
    """Brown, Cai and DasGupta 2001 print these."""
    assert wilson(mean, n, 1.959963984540054) == pytest.approx(expected, abs=1e-9)


def test_an_interval_lies_within_0_and_1_and_holds_its_mean() -> None:
    """For every share of solved tasks."""
    for solved in range(21):
        interval = score_interval([1.0] * solved + [0.0] * (20 - solved), 1)
        assert interval is not None
        assert 0.0 <= interval.low <= solved / 20 <= interval.high <= 1.0


@pytest.mark.parametrize("means", [[], [0.5], [0.5, 1.5], [-0.1, 0.5]])
def test_no_interval_without_two_tasks_in_range(means: list[float]) -> None:
    """Nothing is said of what cannot be estimated."""
    assert score_interval(means, 1) is None


def test_all_or_nothing_is_worth_its_tasks() -> None:
    """No spread shows, so the tasks alone count; repeats add nothing."""
    interval = score_interval([1.0] * 10, 5)
    assert interval is not None
    assert (interval.effective_n, interval.stderr, interval.high) == (10.0, 0.0, 1.0)


def test_equal_tasks_are_worth_every_trial() -> None:
    """Means that agree exactly say that the trials are independent."""
    interval = score_interval([0.5] * 10, 4)
    assert interval is not None
    assert interval.effective_n == 40.0


def test_no_score_is_worth_more_than_its_trials() -> None:
    """Task means that nearly agree by chance are no thousand observations."""
    interval = score_interval([0.5, 0.51] * 5, 4)
    assert interval is not None
    assert interval.effective_n == 40.0


def independent(random: np.random.Generator) -> tuple[float, list[float]]:
    """Fifty tasks, one run each, all of equal difficulty."""
    return 0.7, list(random.binomial(1, 0.7, 50).astype(float))


def clustered(random: np.random.Generator) -> tuple[float, list[float]]:
    """Forty tasks, five runs each: most are solved always or never."""
    difficulty = random.beta(0.5, 0.5, 40)
    return 0.5, list(random.binomial(5, difficulty) / 5)


def hard(random: np.random.Generator) -> tuple[float, list[float]]:
    """Eighty-nine tasks, three runs each, few of them solved."""
    difficulty = random.beta(0.3, 1.7, 89)
    return 0.15, list(random.binomial(3, difficulty) / 3)


@pytest.mark.parametrize(("design", "repeats"), [(independent, 1), (clustered, 5), (hard, 3)])
def test_the_interval_covers_the_truth(design: Design, repeats: int) -> None:
    """At least 93 times in a hundred, though repeats of a task resemble each other."""
    random = np.random.default_rng(20260101)
    covered = 0
    for _ in range(RUNS):
        truth, means = design(random)
        interval = score_interval(means, repeats)
        covered += interval is not None and interval.low <= truth <= interval.high
    assert covered / RUNS >= 0.93


def test_more_tasks_give_a_narrower_interval() -> None:
    """At the same spread."""
    few, many = score_interval([0.0, 1.0] * 5, 1), score_interval([0.0, 1.0] * 50, 1)
    assert few is not None
    assert many is not None
    assert many.high - many.low < few.high - few.low
