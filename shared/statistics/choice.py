"""Which cell to take: those that are not distinguishable from the best, and among them the cheapest and the fastest.

Not distinguishable means: not significantly worse than the cell with the highest score, by the matrix that also ranks. Cheapest
is by the cost of one planned trial, fastest by the median duration of a trial; equal ones go to the higher score, then to the
cell id. A cell without the figure cannot be chosen by it and is named, never guessed at. The caller leaves cells out by id:
reference cells (an agent that knows the solutions, one that does nothing) are ranked and nobody's choice, and a reader's filters
narrow what is offered. That moves neither test nor rank: whatever is left is judged by the decisions over all.
"""

from collections.abc import Callable, Collection
from typing import NamedTuple

from shared.statistics.cells import Cell
from shared.statistics.ranks import Decisions


class Choice(NamedTuple):
    """The cells that may be as good as the best."""

    best: Cell
    """Highest score."""
    among: tuple[Cell, ...]
    """All that are not significantly worse than it, itself included, highest score first."""
    cheapest: Cell | None
    fastest: Cell | None
    """None where no cell among them has the figure."""
    without_cost: tuple[Cell, ...]
    without_seconds: tuple[Cell, ...]


def choose(decisions: Decisions, leaving_out: Collection[str] = ()) -> Choice | None:
    """Return the choice among the ranked cells but `leaving_out`, None where there is none."""
    offered = [cell for cell in decisions.cells if cell.cell_id not in leaving_out]
    if not offered:
        return None
    best = offered[0]
    among = tuple(cell for cell in offered if not decisions.is_better(best.cell_id, cell.cell_id))
    cheapest, without_cost = _least(among, lambda cell: cell.cost_usd_micros)
    fastest, without_seconds = _least(among, lambda cell: cell.seconds)
    return Choice(best, among, cheapest, fastest, without_cost, without_seconds)


def _least(cells: tuple[Cell, ...], figure: Callable[[Cell], float | None]) -> tuple[Cell | None, tuple[Cell, ...]]:
    known = [(value, place) for place, cell in enumerate(cells) if (value := figure(cell)) is not None]
    return cells[min(known)[1]] if known else None, tuple(cell for cell in cells if figure(cell) is None)
