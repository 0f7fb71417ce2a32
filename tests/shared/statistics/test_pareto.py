"""What more money buys, and of what it is not shown that it buys anything."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.statistics.cells import Cell
from shared.statistics.pareto import Frontier, frontier_of
from shared.statistics.ranks import decide
from tests.shared.statistics.drawing import cell, drawn, of_solved


def solving(name: str, count: int, cost: float | None) -> Cell:
    """Return a cell that solves `count` of 500 tasks."""
    return cell(name, of_solved([1] * count + [0] * (500 - count)), cost)


def names(found: Frontier) -> dict[str, list[str]]:
    """Return the cell ids of each place."""
    return {place: [each.cell_id for each in cells] for place, cells in found._asdict().items()}


def test_a_point_is_dearer_and_significantly_better_than_the_one_before() -> None:
    """Three levels of score, each at its price."""
    found = frontier_of(decide([solving("low", 100, 10), solving("middle", 250, 40), solving("high", 450, 900)]))
    assert names(found)["frontier"] == ["low", "middle", "high"]


def test_a_hundred_and_fifty_times_the_price_for_a_fifth_of_a_point_is_not_on_the_frontier() -> None:
    """401 of 500 tasks against 400: undominated, so it is shown, but hollow."""
    found = frontier_of(decide([solving("cheap", 400, 10), solving("dear", 401, 1_500)]))
    assert names(found) == {"frontier": ["cheap"], "hollow": ["dear"], "dominated": [], "without_cost": []}


def test_dearer_and_no_better_is_dominated() -> None:
    """So is equally dear and worse."""
    cells = [solving("good", 400, 10), solving("same", 400, 20), solving("worse", 300, 10)]
    assert names(frontier_of(decide(cells)))["dominated"] == ["worse", "same"]


def test_a_twin_is_not_dominated() -> None:
    """Equal in both: neither beats the other, and one is drawn on the frontier."""
    found = names(frontier_of(decide([solving("a", 400, 10), solving("b", 400, 10)])))
    assert (found["frontier"], found["hollow"], found["dominated"]) == (["a"], ["b"], [])


def test_cells_without_a_cost_are_no_points() -> None:
    """They are named, never drawn at 0."""
    found = names(frontier_of(decide([solving("known", 100, 10), solving("unknown", 450, None)])))
    assert (found["frontier"], found["without_cost"]) == (["known"], ["unknown"])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.none() | st.integers(0, 5), min_size=10, max_size=10))
def test_every_cell_has_one_place_and_none_on_the_frontier_is_beaten(seed: int, costs: list[int | None]) -> None:
    """By definition, checked cell against cell."""
    drawn_cells = drawn(np.random.default_rng(seed), 10, 40, 2, spread=0.2)
    cells = [replace(each, cost_usd_micros=cost) for each, cost in zip(drawn_cells, costs, strict=True)]
    decisions = decide(cells)
    found = frontier_of(decisions)
    assert sorted(each.cell_id for place in found for each in place) == sorted(each.cell_id for each in cells)
    for each in [*found.frontier, *found.hollow]:
        assert not any(beats(other, each) for other in cells)
    for each in found.dominated:
        assert any(beats(other, each) for other in cells)
    for before, after in zip(found.frontier, found.frontier[1:], strict=False):
        assert decisions.is_better(after.cell_id, before.cell_id)


def beats(one: Cell, other: Cell) -> bool:
    """Return whether `one` costs no more and scores no less, and not both the same."""
    if one.cost_usd_micros is None or other.cost_usd_micros is None:
        return False
    is_as_good = one.cost_usd_micros <= other.cost_usd_micros and one.score >= other.score
    return is_as_good and (one.cost_usd_micros, one.score) != (other.cost_usd_micros, other.score)
