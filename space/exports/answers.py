"""A list as one JSON answer: the mirror and revisions it comes from, the view, its total and a page of rows.

The API and the tools give this same answer; its rows are those of the page and of every exported file.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from shared.exports.table_text import plain_value
from shared.tables.schema import Column
from space.exports.columns import objects_of
from space.listings.listing import Listing, read
from space.queries import later as query
from space.queries.view import View, address
from space.readers.mirror import Mirror

type Answer = dict[str, Any]


def list_answer(listing: Listing, view: View, mirror: Mirror, *, shown: str = "", ignored: Sequence[str] = ()) -> Answer:
    """Return the page of `listing` that `view` asks for; `shown` is its address where that is another one."""
    listed = read(listing, view, mirror)
    return {
        **about(shown or address(view), mirror, ignored),
        "total": listed.total,
        "page": listed.page,
        "pages": listed.pages,
        "rows": objects_of(listed),
    }


def about(shown: str, mirror: Mirror, ignored: Sequence[str] = ()) -> Answer:
    """Return what every answer begins with."""
    return {
        "mirror": mirror.identity,
        "revisions": revisions_answer(mirror),
        "view": shown,
        "ignored": list(ignored),
    }


def revisions_answer(mirror: Mirror) -> Mapping[str, Any]:
    """Return which revision of every dataset `mirror` shows."""
    heads = [*([mirror.revisions.catalog] if mirror.revisions.catalog else []), *mirror.revisions.datasets.values()]
    return {
        head.dataset: {
            "revision": head.revision.number,
            "sha256": str(head.digest),
            **({"commit": head.commit} if head.commit else {}),
        }
        for head in heads
    }


def later_records(earlier: Mirror, newest: Mirror) -> list[Answer]:
    """Return what the catalog said later of the cells that `earlier` shows: withdrawn, superseded, restored; newest first."""
    last = earlier.one(query.last_sequence())
    if earlier.identity == newest.identity or last is None:
        return []
    cells = [row["cell_id"] for row in earlier.rows(query.cell_ids())]
    rows = newest.rows(query.later(int(last["last"] or 0), cells))
    when = Column("recorded_at", "time")
    return [{**row, "recorded_at": plain_value(when, row["recorded_at"])} for row in rows]
