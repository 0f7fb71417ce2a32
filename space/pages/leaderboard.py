"""`/`: the cells of one benchmark and edition in one table, best score first; below it, what is not ranked, with the reason."""

from collections.abc import Mapping
from typing import Any, Final

from shared.plural import counted
from space.components.choosing.choice import choice_strip
from space.components.choosing.picking import compare_form
from space.components.figures import count
from space.components.filters import empty, filters
from space.components.html import Markup, join, tag
from space.components.leaderboard import edition_line, ranked_table, strip, unranked_table
from space.components.paging import paging
from space.components.shell import head, panel
from space.components.subject import plain_model
from space.exports.choosing import matching
from space.listings.cells import FILTERS
from space.listings.leaderboard import LISTING
from space.listings.listing import count as count_rows
from space.listings.listing import read
from space.pages.page import Page
from space.queries import leaderboard as query
from space.queries.view import KEYS, Value, View, address
from space.readers.editions import Chosen, benchmarks, choose_edition
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks

_PURPOSE: Final = (
    "How well agents and models solve a benchmark's tasks. "
    "One line, a cell, is one agent with one model on all tasks of a benchmark. "
)
_EVIDENCE: Final = "Every score traces to sealed, checksummed evidence."
_NO_EVIDENCE: Final = "These lines are a made-up sample: nothing was measured, and no evidence stands behind them."
_KEPT: Final = ("benchmark", "edition", "sort", "dir", "per_page")
_TITLES: Final = {
    "models": "Models",
    "agents": "Agents",
    "deployments": "Deployments",
    "providers": "Providers",
    "hardware": "Hardware",
    "quality": "Quality",
    "kind": "Kind",
}
_FILTERS: Final[Mapping[str, Value]] = {key: KEYS[key].default for key in sorted(FILTERS)}


def show(view: View, mirror: Mirror) -> Markup:
    """Return the leaderboard that `view` asks for."""
    if not benchmarks(mirror):
        return join(head("Leaderboard", _PURPOSE + _EVIDENCE), _nothing_yet())
    chosen = choose_edition(view, mirror)
    ranks = edition_ranks(mirror, chosen.benchmark, chosen.edition)
    return join(
        head("Leaderboard", _PURPOSE + (_NO_EVIDENCE if chosen.row["is_sample"] else _EVIDENCE)),
        strip(chosen.benchmarks, chosen.benchmark),
        edition_line(chosen.benchmark, chosen.row, chosen.editions),
        choice_strip(ranks.main(), _named(mirror, chosen), matching(view, chosen, mirror), view.text("max_cost")),
        _filters(view, mirror, chosen.row),
        _lists(view, mirror, len(ranks.sets)),
    )


def _named(mirror: Mirror, chosen: Chosen) -> Mapping[str, Mapping[str, Any]]:
    rows = query.names(chosen.benchmark, chosen.edition)
    return mirror.remembered(f"named {rows}", lambda: {row["cell_id"]: row for row in mirror.rows(rows)})


def _lists(view: View, mirror: Mirror, sets: int) -> Markup:
    listed = read(LISTING, view, mirror)
    if not listed.total:
        return _filtered_out(view, mirror)
    ranked = [row for row in listed.rows if row["is_ranked"]]
    others = [row for row in listed.rows if not row["is_ranked"]]
    status = _counted(view, mirror, sets)
    return join(
        compare_form(
            view,
            status,
            ranked_table(view, ranked, sets=sets, is_filtered=bool(FILTERS & view.values.keys()))
            if ranked
            else tag("p", "None of these cells is ranked; the reasons are below."),
            unranked_table(others) if others else None,
        ),
        paging(view, listed.page, listed.pages),
    )


def _counted(view: View, mirror: Mirror, sets: int) -> Markup:
    """Return how many cells are listed, as what, and how many a ceiling of cost hides because nobody knows theirs."""
    chosen = choose_edition(view, mirror)
    found = mirror.asked(query.counts(view, chosen.benchmark, chosen.edition))[0]
    gone = f" ({found['gone']:,} withdrawn or superseded)" if found["gone"] else ""
    kinds = [("ranked", found["ranked"], ""), ("reference", found["reference"], ""), ("not ranked", found["unranked"], gone)]
    parts = ", ".join(f"{number:,} {name}{more}" for name, number, more in kinds if number)
    is_filtered = bool(FILTERS & view.values.keys())
    said = f"{counted(found['cells'], 'cell')}{' that match the filters' if is_filtered else ''}: {parts}"
    hidden = found["without_cost"]
    unknown = f"{hidden:,} more {'has' if hidden == 1 else 'have'} no cost to filter by: not reported, or not applicable."
    notes = [unknown if hidden else None, None if is_filtered else _explained(found, sets)]
    return tag("p", said, *(tag("span", note, class_="second-line") for note in notes if note), role="status", class_="count")


def _explained(found: Mapping[str, Any], sets: int) -> str | None:
    """Say how the numbers that a reader meets elsewhere on the page hang together with these."""
    said = []
    if found["reference"] and sets == 1:
        ranks = found["ranked"] + found["reference"]
        said.append(f"Ranks are among {ranks:,}, reference agents counted; the choice above is among {found['ranked']:,}.")
    if found["gone"]:
        said.append(f"{found['cells'] - found['gone']:,} stand; what was withdrawn or superseded stays listed.")
    return " ".join(said) or None


def _filters(view: View, mirror: Mirror, edition: Mapping[str, Any]) -> Markup:
    """Return the filters, each with the values that tell cells of the edition apart."""
    offered: dict[str, list[tuple[str, str]]] = {key: [] for key in _TITLES}
    rows = mirror.asked(query.choices(edition["benchmark"], edition["edition"]))
    cells = sum(row["cells"] for row in rows if row["key"] == "quality")
    for row in (row for row in rows if row["cells"] < cells):
        name = plain_model(row["value"]) if row["key"] == "models" else row["value"]
        offered[row["key"]].append((row["value"], f"{name} ({row['cells']})"))
    return filters(view, [(key, title, offered[key]) for key, title in _TITLES.items()], kept=_KEPT)


def _filtered_out(view: View, mirror: Mirror) -> Markup:
    """Say which filter removed most: the one without which most cells would be left."""
    left = {}
    for key, default in _FILTERS.items():
        if key in view.values:
            left[key] = count_rows(LISTING.ask(view.with_values(**{key: default}), mirror), mirror)
    reset = address(view.with_values(**_FILTERS, page=1))
    most = max(left, key=lambda key: left[key], default="")
    if not most:
        return empty(reset, tag("p", "This edition has no cells."))
    return empty(reset, tag("p", f"No cell matches. Without the filter {most} there would be ", count(left[most]), "."))


def _nothing_yet() -> Markup:
    return panel(
        "Nothing published yet",
        tag(
            "p",
            "The source holds no publication. As soon as a run is published, its cells stand here.",
        ),
    )


PAGE: Final = Page(
    slug="",
    title="Leaderboard",
    parameters=LISTING.parameters | {"page", "per_page"},
    show=show,
    in_nav=True,
    order=10,
)
