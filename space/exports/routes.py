"""What an address asks for: the lists, single things and facts of the API, and the list behind a page, each as a plan.

    /api/v1/NAME                   a page of a list          /api/v1/NAME?format=FORM       the whole list as a file
    /api/v1/cells/ID, cells/ID/history, runs/ID, attempts/ID, provenance/ID                 one thing
    /api/v1/mirror, revisions                                what is shown
    /PAGE?format=FORM                                        the list of a page as a file

A plan is made before any mirror is asked, so that a bad question costs nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final, Protocol

from shared.errors import BadInput, Refused
from space.components.html import Markup
from space.exports.answers import about, list_answer
from space.exports.asked import PAGING, Asked, read_asked
from space.exports.behind import lists_behind
from space.exports.eval_file import EVAL_RESULTS, eval_file
from space.exports.formats import FORMS, Exported, export
from space.exports.provenance import provenance_answer
from space.exports.texts.citation import citation
from space.exports.texts.plain import plain_text
from space.listings.listing import Listing, discover
from space.queries.view import KEYS, View, address
from space.readers.editions import unknown
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh

ROOT: Final = "/api/v1/"
ITEMS: Final[Mapping[tuple[str, str], tuple[str, str]]] = {
    ("cells", ""): ("cells", "cell_id"),
    ("cells", "history"): ("history", "cell_id"),
    ("runs", ""): ("runs", "run_id"),
    ("attempts", ""): ("attempts", "attempt_id"),
}
"""(first, last part of the path) -> (list, key of the id between them)."""
FACTS: Final = ("mirror", "revisions")
TEXT_PAGES: Final = frozenset({"about"})
"""Pages that are text, not a list: they have a Markdown form alone."""

type Made = Exported | Mapping[str, Any]
type Make = Callable[[Mirror, Refresh, str], Made]


class Shown(Protocol):
    """What is needed of a page."""

    @property
    def slug(self) -> str:
        """Its path without the slash."""

    @property
    def parameters(self) -> frozenset[str]:
        """The keys that it reads."""

    @property
    def show(self) -> Callable[[View, Mirror], Markup]:
        """Its content."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to make of a mirror, of what is known of its source, and of the address of this Space."""

    asked: Asked
    make: Make
    is_heavy: bool = False
    is_lasting: bool = True
    """The answer depends on mirror and address alone."""


def plan_for_api(path: str, query: bytes) -> Plan:
    """Return the plan for an address of the API; raise Refused `route.unknown`, or BadInput for a bad query."""
    parts = path.removeprefix(ROOT).rstrip("/").split("/") if path.startswith(ROOT) else [""]
    name, ident, below = (*parts, "", "")[:3]
    if len(parts) == 1 and name in discover():
        return _plan_list(discover()[name], query)
    if len(parts) == 1 and name in FACTS:
        return _plan_fact(name, query)
    if len(parts) == 2 and name == "provenance":
        return _plan_provenance(ident, query)
    if len(parts) in {2, 3} and (name, below) in ITEMS:
        return _plan_one(path, *ITEMS[name, below], ident, query)
    raise Refused("route.unknown", "there is no such list", field=name[:60], way_out="/openapi.json names every one.")


def plan_for_page(page: Shown, query: bytes) -> Plan:
    """Return the plan for a page's list as a file."""
    asked = read_asked(page.slug, query, page.parameters)
    if asked.format == EVAL_RESULTS and page.slug == "cell":
        return Plan(asked, _eval_maker(asked.view.text("cell_id")))
    _check_form(asked.format)
    found = lists_behind(asked.view)
    if found:
        return Plan(asked, _file_maker(found[0], asked.view, asked.format), is_heavy=True)
    if page.slug in TEXT_PAGES and asked.format == "md":
        return Plan(asked, lambda mirror, _refresh, _space: plain_text(page.show(asked.view, mirror)))
    raise Refused("export.no_list", "no list stands behind this page", field="format", way_out="/openapi.json names every list.")


