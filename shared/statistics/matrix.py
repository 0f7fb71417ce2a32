"""Which cells of a ranked set are significantly better than which others: every pair tested, false discoveries held at 5%.

The tests are those of shared/statistics/paired.py. Benjamini and Hochberg's step-up rule (1995) says down to which p a pair is
decided: the largest p with p <= 5% x (pairs with that p or less) / (pairs tested), so that of all pairs called different about
5% are not. One matrix serves ranks, groups, choice and frontier; no page decides anew.

Two million pairs (2,000 cells) must not take minutes of plain Python. So a pair costs one inner product: with each cell's task
means centred, the spread of the differences of two cells is the sum of their own spreads less twice the product, and t^2
follows; solved and unsolved tasks of single runs are the bits of one integer. p falls as t^2 rises, so the rule needs p itself
only where it searches for its threshold. Means that are whole passed counts stay integers and nothing is rounded; where
rounding could matter (the differences vary a million times less than the cells) the pair is tested the plain way.
"""

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from math import fsum, inf, sumprod
from typing import Final

from shared.errors import BadInput
from shared.statistics.cells import TaskSum
from shared.statistics.distributions import fair_two_sided, student_t, student_two_sided
from shared.statistics.paired import MIN_TASKS, compare, is_single_binary

FALSE_DISCOVERY_RATE: Final = 0.05
MAX_CELLS: Final = 4_000
_CANCELLED: Final = 1e-6

type Tasks = Mapping[str, TaskSum]


@dataclass(frozen=True, slots=True)
class Matrix:
    """The decisions about all pairs of `size` cells, by their positions."""

    size: int
    better: bytes
    """Row-major: byte `a * size + b` is 1 where cell a is significantly better than cell b."""
    tested: int
    untested: int
    """Pairs with too few shared tasks: never decided, and no part of the adjustment."""
    threshold: float
    """The p down to which a pair is decided; 0 where none is."""

    def is_better(self, first: int, second: int) -> bool:
        """True if cell `first` is significantly better than cell `second`."""
        return bool(self.better[first * self.size + second])

    def worse_than(self, cell: int) -> int:
        """Return how many cells are significantly worse than `cell`."""
        return self.better[cell * self.size : (cell + 1) * self.size].count(1)

    def better_than(self, cell: int) -> int:
        """Return how many cells are significantly better than `cell`."""
        return self.better[cell :: self.size].count(1)


def decide_pairs(cells: Sequence[Tasks]) -> Matrix:
    """Return the decisions about every pair of `cells`; raise RANKED_SET_TOO_LARGE above 4,000 cells."""
    size = len(cells)
    if size > MAX_CELLS:
        raise BadInput(
            "RANKED_SET_TOO_LARGE",
            f"{size:,} cells in one ranked set, at most {MAX_CELLS:,} are compared pair by pair",
            way_out="Filter for fewer cells.",
        )
    pairs = _Pairs(cells)
    threshold = pairs.threshold()
    better = bytearray(size * size)
    for family in pairs.families():
        for first, second in family.down_to(threshold):
            better[first * size + second] = 1
    return Matrix(size, bytes(better), pairs.tested, pairs.untested, threshold)


@dataclass(slots=True)
class _Family:
    """Pairs whose p falls as their strength rises, of those that might be decided at all."""

    p: Callable[[float], float]
    winners: array[int] = field(default_factory=lambda: array("H"))
    losers: array[int] = field(default_factory=lambda: array("H"))
    strengths: array[float] = field(default_factory=lambda: array("d"))
    ordered: list[float] = field(default_factory=list)

    def add(self, winner: int, loser: int, strength: float) -> None:
        self.winners.append(winner)
        self.losers.append(loser)
        self.strengths.append(strength)

    def reaching(self, limit: float) -> int:
        """Return the place in `ordered` from which p is at most `limit`."""
        return bisect_left(self.ordered, True, key=lambda strength: self.p(strength) <= limit)  # noqa: FBT003 - a key's value

    def down_to(self, limit: float) -> Iterator[tuple[int, int]]:
        """Yield winner and loser of every pair whose p is at most `limit`."""
        place = self.reaching(limit)
        least = self.ordered[place] if place < len(self.ordered) else inf
        for winner, loser, strength in zip(self.winners, self.losers, self.strengths, strict=True):
            if strength >= least:
                yield winner, loser


