"""The cheapest and the fastest of those that may be the best."""

from shared.statistics.cells import Cell
from shared.statistics.choice import choose
from shared.statistics.ranks import decide
from tests.shared.statistics.drawing import cell, of_solved


def solving(name: str, count: int, cost: float | None = None, seconds: float | None = None) -> Cell:
    """Return a cell that solves `count` of 40 tasks."""
    return cell(name, of_solved([1] * count + [0] * (40 - count)), cost, seconds)


def test_only_cells_that_may_be_the_best_are_chosen() -> None:
    """The cheapest and fastest of all is significantly worse."""
    found = choose(decide([solving("best", 38, 900, 50), solving("near", 36, 200, 80), solving("weak", 3, 1, 1)]))
    assert found is not None
    assert [each.cell_id for each in found.among] == ["best", "near"]
    assert (found.best.cell_id, found.cheapest, found.fastest) == ("best", found.among[1], found.among[0])


def test_cells_without_a_figure_are_named() -> None:
    """An unreported cost is not 0, so it cannot be the cheapest."""
    found = choose(decide([solving("best", 38, None, 50), solving("near", 36, 200)]))
    assert found is not None
    assert found.cheapest is not None
    assert found.fastest is not None
    assert (found.cheapest.cell_id, found.fastest.cell_id) == ("near", "best")
    assert [each.cell_id for each in found.without_cost] == ["best"]
    assert [each.cell_id for each in found.without_seconds] == ["near"]


def test_no_figure_at_all_chooses_nobody() -> None:
    """All are named instead."""
    found = choose(decide([solving("best", 38), solving("near", 36)]))
    assert found is not None
    assert (found.cheapest, found.fastest, len(found.without_cost)) == (None, None, 2)


def test_equal_costs_go_to_the_higher_score() -> None:
    """Whatever the order of the ids."""
    found = choose(decide([solving("a", 36, 200), solving("b", 38, 200)]))
    assert found is not None
    assert found.cheapest == found.best


def test_a_free_cell_is_the_cheapest() -> None:
    """A reported cost of 0 is a cost."""
    found = choose(decide([solving("a", 36, 0), solving("b", 38, 200)]))
    assert found is not None
    assert found.cheapest is not None
    assert found.cheapest.cell_id == "a"


def test_nothing_ranked_leaves_no_choice() -> None:
    """The page says so."""
    assert choose(decide([])) is None


def test_a_reference_is_ranked_and_nobodys_choice() -> None:
    """Left out, the cell with the highest score neither leads nor makes the others distinguishable."""
    decisions = decide([solving("oracle", 40, 1, 1), solving("near", 20, 200), solving("other", 19, 100)])
    found = choose(decisions, {"oracle"})
    assert found is not None
    assert found.cheapest is not None
    assert (found.best.cell_id, found.cheapest.cell_id, len(found.among)) == ("near", "other", 2)
    assert decisions.rank("oracle").text == "1"
    assert choose(decisions, {"oracle", "near", "other"}) is None
