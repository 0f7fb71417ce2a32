"""Where each cell of an edition stands: a range of ranks and a tie group, from one matrix of decisions.

A rank is what the tests allow to say: from 1 + the number of significantly better cells to N - the number of significantly
worse ones. `4-9` reads "at least three cells are better, and at least N - 9 are worse; among those between, no order is
claimed". Nobody gets a single number inside a tie. Groups follow the order of the scores: a new one starts at the first cell
that is significantly worse than the group's first. Cells of reference agents have ranks and are in no group.

`decide` takes the whole ranked set of an edition, whatever a page filters, so a rank does not move with the view. The order in
which the cells are given changes nothing: equal scores are ordered by cell id.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from shared.statistics.cells import Cell
from shared.statistics.matrix import Matrix, decide_pairs
from shared.statistics.paired import PairTest, compare


class Rank(NamedTuple):
    """The ranks that a cell may have, both ends included; 1 is best."""

    low: int
    high: int

    @property
    def text(self) -> str:
        """As shown: `4-9`, or `4` where only one rank is possible."""
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


@dataclass(frozen=True, slots=True)
class Decisions:
    """What may be said about the cells of one ranked set."""

    cells: tuple[Cell, ...]
    """By score, highest first; equal scores by cell id."""
    matrix: Matrix
    """By positions in `cells`."""
    positions: Mapping[str, int]
    groups: tuple[int | None, ...]

    def best(self) -> Cell | None:
        """Return the cell with the highest score, None of an empty set."""
        return self.cells[0] if self.cells else None

    def rank(self, cell_id: str) -> Rank:
        """Return the rank range of a cell; KeyError if it is not in the ranked set."""
        place = self.positions[cell_id]
        return Rank(1 + self.matrix.better_than(place), len(self.cells) - self.matrix.worse_than(place))

    def group(self, cell_id: str) -> int | None:
        """Return the number of a cell's tie group, 1 for the best; None for a reference, which is in no group."""
        return self.groups[self.positions[cell_id]]

    def is_better(self, first_id: str, second_id: str) -> bool:
        """True if the first cell is significantly better than the second."""
        return self.matrix.is_better(self.positions[first_id], self.positions[second_id])

    def pair(self, first_id: str, second_id: str) -> PairTest:
        """Return the raw test of two cells, the first minus the second; whether it decides says `is_better`."""
        return compare(self.cells[self.positions[first_id]].tasks, self.cells[self.positions[second_id]].tasks)


def decide(
    cells: Iterable[Cell],
    references: Collection[str] = frozenset(),
    known: Mapping[tuple[str, ...], Matrix] = MappingProxyType({}),
) -> Decisions:
    """Test all pairs of `cells`, the ranked set of one edition, and return what follows; ValueError if a cell id stands twice.

    `references` are the ids of cells that have a rank and lead no group. `known` holds matrices that were decided before, by the
    ids of their cells in the order of `Decisions.cells`.
    """
    ordered = tuple(sorted(cells, key=lambda cell: (-cell.score, cell.cell_id)))
    positions = {cell.cell_id: place for place, cell in enumerate(ordered)}
    if len(positions) < len(ordered):
        raise ValueError("a cell stands twice in the ranked set")
    matrix = known.get(tuple(positions)) or decide_pairs([cell.tasks for cell in ordered])
    return Decisions(ordered, matrix, positions, _groups(matrix, [cell.cell_id in references for cell in ordered]))


def _groups(matrix: Matrix, is_reference: Sequence[bool]) -> tuple[int | None, ...]:
    groups: list[int | None] = []
    leader, current = None, 0
    for place in range(matrix.size):
        if is_reference[place]:
            groups.append(None)
            continue
        if leader is None or matrix.is_better(leader, place):
            leader, current = place, current + 1
        groups.append(current)
    return tuple(groups)