class _Pairs:
    """All pairs of the cells, each tested."""

    def __init__(self, cells: Sequence[Tasks]) -> None:
        self._cells = cells
        self._exact = _Family(lambda strength: -strength)
        self._student: dict[int, _Family] = {}
        self.untested = 0
        alike: dict[frozenset[str], list[int]] = {}
        for place, tasks in enumerate(cells):
            alike.setdefault(frozenset(tasks), []).append(place)
        groups = list(alike.items())
        for number, (names, places) in enumerate(groups):
            self._aligned(sorted(names), places)
            for _, others in groups[number + 1 :]:
                for first in places:
                    for second in others:
                        self._plain(first, second)
        self.tested = len(cells) * (len(cells) - 1) // 2 - self.untested

    def families(self) -> list[_Family]:
        return [self._exact, *self._student.values()]

    def threshold(self) -> float:
        """Step down from 5% until as many pairs reach the limit as it was made for."""
        for family in self.families():
            family.ordered = sorted(family.strengths)
        decided = self.tested
        while decided:
            limit = FALSE_DISCOVERY_RATE * decided / self.tested
            reached = sum(len(family.ordered) - family.reaching(limit) for family in self.families())
            if reached == decided:
                return limit
            decided = reached
        return 0.0

    def _aligned(self, names: list[str], places: list[int]) -> None:
        """Test all pairs of the cells at `places`, which have the same tasks."""
        if len(names) < MIN_TASKS:
            self.untested += len(places) * (len(places) - 1) // 2
            return
        rows = [[self._cells[place][name] for name in names] for place in places]
        single = [all(map(is_single_binary, row)) for row in rows]
        self._single_runs([(place, _bits(row)) for place, row, binary in zip(places, rows, single, strict=True) if binary])
        if not all(single):
            self._means(places, _centred(rows), single)

    def _single_runs(self, cells: list[tuple[int, int]]) -> None:
        for number, (first, solved) in enumerate(cells):
            for second, other in cells[number + 1 :]:
                both = solved & other
                won, lost = (solved ^ both).bit_count(), (other ^ both).bit_count()
                self._exactly(first, second, won - lost, fair_two_sided(won, lost))

    def _means(self, places: list[int], rows: list[list[float]], single: list[bool]) -> None:
        tasks = len(rows[0]) - 1
        family = self._student.setdefault(tasks, _Family(lambda strength: student_two_sided(strength**0.5, tasks - 1)))
        least = student_t(1 - FALSE_DISCOVERY_RATE / 2, tasks - 1) ** 2 * (1 - 1e-9)
        totals, vectors = [row[-1] for row in rows], [row[:-1] for row in rows]
        spreads = [sumprod(vector, vector) for vector in vectors]
        scale = tasks * (tasks - 1)
        for place, (first, vector, total, spread) in enumerate(zip(places, vectors, totals, spreads, strict=True)):
            is_single = single[place]
            after = zip(count(place + 1), vectors[place + 1 :], totals[place + 1 :], spreads[place + 1 :], strict=False)
            for other, other_vector, other_total, other_spread in after:
                if is_single and single[other]:
                    continue
                own = spread + other_spread
                within = own - 2 * sumprod(vector, other_vector)
                if within <= _CANCELLED * own:
                    self._plain(first, places[other])
                    continue
                ahead = total - other_total
                strength = ahead * ahead * scale / within
                if strength >= least:
                    second = places[other]
                    family.add(*((first, second) if ahead > 0 else (second, first)), strength)

    def _plain(self, first: int, second: int) -> None:
        found = compare(self._cells[first], self._cells[second])
        if found.p is None or found.difference is None:
            self.untested += 1
        else:
            self._exactly(first, second, found.difference, found.p)

    def _exactly(self, first: int, second: int, ahead: float, p: float) -> None:
        if p <= FALSE_DISCOVERY_RATE:
            self._exact.add(*((first, second) if ahead > 0 else (second, first)), -p)


def _bits(row: list[TaskSum]) -> int:
    return int("".join("1" if task.mean else "0" for task in row), 2)


def _centred(rows: list[list[TaskSum]]) -> list[list[float]]:
    """Return for every row its task means less their mean, all times the number of tasks, and behind them their sum."""
    trials = {task.trials for row in rows for task in row}
    if len(trials) == 1 and all(task.mean == task.passed / task.trials for row in rows for task in row):
        return [_about_mean(row, sum(row)) for row in ([task.passed for task in row] for row in rows)]
    return [_about_mean(row, fsum(row)) for row in ([task.mean for task in row] for row in rows)]


def _about_mean(row: Sequence[float], total: float) -> list[float]:
    return [*(len(row) * each - total for each in row), total]
