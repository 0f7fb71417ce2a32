"""How trials and attempts ended, counted by outcome, category, reason, phase, agent, model, deployment and reason of a retry.

Of an edition's standing cells, or of one run or cell. Shares have their whole beside them, so "none" says of how many.
"""

from typing import Final

from space.listings.listing import Field, Listing
from space.queries.statement import Statement
from space.queries.trials import failures as query
from space.queries.trials import trials as trials_query
from space.queries.view import View
from space.readers.editions import choose_edition, unknown
from space.readers.mirror import Mirror


def _ask(view: View, mirror: Mirror) -> Statement:
    cell_id, run_id = view.text("cell_id"), view.text("run_id")
    if cell_id or run_id:
        if mirror.one(trials_query.publication_of(cell_id=cell_id, run_id=run_id)) is None:
            raise unknown("cell_id", cell_id) if cell_id else unknown("run_id", run_id)
        return query.failures("", "", run_id=run_id, cell_id=cell_id)
    chosen = choose_edition(view, mirror)
    return query.failures(chosen.benchmark, chosen.edition)


LISTING: Final = Listing(
    name="failures",
    title="Failures",
    parameters=frozenset({"benchmark", "edition", "run_id", "cell_id"}),
    fields=(
        Field("grouping", meaning="outcome counts planned trials, every other grouping attempts"),
        Field(
            "value", meaning="the group: an outcome (scored trials apart as passed, not_passed), a category, an agent and so on"
        ),
        Field("ended", meaning="an outcome, or for attempts succeeded or the category of the failure"),
        Field("count", "int"),
        Field("whole", "int", "of how many: planned trials, attempts, or the group's attempts"),
    ),
    ask=_ask,
)
