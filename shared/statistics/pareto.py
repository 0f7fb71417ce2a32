"""Score against cost: which cells buy a better score with more money, and of which that is not shown.

A cell is undominated if no other costs no more and scores no less, with one of the two strictly better. Walking the undominated
cells from the cheapest up, the first is on the frontier and each further one only if it is significantly better, by the matrix
that also ranks, than the frontier's last before it; the other undominated cells are hollow points: dearer, with a score whose
lead may be chance. Cost is that of one planned trial in micro-USD; drawn on a logarithmic axis, where a cost of 0 needs a place
of its own. Cells without a reported cost are named and are no points: an unknown cost is not 0.
"""

from collections.abc import Collection
from typing import NamedTuple

from shared.statistics.cells import Cell
from shared.statistics.ranks import Decisions


class Frontier(NamedTuple):
    """Every cell of a ranked set, in one of four places; by cost, cheapest first."""

    frontier: tuple[Cell, ...]
    hollow: tuple[Cell, ...]
    dominated: tuple[Cell, ...]
    without_cost: tuple[Cell, ...]
    """By score, highest first."""


def frontier_of(decisions: Decisions, leaving_out: Collection[str] = ()) -> Frontier:
    """Return the frontier of cost against score among the ranked cells but `leaving_out`, by id."""
    priced = sorted(
        (cell.cost_usd_micros, -cell.score, place)
        for place, cell in enumerate(decisions.cells)
        if cell.cost_usd_micros is not None and cell.cell_id not in leaving_out
    )
    frontier: list[Cell] = []
    hollow: list[Cell] = []
    dominated: list[Cell] = []
    undominated: tuple[float, float] | None = None
    for cost, negative, place in priced:
        cell = decisions.cells[place]
        if undominated is not None and negative >= undominated[1] and (cost, negative) != undominated:
            dominated.append(cell)
            continue
        undominated = (cost, negative)
        is_reached = not frontier or decisions.is_better(cell.cell_id, frontier[-1].cell_id)
        (frontier if is_reached else hollow).append(cell)
    unpriced = tuple(cell for cell in decisions.cells if cell.cost_usd_micros is None and cell.cell_id not in leaving_out)
    return Frontier(tuple(frontier), tuple(hollow), tuple(dominated), unpriced)
