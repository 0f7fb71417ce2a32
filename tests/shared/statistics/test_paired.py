"""Two cells on shared tasks: which test, what it says, and what it refuses to say."""

import math

import pytest

from shared.statistics.paired import compare, task_differences
from tests.shared.statistics.drawing import of_rewards, of_solved


def test_single_runs_are_tested_by_mcnemar() -> None:
    """Nine tasks solved by the first alone, one by the second alone: 22 of 1,024 throws of a fair coin are as uneven."""
    found = compare(of_solved([1] * 9 + [0] + [1] * 10), of_solved([0] * 9 + [1] + [1] * 10))
    assert (found.method, found.tasks, found.won, found.lost, found.tied) == ("mcnemar", 20, 9, 1, 10)
    assert found.p == pytest.approx(22 / 1024, rel=1e-15)
    assert found.difference == pytest.approx(0.4)


def test_repeats_are_tested_by_students_t_on_task_means() -> None:
    """These differences have mean 0.15 and standard deviation 0.2108, so t = 2.25 on 9 degrees; p by its closed form."""
    found = compare(of_solved([4, 3, 2, 4, 1, 0, 4, 3, 2, 4], 4), of_solved([4, 3, 2, 4, 1, 0, 3, 1, 1, 2], 4))
    differences = [0.0] * 6 + [0.25, 0.5, 0.25, 0.5]
    mean = sum(differences) / 10
    stderr = math.sqrt(sum((each - mean) ** 2 for each in differences) / 9 / 10)
    assert (found.method, found.difference) == ("paired_t", pytest.approx(0.15))
    angle = math.atan(mean / stderr / 3)
    cosine = math.cos(angle)
    central = angle + math.sin(angle) * (cosine + 2 / 3 * cosine**3 + 8 / 15 * cosine**5 + 16 / 35 * cosine**7)
    assert mean / stderr == pytest.approx(2.25)
    assert found.p == pytest.approx(1 - 2 / math.pi * central, rel=1e-12)
    assert (found.low, found.high) == (pytest.approx(mean - 2.2621571628 * stderr), pytest.approx(mean + 2.2621571628 * stderr))


def test_differences_without_spread_are_tested_by_their_signs() -> None:
    """A cell that solves everything against one that solves nothing: t would divide by zero."""
    found = compare(of_solved([3] * 10, 3), of_solved([0] * 10, 3))
    assert (found.method, found.p, found.low, found.high) == ("sign", 2 / 1024, None, None)


def test_equal_cells_do_not_differ() -> None:
    """With p 1, not an error."""
    found = compare(of_solved([2, 1] * 5, 3), of_solved([2, 1] * 5, 3))
    assert (found.method, found.p, found.difference) == ("sign", 1.0, 0.0)


def test_fewer_than_ten_shared_tasks_are_not_tested() -> None:
    """Their difference is shown, no p."""
    found = compare(of_solved([1] * 9), of_solved([0] * 9))
    assert (found.method, found.tasks, found.difference, found.p, found.low) == ("untested", 9, 1.0, None, None)


def test_cells_without_a_shared_task() -> None:
    """Have no difference at all."""
    found = compare(of_solved([1] * 20), {})
    assert (found.method, found.tasks, found.difference, found.p) == ("untested", 0, None, None)


def test_only_shared_tasks_count() -> None:
    """A task that one cell lacks says nothing about the other."""
    long, short = of_solved([1] * 10 + [0] * 10), of_solved([0] * 10)
    assert compare(long, short) == compare(of_solved([1] * 10), short)


def test_graded_single_runs_are_no_coin() -> None:
    """A reward of 0.5 makes the differences more than won or lost."""
    found = compare(of_rewards([[0.5]] + [[1.0]] * 11), of_rewards([[0.0]] * 12))
    assert found.method == "paired_t"


def test_rounding_is_no_difference() -> None:
    """0.1 + 0.2 is not 0.3 in floats, and still equal."""
    assert task_differences([0.1 + 0.2, 0.5], [0.3, 0.5]) == [0.0, 0.0]
    assert len(set(task_differences([0.3, 1.0], [0.1, 0.8]))) == 1


def test_swapping_the_cells_turns_the_sign_alone() -> None:
    """The p and the method stay."""
    first, second = of_solved([1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1]), of_solved([0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1])
    one, other = compare(first, second), compare(second, first)
    assert (one.method, one.p, one.won) == (other.method, other.p, other.lost)
    assert (one.difference, one.low, one.high) == (-other.difference, -other.high, -other.low)  # type: ignore[operator] - both are tested


@pytest.mark.parametrize("solved", [[0] * 20, [1] * 20])
def test_the_interval_of_single_runs_has_a_width_without_any_difference(solved: list[int]) -> None:
    """Twenty ties do not prove that two cells are equal."""
    found = compare(of_solved(solved), of_solved(solved))
    assert found.low is not None
    assert found.high is not None
    assert found.low < -0.05 < 0.05 < found.high


def test_intervals_of_single_runs_stay_within_the_reward() -> None:
    """And hold the difference, at its largest too."""
    found = compare(of_solved([1] * 12), of_solved([0] * 12))
    assert (found.difference, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert 0.5 < found.low < 1.0
