"""How many repeats would separate two cells, and when none would."""

import pytest

from benchmarks.simulations import separated
from shared.statistics.cells import Cell
from shared.statistics.repeats import MAX_REPEATS, REACH, Separation, repeats_needed, separate
from tests.shared.statistics.drawing import cell, of_solved


def test_repeats_average_rerun_noise_out() -> None:
    """With 50 tasks, s_b^2 0.01 and s_w^2 0.4 a difference of 0.06 needs 0.4 / (50 x (0.06 / 2.8)^2 - 0.01) = 30.9."""
    assert repeats_needed(0.06, 0.01, 0.4, 50) == 31


def test_the_least_number_that_reaches() -> None:
    """One less would not."""
    for difference, between, within, tasks in [(0.1, 0.02, 0.3, 40), (0.05, 0.001, 0.25, 90), (0.3, 0.0, 0.4, 20)]:
        found = repeats_needed(difference, between, within, tasks)
        assert found is not None

        def reaches(repeats: int, d: float = difference, b: float = between, w: float = within, t: int = tasks) -> bool:
            return bool(d >= REACH * ((b + w / repeats) / t) ** 0.5 * (1 - 1e-9))

        assert reaches(found)
        assert found == 1 or not reaches(found - 1)


def test_tasks_that_differ_too_much_are_no_matter_of_repeats() -> None:
    """Where the tasks alone spread more than the difference allows, no number of repeats helps."""
    assert repeats_needed(0.05, 0.2, 0.1, 50) is None
    assert repeats_needed(0.0, 0.0, 0.1, 50) is None


def test_more_than_a_hundred_is_no_plan() -> None:
    """The limit itself is one."""
    within = MAX_REPEATS * 50 * (0.056 / REACH) ** 2
    assert repeats_needed(0.056, 0.0, within, 50) == MAX_REPEATS
    assert repeats_needed(0.056, 0.0, within * 1.001, 50) is None


def test_planned_repeats_separate_four_pairs_in_five() -> None:
    """2,000 simulated pairs, repeats planned from their true variances."""
    _, share = separated(2_000)
    assert 0.75 <= share <= 0.85


def pair(first: list[int], second: list[int], repeats: int, cost: float | None = 100.0) -> tuple[Cell, Cell]:
    """Return two cells that solved so many trials of each task; a trial of the second costs 50 micro-USD."""
    return cell("first", of_solved(first, repeats), cost), cell("second", of_solved(second, repeats), 50.0)


def test_two_cells_are_planned_with_their_cost() -> None:
    """Both run anew: repeats x tasks trials of each."""
    found = separate(*pair([1, 2] * 10, [1, 1] * 10, 2))
    assert found.answer == "repeats"
    assert found.repeats is not None
    assert found.cost_usd_micros == 150 * 20 * found.repeats


def test_the_parts_of_the_variance() -> None:
    """Every task 2 of 4 against 1 of 4: no spread between tasks; rerun noise 1/3 + 1/4."""
    found = separate(*pair([2] * 20, [1] * 20, 4))
    assert found.repeats == repeats_needed(0.25, 0.0, 1 / 3 + 1 / 4, 20) == 4


def test_a_spread_that_noise_explains_is_none_of_the_tasks() -> None:
    """Differences of 2 and 0 of 4 vary by 0.066; rerun noise, a quarter of 7/12, explains all of it."""
    found = separate(*pair([3, 2] * 10, [1, 2] * 10, 4))
    assert found.repeats == repeats_needed(0.25, 0.0, 7 / 12, 20) == 4


def test_a_spread_beyond_the_noise_is_that_of_the_tasks() -> None:
    """Differences of 3 and 0 of 4 vary by 0.148, of which noise explains a quarter of 11/24: s_b^2 is what is left."""
    found = separate(*pair([4, 2] * 10, [1, 2] * 10, 4))
    between = 0.375**2 * 20 / 19 - 11 / 24 / 4
    assert found.repeats == repeats_needed(0.375, between, 11 / 24, 20) == 2


def test_an_unreported_cost_stays_unknown() -> None:
    """The repeats are said all the same."""
    found = separate(*pair([1, 2] * 10, [1, 1] * 10, 2, cost=None))
    assert (found.answer, found.cost_usd_micros) == ("repeats", None)


def test_more_tasks_where_repeats_do_not_help() -> None:
    """Tasks won and lost for certain: the answer says how many tasks would do."""
    found = separate(*pair([3] * 11 + [0] * 9, [0] * 9 + [3] * 11, 3))
    assert found == Separation("no_difference")
    found = separate(*pair([3] * 12 + [0] * 10, [0] * 11 + [3] * 11, 3))
    assert (found.answer, found.repeats) == ("more_tasks", None)
    assert found.tasks is not None
    assert found.tasks > 1_000


@pytest.mark.parametrize("cells", [pair([1] * 20, [0] * 20, 1), pair([1] * 9, [0] * 9, 2)])
def test_not_available_without_rerun_noise_or_tasks(cells: tuple[Cell, Cell]) -> None:
    """A single run says nothing of reruns; nine tasks are not tested at all."""
    assert separate(*cells) == Separation("not_available")
