"""A listing: one list of published rows, the same for a page, the API, an export and a tool.

All four call `read`, so rows and order are equal. A listing is a module of this folder, or of one in it, with a `LISTING`. `ask`
makes one statement that returns the whole list in the view's order (its last clause is ORDER BY, with a unique last key);
`derive` adds what SQL does not say, from shared/statistics alone. A name that is not published raises Refused
`view.not_published`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, NamedTuple

from shared.errors import Refused
from space import listings
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.engine import Row
from space.readers.mirror import Mirror

MAX_ROWS: Final = 50_000
FEW: Final = 50
"""So many rows are read before anybody counts how many there are."""

type Kind = Literal["text", "int", "float", "bool", "time", "micros", "seconds", "texts"]


@dataclass(frozen=True, slots=True)
class Field:
    """One column: its published name and what it means; `is_derived` ones come from shared/statistics, not from SQL.

    `meaning` and `empty`, what an empty field says, stand in the dictionary (meanings.py) where the list has nothing narrower.
    """

    name: str
    kind: Kind = "text"
    meaning: str = ""
    is_derived: bool = False
    empty: str = ""


def _as_asked(_view: View, _mirror: Mirror, rows: list[Row]) -> list[Row]:
    return rows


@dataclass(frozen=True, slots=True)
class Listing:
    """One list: `name` is its path in the API and its file name, `parameters` the query keys it reads besides paging."""

    name: str
    title: str
    parameters: frozenset[str]
    fields: tuple[Field, ...]
    ask: Callable[[View, Mirror], Statement]
    derive: Callable[[View, Mirror, list[Row]], list[Row]] = _as_asked
    row_key: str = ""
    """The column that names a row wholly, where such a row is the same in every view: then rows are kept between pages."""


class Listed(NamedTuple):
    """One page of a listing. `rows` may hold more than the listing's fields; `published` leaves those alone."""

    listing: Listing
    rows: list[Row]
    total: int
    page: int
    pages: int
    statement: Statement
    """The whole list, without the limit of the page."""

    @property
    def published(self) -> list[Row]:
        """The rows with the listing's fields alone, in their order."""
        names = [field.name for field in self.listing.fields]
        return [{name: row[name] for name in names} for row in self.rows]


def read(listing: Listing, view: View, mirror: Mirror, *, per_page: int | None = None) -> Listed:
    """Return the page of `listing` that `view` asks for; `per_page` in the place of the view's own."""
    statement = listing.ask(view, mirror)
    size, wanted = per_page or view.number("per_page"), view.number("page")
    if wanted == 1:
        rows = _rows(listing, view, mirror, statement, (size, 0))
        if len(rows) < size:  # They are all there is, and nobody needs to count.
            return Listed(listing, rows, len(rows), 1, 1, statement)
    total = count(statement, mirror)
    pages = max(1, -(-total // size))
    page = min(wanted, pages)
    if wanted > 1:
        rows = _rows(listing, view, mirror, statement, (size, (page - 1) * size))
    return Listed(listing, rows, total, page, pages, statement)


def read_whole(listing: Listing, view: View, mirror: Mirror, limit: int = MAX_ROWS) -> Listed:
    """Return every row of `listing`; Refused `export.too_large` beyond `limit`."""
    few = read(listing, view.with_values(page=1), mirror, per_page=FEW)
    statement, total = few.statement, few.total
    if few.pages == 1 and total <= limit:
        return few
    if total > limit:
        raise Refused(
            "export.too_large",
            f"the list has {total:,} rows, an answer at most {limit:,}",
            way_out=f"Filter it, or read the tables of {_datasets(mirror)}.",
        )
    others = _rows(listing, view, mirror, statement, (total - len(few.rows), len(few.rows)))
    return Listed(listing, [*few.rows, *others], total, 1, 1, statement)


def _rows(listing: Listing, view: View, mirror: Mirror, statement: Statement, part: tuple[int, int]) -> list[Row]:
    """Return the derived rows of `part` (limit, offset) of `statement`."""
    limited = Statement(f"{statement.sql} LIMIT ? OFFSET ?", (*statement.values, *part))
    if not listing.row_key:
        return listing.derive(view, mirror, mirror.rows(limited))
    key = listing.row_key

    def load(keys: list[str]) -> dict[str, Row]:
        wanted = f"SELECT * FROM ({statement.sql}) WHERE list_contains(?::VARCHAR[], {key})"  # noqa: S608 - a listing's own
        found = listing.derive(view, mirror, mirror.rows(Statement(wanted, (*statement.values, keys))))
        return {row[key]: row for row in found}

    named = Statement(f"SELECT {key} FROM ({limited.sql})", limited.values)  # noqa: S608 - a listing's own
    return mirror.kept(listing.name, [row[key] for row in mirror.rows(named)], load)


def _datasets(mirror: Mirror) -> str:
    heads = sorted(mirror.revisions.datasets.items())
    return ", ".join(f"{name}@{head.commit or head.revision.number}" for name, head in heads)


def count(statement: Statement, mirror: Mirror) -> int:
    """Return how many rows `statement` has."""
    found = mirror.asked(Statement(f"SELECT count(*) AS total FROM ({statement.sql})", statement.values))  # noqa: S608 - ours
    return int(found[0]["total"])


@cache
def discover() -> Mapping[str, Listing]:
    """Return every listing by its name."""
    names = sorted(module.name for module in pkgutil.walk_packages(listings.__path__, "space.listings."))
    modules: Sequence[object] = [importlib.import_module(name) for name in names]
    found = [module.LISTING for module in modules if hasattr(module, "LISTING")]
    return {listing.name: listing for listing in sorted(found, key=lambda listing: listing.name)}
