"""What to take of an edition, for programs: the cells that may be as good as the best, of these the cheapest and the fastest."""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.statistics.cells import Cell
from shared.statistics.choice import choose
from space.components.choosing.choice import left_out
from space.exports.answers import about
from space.listings.cells import FILTERS
from space.queries import leaderboard as query
from space.queries.view import View, address
from space.readers.editions import Chosen, choose_edition
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks


def matching(view: View, chosen: Chosen, mirror: Mirror) -> frozenset[str] | None:
    """Return the ranked cells of an edition that the filters of `view` leave; None where no filter is set."""
    if not FILTERS & view.values.keys():
        return None
    rows = mirror.asked(query.matching(view, chosen.benchmark, chosen.edition))
    return frozenset(row["cell_id"] for row in rows)


def choice_answer(view: View, mirror: Mirror) -> Mapping[str, Any]:
    """Return the choice of the edition that `view` means, among what its filters leave; `best` is None where nothing is."""
    chosen = choose_edition(view, mirror)
    named = {row["cell_id"]: row for row in mirror.rows(query.names(chosen.benchmark, chosen.edition))}
    decisions = edition_ranks(mirror, chosen.benchmark, chosen.edition).main()
    choice = choose(decisions, left_out(named, matching(view, chosen, mirror))) if decisions else None

    def who(cells: Sequence[Cell | None]) -> list[Any]:
        return [None if cell is None else _row(cell, named[cell.cell_id]) for cell in cells]

    best, cheapest, fastest = who([choice.best, choice.cheapest, choice.fastest]) if choice else (None, None, None)
    return {
        **about(address(view), mirror),
        "benchmark": chosen.benchmark,
        "edition": chosen.edition,
        "best": best,
        "cheapest": cheapest,
        "fastest": fastest,
        "not_told_apart_from_the_best": who(choice.among[:200]) if choice else [],
        "without_cost": who(choice.without_cost[:200]) if choice else [],
        "without_duration": who(choice.without_seconds[:200]) if choice else [],
    }


def _row(cell: Cell, row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {
        "cell_id": cell.cell_id,
        "model_repo": row["model_repo"],
        "agent_name": row["agent_name"],
        "deployment_id": row["deployment_id"],
        "score": cell.score,
        "cost_per_trial_usd_micros": None if cell.cost_usd_micros is None else round(cell.cost_usd_micros),
        "trial_seconds_median": cell.seconds,
    }
