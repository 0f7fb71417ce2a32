"""pass@k and pass^k: golden values, and agreement with counting every choice."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.statistics.cells import TaskSum
from shared.statistics.passk import pass_at_k, pass_hat_k
from tests.shared.statistics.drawing import of_solved


def tasks(solved: list[int], repeats: int) -> list[TaskSum]:
    """Return tasks with so many passes of `repeats`."""
    return list(of_solved(solved, repeats).values())


def test_four_passes_of_five() -> None:
    """Any three trials hold a pass; four of the ten choices of three hold nothing else."""
    assert pass_at_k(tasks([4], 5), 3) == 1.0
    assert pass_hat_k(tasks([4], 5), 3) == pytest.approx(0.4)


@pytest.mark.parametrize(("solved", "expected"), [(0, 0.0), (5, 1.0)])
def test_never_and_always(solved: int, expected: float) -> None:
    """Are the same for every k, on both sides."""
    for k in range(1, 6):
        assert pass_at_k(tasks([solved] * 3, 5), k) == expected
        assert pass_hat_k(tasks([solved] * 3, 5), k) == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=5), st.integers(1, 6))
def test_both_are_shares_of_all_choices(solved: list[int], k: int) -> None:
    """Of k among the trials of a task, averaged over tasks."""
    some, every = [], []
    for passed in solved:
        choices = list(combinations([True] * passed + [False] * (6 - passed), k))
        some.append(sum(map(any, choices)) / len(choices))
        every.append(sum(map(all, choices)) / len(choices))
    assert pass_at_k(tasks(solved, 6), k) == pytest.approx(sum(some) / len(some))
    assert pass_hat_k(tasks(solved, 6), k) == pytest.approx(sum(every) / len(every))


def test_one_trial_is_the_pass_rate() -> None:
    """On both sides."""
    found = tasks([1, 2, 3], 4)
    assert pass_at_k(found, 1) == pass_hat_k(found, 1) == pytest.approx(0.5)


def test_not_available_with_fewer_trials_than_k() -> None:
    """Not for a single task of the cell: the mean would be over others."""
    assert pass_at_k([*tasks([1], 1), *tasks([3], 5)], 2) is None
    assert pass_hat_k(tasks([1], 2), 3) is None
    assert pass_at_k([], 1) is None


def test_k_below_one_is_a_mistake() -> None:
    """Of the caller."""
    with pytest.raises(ValueError, match="at least 1"):
        pass_at_k(tasks([1], 1), 0)
