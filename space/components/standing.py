"""How a cell and its trials ended: badges with glyph, word and colour, and the bar of outcomes with its legend."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.html import Child, Markup, join, tag

OUTCOMES: Final = (
    ("passed", "passed", "\N{CHECK MARK}", "clean"),
    ("scored", "scored, not passed", "\N{MULTIPLICATION SIGN}", "manual"),
    ("agent_failed", "agent failed", "!", "failed"),
    ("benchmark_failed", "benchmark failed", "?", "composite"),
    ("infrastructure_exhausted", "infrastructure exhausted", "\N{CIRCLED DIVISION SLASH}", "degraded"),
    ("unfinished", "unfinished", "\N{HORIZONTAL ELLIPSIS}", "partial"),
)
_GLYPHS: Final = {"clean": "\N{CHECK MARK}", "degraded": "\N{CIRCLED DIVISION SLASH}", "failed": "!", "cancelled": "\N{EN DASH}"}


def badge(kind: str, word: str) -> Markup:
    """Return a small label; colour is never its only sign."""
    glyph = _GLYPHS.get(kind)
    style = "degraded" if kind == "cancelled" else kind
    return tag("span", tag("span", f"{glyph} ", aria_hidden="true") if glyph else None, word, class_=f"badge {style}")


def quality(cell: Mapping[str, Any]) -> Markup:
    """Return the quality of `cell` with what failed in it; degraded never stands alone."""
    failed = failed_counts(cell)
    return join(badge(cell["quality"], cell["quality"]), tag("span", failed, class_="failed-counts") if failed else None)


def failed_counts(cell: Mapping[str, Any]) -> str:
    """Return the trials of `cell` that were not scored, by outcome, or an empty text."""
    words = (("agent_failed", "agent failed"), ("benchmark_failed", "benchmark failed"), ("infrastructure_exhausted", "lost"))
    counted = [(cell[f"{name}_trials"], word) for name, word in (*words, ("unfinished", "unfinished"))]
    return ", ".join(f"{count} {word}" for count, word in counted if count)


def outcome_counts(cell: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Return the trials of `cell` by outcome, passed ones apart from scored ones; they sum to the planned."""
    passed = cell["passed_trials"]
    counts = {"passed": passed, "scored": cell["scored_trials"] - passed}
    return [(name, counts[name] if name in counts else cell[f"{name}_trials"]) for name, *_ in OUTCOMES]


def outcome_bar(counts: Sequence[tuple[str, int]]) -> Markup:
    """Return a bar of all planned trials by outcome, and its legend with every count."""
    planned = sum(count for _, count in counts) or 1
    looks = {name: (word, glyph, style) for name, word, glyph, style in OUTCOMES}
    pieces, start = [], 0.0
    for name, count in counts:
        width = 1000 * count / planned
        if count:
            pieces.append(tag("rect", x=f"{start:.1f}", y=0, width=f"{width:.1f}", height=12, class_=f"fill-{looks[name][2]}"))
        start += width
    words = ", ".join(f"{count} {looks[name][0]}" for name, count in counts if count)
    bar = tag(
        "svg",
        tag("title", f"{words} of {planned} planned trials"),
        *pieces,
        class_="outcome-bar",
        role="img",
        viewBox="0 0 1000 12",
        preserveAspectRatio="none",
    )
    entries: list[Child] = [
        tag(
            "li",
            tag("span", looks[name][1], class_=f"swatch {looks[name][2]}", aria_hidden="true"),
            f"{count:,} {looks[name][0]}",
        )
        for name, count in counts
        if count
    ]
    return tag("div", bar, tag("ul", *entries, class_="legend"), class_="outcomes")


def trial_mark(trial: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return (glyph, style, word) of one trial."""
    name = trial["outcome"] or "unfinished"
    if name == "scored" and trial["passed"]:
        name = "passed"
    return next((glyph, style, word) for each, word, glyph, style in OUTCOMES if each == name)
