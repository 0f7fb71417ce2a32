"""The interval of a score: known values, its edges, and how often it covers the truth."""

import numpy as np
import pytest

from benchmarks.simulations import DESIGNS, Design, covered
from shared.statistics.intervals import score_interval, wilson


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


@pytest.mark.parametrize(("mean", "expected"), [(0.0, (0.0, 0.0378798)), (1.0, (0.9621202, 1.0))])
def test_a_cell_that_solves_nothing_or_everything(mean: float, expected: tuple[float, float]) -> None:
    """At 100 tasks t^2 / (100 + t^2), with t = 1.98422 of 99 degrees, could still be otherwise."""
    interval = score_interval([mean] * 100, 5)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx(expected, abs=1e-7)


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


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_the_interval_covers_the_truth(design: Design) -> None:
    """93 to 99 times in a hundred, however alike the repeats of a task are, however skewed the rewards."""
    assert 0.93 <= covered(design, 2_000) <= 0.99


def test_trials_counted_as_independent_would_not_cover() -> None:
    """The same cells with every trial as an observation of its own: the simulation can tell."""
    random = np.random.default_rng(20260101)
    hits = 0
    for _ in range(500):
        mean = float(random.binomial(5, random.beta(0.7, 0.7, 100)).mean() / 5)
        low, high = wilson(mean, 500, 1.96)
        hits += low <= 0.5 <= high
    assert hits / 500 < 0.85


def test_more_tasks_give_a_narrower_interval() -> None:
    """At the same spread."""
    few, many = score_interval([0.0, 1.0] * 5, 1), score_interval([0.0, 1.0] * 50, 1)
    assert few is not None
    assert many is not None
    assert many.high - many.low < few.high - few.low