def addresses() -> list[str]:
    """Return the form of every address that is no list."""
    items = [f"{ROOT}{first}/ID{f'/{last}' if last else ''}" for first, last in ITEMS]
    return [*items, f"{ROOT}provenance/CELL_ID", *(f"{ROOT}{name}" for name in FACTS)]


def _plan_list(listing: Listing, query: bytes) -> Plan:
    asked = read_asked(f"api/v1/{listing.name}", query, listing.parameters | PAGING)
    if asked.format:
        _check_form(asked.format)
        return Plan(asked, _file_maker(listing, asked.view, asked.format), is_heavy=True)
    return Plan(asked, lambda mirror, _refresh, _space: list_answer(listing, asked.view, mirror, ignored=asked.ignored))


def _plan_one(path: str, name: str, key: str, ident: str, query: bytes) -> Plan:
    listing = discover()[name]
    value = _ident(key, ident)
    asked = read_asked(path.strip("/"), query, PAGING if name == "history" else ())
    view = asked.view.with_values(**{key: value})
    if asked.format == EVAL_RESULTS and name == "cells":
        return Plan(asked, _eval_maker(value))
    if asked.format:
        _check_form(asked.format)
        return Plan(asked, _file_maker(listing, view, asked.format), is_heavy=True)

    def make(mirror: Mirror, _refresh: Refresh, _space: str) -> Made:
        found = list_answer(listing, view, mirror, shown=address(asked.view), ignored=asked.ignored)
        if not found["total"]:
            raise unknown(key, value)
        return found

    return Plan(asked, make)


def _plan_provenance(ident: str, query: bytes) -> Plan:
    value = _ident("cell_id", ident)
    asked = read_asked(f"api/v1/provenance/{value}", query, ())
    _only_json(asked)
    return Plan(asked, lambda mirror, _refresh, _space: _one(asked, mirror, provenance_answer(value, mirror)))


def _plan_fact(name: str, query: bytes) -> Plan:
    asked = read_asked(f"api/v1/{name}", query, ())
    _only_json(asked)
    return Plan(asked, partial(_FACTS[name], asked), is_lasting=False)


def _mirror_fact(asked: Asked, mirror: Mirror, refresh: Refresh, _space: str) -> Made:
    return _one(asked, mirror, {**asdict(refresh.standing), "citation": citation(mirror)})


def _revisions_fact(asked: Asked, mirror: Mirror, refresh: Refresh, _space: str) -> Made:
    rows = [asdict(each) for each in refresh.revisions.listed]
    return {**about(address(asked.view), mirror, asked.ignored), "total": len(rows), "page": 1, "pages": 1, "rows": rows}


def _one(asked: Asked, mirror: Mirror, row: Mapping[str, Any]) -> Made:
    return {**about(address(asked.view), mirror, asked.ignored), "total": 1, "page": 1, "pages": 1, "rows": [row]}


def _file_maker(listing: Listing, view: View, form: str) -> Make:
    return lambda mirror, _refresh, _space: export(listing, view, mirror, form)


def _eval_maker(cell_id: str) -> Make:
    def make(mirror: Mirror, _refresh: Refresh, space: str) -> Made:
        found = eval_file(cell_id, mirror, space)
        return Exported(found.data, "application/yaml", found.path.rpartition("/")[2])

    return make


def _ident(key: str, text: str) -> str:
    value = KEYS[key].read(text) if len(text) <= 200 else None
    if not isinstance(value, str):
        raise unknown(key, text[:80])
    return value


def _check_form(form: str) -> None:
    if form not in FORMS:
        raise BadInput("export.format", f"expected one of {', '.join(FORMS)}, got {form[:40]!r}", field="format")


def _only_json(asked: Asked) -> None:
    if asked.format not in {"", "json"}:
        raise BadInput("export.format", "this is JSON alone", field="format")


_FACTS: Final[Mapping[str, Callable[[Asked, Mirror, Refresh, str], Made]]] = {
    "mirror": _mirror_fact,
    "revisions": _revisions_fact,
}
