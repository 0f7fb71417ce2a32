"""Cost against score in one edition: every cell, cheapest first, as frontier, hollow or dominated, or why it is none of these."""

from typing import Final

from shared.statistics.pareto import Frontier, frontier_of
from shared.statistics.ranked_sets import REFERENCE_AGENTS
from space.listings.cells import with_ranks
from space.listings.listing import Field, Listing
from space.queries import leaderboard as query
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.editions import choose_edition
from space.readers.engine import Row
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks


def frontier(mirror: Mirror, benchmark: str, edition: str) -> Frontier | None:
    """Return the frontier of an edition's largest ranked set without the reference agents, None where nothing is ranked."""
    decisions = edition_ranks(mirror, benchmark, edition).main()
    if decisions is None:
        return None
    named = mirror.rows(query.names(benchmark, edition))
    return frontier_of(decisions, {row["cell_id"] for row in named if row["agent_name"] in REFERENCE_AGENTS})


def _ask(view: View, mirror: Mirror) -> Statement:
    chosen = choose_edition(view, mirror)
    return query.rows(view.with_values(sort="cost", dir="asc"), chosen.benchmark, chosen.edition)


def _derive(view: View, mirror: Mirror, rows: list[Row]) -> list[Row]:
    chosen = choose_edition(view, mirror)
    found = frontier(mirror, chosen.benchmark, chosen.edition)
    places = {} if found is None else {cell.cell_id: name for name in Frontier._fields for cell in getattr(found, name)}
    return [{**row, "place": places.get(row["cell_id"]) or _without_place(row)} for row in with_ranks(view, mirror, rows)]


def _without_place(row: Row) -> str:
    if row["agent_name"] in REFERENCE_AGENTS:
        return "reference"
    return "another_set" if row["is_ranked"] else "unranked"


LISTING: Final = Listing(
    name="cost",
    title="Cost",
    parameters=frozenset({"benchmark", "edition", "models", "agents", "deployments", "providers", "hardware", "max_cost"}),
    fields=(
        Field("benchmark"),
        Field("edition"),
        Field("cell_id"),
        Field("model_repo"),
        Field("agent_name"),
        Field("place", meaning="frontier, hollow, dominated, without_cost; or unranked, reference, another_set", is_derived=True),
        Field("score", "float"),
        Field("rank_low", "int", is_derived=True),
        Field("rank_high", "int", is_derived=True),
        Field("cost_per_trial_usd_micros", "micros", "all attempts, retries included, over the planned trials"),
        Field("cost_per_pass_usd_micros", "micros", "all attempts, over the passed trials; none where nothing passed"),
        Field("cost_usd_micros", "micros"),
        Field("cost_observation"),
        Field("passed_trials", "int"),
        Field("planned_trials", "int"),
        Field("duration_seconds", "seconds", "all attempts together"),
        Field("trial_seconds_median", "seconds"),
        Field("deployment_kind"),
        Field("hardware"),
        Field("provider"),
    ),
    ask=_ask,
    derive=_derive,
)
