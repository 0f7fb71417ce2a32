"""The end of every page with a list: its files, its permanent link, and the query behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from space.components.html import Markup, join, tag


@dataclass(frozen=True, slots=True)
class ListFiles:
    """One list: its title, its address in the API, and the address of each format."""

    title: str
    answer: str
    files: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Query:
    """The query of the page's main list."""

    sql: str
    values: Sequence[str]
    script: str
    """The query with all that makes what it reads, to be pasted; empty where that is too long for a page."""
    script_address: str
    revisions: Sequence[str]
    derived: Sequence[str]
    """Columns that no SQL gives."""
    statistics: str
    """What gives them, with its version."""
    program: str
    """Lines of Python that run it on a download."""


def files(lists: Sequence[ListFiles], others: Sequence[tuple[str, str]], permanent: str, query: Query) -> Markup:
    """Return the panel; `others` are files that are no list, as (title, address)."""
    return tag(
        "details",
        tag("summary", "Files, permanent link and the query behind this view"),
        tag("dl", *(_entry(each) for each in lists), *(_other(*each) for each in others), class_="facts"),
        tag(
            "p",
            tag("a", "What each column means", href="/openapi.json"),
            ", its unit, and what an empty field of a CSV says; JSON, Parquet and Markdown carry it.",
            class_="muted",
        ),
        tag("p", tag("a", "Permanent link to this view of this revision", href=permanent)),
        _query(query),
        class_="files",
    )


def _entry(each: ListFiles) -> Markup:
    links = [(form.upper() if form in {"csv", "json", "sql"} else form.capitalize(), to) for form, to in each.files]
    named = [("API", each.answer), *(("Markdown" if name == "Md" else name, to) for name, to in links)]
    parts = [join(" " if place else None, tag("a", name, href=to)) for place, (name, to) in enumerate(named)]
    return tag("div", tag("dt", each.title), tag("dd", *parts))


def _other(title: str, to: str) -> Markup:
    return tag("div", tag("dt", title), tag("dd", tag("a", "YAML", href=to)))


def _query(query: Query) -> Markup:
    derived = f"Not from SQL but from {query.statistics}: {', '.join(query.derived)}." if query.derived else None
    return join(
        tag("h3", "The query"),
        _whole(query) if query.script else _alone(query),
        tag("p", "Read from ", tag("code", ", ".join(query.revisions), class_="digest"), "."),
        tag("p", derived, class_="muted") if derived else None,
        tag("h3", "Run it on a download"),
        _lines(query.program, "Python that runs the query on a download"),
    )


def _whole(query: Query) -> Markup:
    said = "Paste it into DuckDB, started in the folder that holds the datasets: it makes what it reads, then gives these rows."
    return join(tag("p", said), _lines(query.script, "SQL that runs as it is"))


def _alone(query: Query) -> Markup:
    """Return the query without what it reads, and where that is."""
    script = tag("a", "the whole script", href=query.script_address)
    return join(
        tag("p", "It reads tables that are made first, from more files than are listed here; as it is runs ", script, "."),
        _lines(query.sql, "The SQL that ran"),
        tag("p", "Values, in order: ", tag("code", ", ".join(query.values), class_="digest")) if query.values else None,
    )


def _lines(text: str, name: str) -> Markup:
    lines = [tag("span", line, class_="line") for line in text.split("\n")]
    return tag("pre", *lines, class_="command", tabindex=0, aria_label=name)
