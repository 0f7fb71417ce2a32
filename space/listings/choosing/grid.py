"""The grid: every model with every agent of one edition; a square lists all its cells, never the best alone, or is empty."""

from typing import Final

from space.listings.cells import with_ranks
from space.listings.listing import Field, Listing
from space.queries.choosing import grid as query
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.editions import choose_edition
from space.readers.mirror import Mirror


def _ask(view: View, mirror: Mirror) -> Statement:
    chosen = choose_edition(view, mirror)
    return query.squares(view, chosen.benchmark, chosen.edition)


LISTING: Final = Listing(
    name="grid",
    title="Grid",
    parameters=frozenset({"benchmark", "edition", "models", "agents", "reruns", "roles"}),
    fields=(
        Field("benchmark"),
        Field("edition"),
        Field("model_repo"),
        Field("agent_name"),
        Field("square", meaning="run, not_run, or not_applicable where the agent asks no model"),
        Field("cell_id"),
        Field("deployment_id"),
        Field("deployment_kind"),
        Field("hardware"),
        Field("provider"),
        Field("score", "float"),
        Field("score_low", "float"),
        Field("score_high", "float"),
        Field("bound_low", "float"),
        Field("bound_high", "float"),
        Field("rank_low", "int", is_derived=True),
        Field("rank_high", "int", is_derived=True),
        Field("kind"),
        Field("quality"),
        Field("record"),
        Field("unranked_reason"),
    ),
    ask=_ask,
    derive=with_ranks,
)
