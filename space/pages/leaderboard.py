"""`/`: the cells of one benchmark and edition in one table, best score first; below it, what is not ranked, with the reason."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.figures import count
from space.components.filters import empty, filters
from space.components.html import Markup, join, tag
from space.components.leaderboard import edition_line, ranked_table, strip, unranked_table
from space.components.paging import page_of, paging
from space.components.shell import head, panel
from space.components.subject import plain_model
from space.pages.page import Page
from space.queries import leaderboard as query
from space.queries.view import Value, View, address
from space.readers.mirror import Mirror

_PURPOSE: Final = "How well agents and models solve a benchmark's tasks. Every score traces to sealed, checksummed evidence."
_KEPT: Final = ("benchmark", "edition", "sort", "dir", "per_page")
_FILTERS: Final[Mapping[str, Value]] = {"models": (), "agents": (), "q": "", "reruns": "latest"}
MAX_UNRANKED: Final = 200


def show(view: View, mirror: Mirror) -> Markup:
    """Return the leaderboard that `view` asks for."""
    benchmarks = mirror.rows(query.benchmarks())
    if not benchmarks:
        return join(head("Leaderboard", _PURPOSE), _nothing_yet())
    benchmark = view.text("benchmark") or benchmarks[0]["benchmark"]
    if benchmark not in {row["benchmark"] for row in benchmarks}:
        return join(head("Leaderboard", _PURPOSE), strip(benchmarks, ""), _unknown("benchmark", benchmark))
    editions = mirror.rows(query.editions(benchmark))
    edition = next((row for row in editions if row["edition"].startswith(view.text("edition"))), None)
    before = (head("Leaderboard", _PURPOSE), strip(benchmarks, benchmark))
    if edition is None:
        return join(*before, _unknown("edition", view.text("edition")))
    return join(
        *before, edition_line(benchmark, edition, editions), _filters(view, mirror, edition), _lists(view, mirror, edition)
    )


def _lists(view: View, mirror: Mirror, edition: Mapping[str, Any]) -> Markup:
    where = (edition["benchmark"], edition["edition"])
    total, others = _totals(view, mirror, where)
    per_page = view.number("per_page")
    page, pages = page_of(view, total, per_page)
    found = mirror.rows(query.rows(view, *where, is_ranked=True, limit=per_page, offset=(page - 1) * per_page))
    rest = mirror.rows(query.rows(view, *where, is_ranked=False, limit=MAX_UNRANKED, offset=0)) if others else []
    status = tag(
        "p",
        f"{total:,} cell{'' if total == 1 else 's'}",
        f", {others:,} more not ranked" if others else "",
        role="status",
        class_="count",
    )
    if not total and not others:
        return _filtered_out(view, mirror, where)
    return join(
        status,
        ranked_table(view, found) if found else tag("p", "No cell of this selection may be ranked; the reasons stand below."),
        paging(view, page, pages),
        unranked_table(rest, others) if rest else None,
    )


def _totals(view: View, mirror: Mirror, where: tuple[str, str]) -> tuple[int, int]:
    found = mirror.one(query.counts(view, *where))
    return (found["ranked"], found["others"]) if found else (0, 0)


def _filters(view: View, mirror: Mirror, edition: Mapping[str, Any]) -> Markup:
    offered: dict[str, list[tuple[str, str]]] = {"models": [], "agents": []}
    for row in mirror.rows(query.choices(edition["benchmark"], edition["edition"])):
        name = plain_model(row["value"]) if row["key"] == "models" else row["value"]
        offered[row["key"]].append((row["value"], f"{name} ({row['cells']})"))
    choices: Sequence[tuple[str, str, Sequence[tuple[str, str]]]] = [
        ("models", "Models", offered["models"]),
        ("agents", "Agents", offered["agents"]),
    ]
    return filters(view, choices, kept=_KEPT)


def _filtered_out(view: View, mirror: Mirror, where: tuple[str, str]) -> Markup:
    """Say which filter removed most: the one without which most cells would be left."""
    left = {}
    for key, default in _FILTERS.items():
        if key in view.values:
            without = view.with_values(**{key: default})
            left[key] = sum(_totals(without, mirror, where))
    reset = address(view.with_values(**_FILTERS, page=1))
    most = max(left, key=lambda key: left[key], default="")
    words = {"models": "the models", "agents": "the agents", "q": "the search", "reruns": "the choice of reruns"}
    if not most:
        return empty(reset, tag("p", "This edition has no cells."))
    return empty(reset, tag("p", f"No cell matches. Without {words[most]} there would be ", count(left[most]), "."))


def _unknown(what: str, value: str) -> Markup:
    return panel(
        f"No such {what}",
        tag("p", f"The {what} {value} is not published here."),
        tag("p", tag("a", "Open the leaderboard", href="/")),
    )


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
    parameters=frozenset({"benchmark", "edition", "models", "agents", "q", "reruns", "sort", "dir", "page", "per_page"}),
    show=show,
    in_nav=True,
    order=10,
)
