"""The decisions of every edition, made once for a mirror: who is ranked with whom, and what the tests allow to say.

Filters, order and page size are no part of it, so a rank does not move with the view.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared.statistics.cells import Cell, TaskSum
from shared.statistics.matrix import Matrix
from shared.statistics.ranked_sets import REFERENCE_AGENTS, Candidate, SetKey, ranked_sets
from shared.statistics.ranks import Decisions, decide
from space.queries import leaderboard
from space.queries import ranks as query
from space.readers.engine import BUILD_SECONDS, Engine
from space.readers.mirror import Mirror

LARGE_CELLS: Final = 100


@dataclass(frozen=True, slots=True)
class EditionRanks:
    """The ranked sets of one edition; more than one where cells ran on hosts with different software."""

    sets: Mapping[SetKey, Decisions]
    set_of: Mapping[str, SetKey]
    """Cell id -> its ranked set; a cell without a rank is not in it."""
    cells: Mapping[str, Cell]
    """Every standing cell of the edition, ranked or not."""

    def decisions(self, cell_id: str) -> Decisions | None:
        """Return the decisions of the set that a cell is ranked in, None for a cell without a rank."""
        key = self.set_of.get(cell_id)
        return None if key is None else self.sets[key]

    def main(self) -> Decisions | None:
        """Return the decisions of the largest ranked set, None where no cell is ranked."""
        return max(self.sets.values(), key=lambda decisions: len(decisions.cells), default=None)


def edition_ranks(mirror: Mirror, benchmark: str, edition: str) -> EditionRanks:
    """Return the ranks of one edition of `mirror`; made at its first use, those of large editions before it is served."""
    return mirror.decided(f"ranks of {benchmark} {edition}", lambda: _decide(mirror, benchmark, edition))


def decide_large_editions(mirror: Mirror) -> None:
    """Make the ranks of every edition whose first visitor would wait for them."""
    for row in mirror.rows(query.editions(LARGE_CELLS), BUILD_SECONDS):
        edition_ranks(mirror, row["benchmark"], row["edition"])


def store_large_editions(mirror: Mirror, engine: Engine) -> None:
    """Decide every large edition of a mirror that is being built, and keep the matrices in its table `ranked_matrix`."""
    engine.build(_TABLE)
    for row in mirror.rows(query.editions(LARGE_CELLS), BUILD_SECONDS):
        for decisions in edition_ranks(mirror, row["benchmark"], row["edition"]).sets.values():
            found = decisions.matrix
            values = (found.better, found.tested, found.untested, found.threshold)
            engine.build(
                "INSERT INTO ranked_matrix VALUES (?, ?, ?, ?, ?, ?, ?)", (*row.values(), list(decisions.positions), *values)
            )


def _decide(mirror: Mirror, benchmark: str, edition: str) -> EditionRanks:
    tasks: dict[str, dict[str, TaskSum]] = defaultdict(dict)
    same: dict[object, Any] = {}  # Most tasks of most cells came to one of a few sums: equal ones are one object.
    for cell_id, task, *numbers in mirror.each(query.tasks(benchmark, edition), BUILD_SECONDS):
        found = TaskSum(*numbers)
        tasks[cell_id][same.setdefault(task, task)] = same.setdefault(found, found)
    candidates = [_candidate(row, tasks[row["cell_id"]]) for row in mirror.rows(query.cells(benchmark, edition))]
    named = mirror.rows(leaderboard.names(benchmark, edition))
    references = {row["cell_id"] for row in named if row["agent_name"] in REFERENCE_AGENTS}
    known = _stored(mirror, benchmark, edition)
    sets = {key: decide(cells, references, known) for key, cells in ranked_sets(candidates).items()}
    set_of = {cell.cell_id: key for key, decisions in sets.items() for cell in decisions.cells}
    return EditionRanks(sets, set_of, {each.cell.cell_id: each.cell for each in candidates if each.stands})


def _stored(mirror: Mirror, benchmark: str, edition: str) -> dict[tuple[str, ...], Matrix]:
    rows = mirror.rows(query.matrices(benchmark, edition), BUILD_SECONDS)
    return {tuple(row.pop("cells")): Matrix(**row) for row in rows}


def _candidate(row: Mapping[str, Any], tasks: Mapping[str, TaskSum]) -> Candidate:
    return Candidate(
        cell=Cell(row["cell_id"], row["score"], tasks, row["cost"], row["seconds"]),
        **{name: row[name] for name in Candidate._fields if name != "cell"},
    )


_TABLE: Final = """
CREATE TABLE ranked_matrix (
  benchmark VARCHAR, edition VARCHAR, cells VARCHAR[], better BLOB, tested BIGINT, untested BIGINT, threshold DOUBLE
)
"""
