"""The leaderboard: the cells of one edition, those that may be ranked first, each with its rank range."""

from typing import Final

from space.listings.cells import FIELDS, FILTERS, with_ranks
from space.listings.listing import Listing
from space.queries import leaderboard as query
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.editions import choose_edition
from space.readers.mirror import Mirror


def _ask(view: View, mirror: Mirror) -> Statement:
    chosen = choose_edition(view, mirror)
    return query.rows(view, chosen.benchmark, chosen.edition)


LISTING: Final = Listing(
    name="leaderboard",
    title="Leaderboard",
    parameters=frozenset({"benchmark", "edition", "sort", "dir", *FILTERS}),
    fields=FIELDS,
    ask=_ask,
    derive=with_ranks,
    row_key="cell_id",
)
