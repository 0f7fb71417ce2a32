"""Counts of how attempts ended: one grouping as bars, another as a table of groups by category."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.figures import MISSING_WORDS, count, percent
from space.components.html import Child, Markup, join, tag
from space.components.measured.drawings import share_bar
from space.components.subject import NO_MODEL, model_name
from space.components.table import Column, table

type Rows = Sequence[Mapping[str, Any]]

SUCCEEDED: Final = "succeeded"
_RAW: Final = frozenset({"reason", "exception"})
"""Groupings whose values are codes and names, shown as they are."""
_STYLES: Final = {
    SUCCEEDED: "clean",
    "agent": "failed",
    "benchmark": "composite",
    "cancelled": "partial",
    "configuration": "failed",
    "authentication": "failed",
}


def grouped(rows: Rows, title: str, caption: str) -> Markup:
    """Return one grouping: value, count, share of its whole."""
    columns = [Column(title), Column("Attempts", is_number=True), Column("Share", is_number=True), Column("")]
    return table(caption, columns, [_grouped(row) for row in rows], name=title)


def crossed(rows: Rows, title: str, caption: str) -> Markup:
    """Return groups by category: attempts of the group, how many failed, and of which category."""
    categories = sorted({row["ended"] for row in rows} - {SUCCEEDED})
    groups: dict[str, dict[str, int]] = {}
    wholes = {row["value"]: row["whole"] for row in rows}
    for row in rows:
        groups.setdefault(row["value"], {})[row["ended"]] = row["count"]
    columns = [
        Column(title),
        Column("Attempts", is_number=True),
        Column("Failed", is_number=True),
        Column("Share", is_number=True),
    ]
    columns += [Column(_words(category), is_number=True) for category in categories]
    order = sorted(groups, key=lambda value: (-(wholes[value] - groups[value].get(SUCCEEDED, 0)) / wholes[value], value))
    shown = [_crossed(value, groups[value], wholes[value], categories) for value in order]
    return table(caption, columns, shown, name=title)


def _grouped(row: Mapping[str, Any]) -> list[Child]:
    style = _STYLES.get(row["ended"], "degraded")
    return [
        join(row["value"] if row["grouping"] in _RAW else _words(row["value"]), _category(row)),
        count(row["count"]),
        f"{percent(row['count'] / row['whole'])}% of {row['whole']:,}",
        share_bar(row["count"], row["whole"], style),
    ]


def _category(row: Mapping[str, Any]) -> Markup | None:
    return None if row["grouping"] == "category" else tag("span", f" {_words(row['ended'])}", class_="muted")


def _crossed(value: str, found: Mapping[str, int], whole: int, categories: Sequence[str]) -> list[Child]:
    failed = whole - found.get(SUCCEEDED, 0)
    name: Child = model_name(value) if "/" in value or value == NO_MODEL else value
    return [
        name,
        count(whole),
        count(failed),
        f"{percent(failed / whole)}%",
        *(count(found[category]) if category in found else tag("span", "0", class_="muted") for category in categories),
    ]


def _words(value: str) -> str:
    """Return a word of the tables as words: `rate_limit` is "rate limit"; codes in capitals stay."""
    return MISSING_WORDS.get(value) or (value.replace("_", " ") if value.islower() else value)
