"""Two to four cells, pair by pair: difference, interval, raw p, the decision that also ranks, and what would separate them.

Cells of different editions, or of hosts with different software, are never subtracted: such a pair says why. `verdict` is the
one of the matrix over the whole ranked set; a pair that is not ranked together has a difference and no verdict.
"""

from typing import Final

from shared.errors import Refused
from shared.statistics.cells import Cell
from shared.statistics.paired import compare
from shared.statistics.ranked_sets import set_key
from shared.statistics.repeats import separate
from space.listings.listing import Field, Listing
from space.queries.choosing import compare as query
from space.queries.statement import Statement
from space.queries.view import MAX_CELLS, View
from space.readers.editions import unknown
from space.readers.engine import Row
from space.readers.mirror import Mirror
from space.readers.ranks import EditionRanks, edition_ranks

TESTED: Final = ("difference", "difference_low", "difference_high", "p", "method", "tasks", "won", "lost", "tied")
PLANNED: Final = ("separation", "repeats_needed", "tasks_needed", "separation_cost_usd_micros")


def chosen_cells(view: View, mirror: Mirror) -> list[Row]:
    """Return the cells that `view` names, highest score first; Refused `view.not_published` names the first unknown one.

    They may be fewer than two, or more than a comparison holds.
    """
    wanted = view.texts("cells")
    rows = mirror.asked(query.cells(wanted)) if wanted else []
    lost = sorted(set(wanted) - {row["cell_id"] for row in rows})
    if lost:
        raise unknown("cell", lost[0])
    return rows


def _ask(view: View, mirror: Mirror) -> Statement:
    named = len(chosen_cells(view, mirror))
    if named < 2:
        raise Refused(
            "compare.too_few", "a comparison needs two to four cells", field="cells", way_out="Name them as cells=ID,ID."
        )
    if named > MAX_CELLS:
        raise Refused(
            "compare.too_many",
            f"a comparison holds at most four cells, {named} are named",
            field="cells",
            way_out="Leave some out, or ask for the list `cells`.",
        )
    return query.pairs(view.texts("cells"))


def _derive(_view: View, mirror: Mirror, rows: list[Row]) -> list[Row]:
    return [{**row, **_tested(mirror, row)} for row in rows]


def _tested(mirror: Mirror, row: Row) -> Row:
    nothing = dict.fromkeys((*TESTED, *PLANNED))
    ranks = edition_ranks(mirror, row["first_benchmark"], row["first_edition"])
    first, second = (ranks.cells.get(row[f"{side}_cell_id"]) for side in ("first", "second"))
    why = _why_not(row, first, second)
    if why or first is None or second is None:
        return {**nothing, "verdict": None, "why_not": why}
    test, plan = compare(first.tasks, second.tasks), separate(first, second)
    return {
        "difference": test.difference,
        "difference_low": test.low,
        "difference_high": test.high,
        **{name: getattr(test, name) for name in ("p", "method", "tasks", "won", "lost", "tied")},
        "verdict": _verdict(ranks, row),
        "why_not": None,
        "separation": plan.answer,
        "repeats_needed": plan.repeats,
        "tasks_needed": plan.tasks,
        "separation_cost_usd_micros": plan.cost_usd_micros,
    }


def _why_not(row: Row, first: Cell | None, second: Cell | None) -> str | None:
    if not row["is_same_edition"]:
        return "another_edition"
    if first is None or second is None:
        return "no_score"
    sets = {set_key(row["first_edition"], row["sandbox"], row[f"{side}_host"]) for side in ("first", "second")}
    return "another_host" if len(sets) > 1 else None


def _verdict(ranks: EditionRanks, row: Row) -> str | None:
    first, second = row["first_cell_id"], row["second_cell_id"]
    decisions = ranks.decisions(first)
    if decisions is None or decisions is not ranks.decisions(second):
        return None
    if decisions.is_better(first, second):
        return "first_better"
    return "second_better" if decisions.is_better(second, first) else "not_told_apart"


LISTING: Final = Listing(
    name="compare",
    title="Comparison",
    parameters=frozenset({"cells"}),
    fields=(
        Field("first_cell_id", meaning="the one with the higher score"),
        Field("second_cell_id"),
        Field("first_score", "float"),
        Field("second_score", "float"),
        Field("why_not", meaning="another_edition, another_host or no_score: then nothing is subtracted", is_derived=True),
        Field("edition_differs_in", "texts"),
        Field("configuration_differs_in", "texts"),
        Field("difference", "float", "mean task difference, first minus second", is_derived=True),
        Field("difference_low", "float", "95% paired interval", is_derived=True),
        Field("difference_high", "float", is_derived=True),
        Field("p", "float", "two-sided, raw: a single look at this pair", is_derived=True),
        Field("method", is_derived=True),
        Field("verdict", meaning="first_better, second_better, not_told_apart; none if not ranked together", is_derived=True),
        Field("tasks", "int", "shared tasks", is_derived=True),
        Field("won", "int", "tasks on which the first is better", is_derived=True),
        Field("lost", "int", is_derived=True),
        Field("tied", "int", is_derived=True),
        Field("first_cost_per_pass_usd_micros", "micros"),
        Field("second_cost_per_pass_usd_micros", "micros"),
        Field("separation", meaning="repeats, more_tasks, no_difference or not_available", is_derived=True),
        Field("repeats_needed", "int", "repeats of each task that would separate them: a plan, no promise", is_derived=True),
        Field("tasks_needed", "int", "tasks that would do at the present repeats", is_derived=True),
        Field("separation_cost_usd_micros", "micros", "of running both anew with those repeats", is_derived=True),
    ),
    ask=_ask,
    derive=_derive,
)
