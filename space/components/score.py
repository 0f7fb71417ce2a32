"""A score as the eye meets it: the number, a ringed dot on its interval band over a 0-100 track, interval and bounds as text."""

from collections.abc import Mapping
from typing import Any, Final

from space.components.figures import missing, percent, score_text
from space.components.html import Markup, join, tag

WIDTH: Final = 132
HEIGHT: Final = 16
_PAD: Final = 6


def band(score: float, low: float | None, high: float | None) -> Markup:
    """Return the drawing of one score in [0, 1] with its interval."""
    words = f"{percent(score)} of 100"
    if low is not None and high is not None:
        words += f", 95% interval {percent(low)} to {percent(high)}"
    interval = None
    if low is not None and high is not None:
        width = max(2.0, _x(high) - _x(low))
        interval = tag("rect", x=_number(_x(low)), y=5, width=_number(width), height=6, rx=3, class_="band")
    return tag(
        "svg",
        tag("title", words),
        tag("rect", x=_PAD, y=5, width=WIDTH - 2 * _PAD, height=6, rx=3, class_="track"),
        interval,
        tag("circle", cx=_number(_x(score)), cy=8, r=4.5, class_="dot"),
        class_="score-band",
        role="img",
        width=WIDTH,
        height=HEIGHT,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
    )


def interval_text(cell: Mapping[str, Any]) -> Markup | str:
    """Return the interval of `cell` as text."""
    if cell["score_low"] is None:
        return missing("no interval")
    return f"{_in_scale(cell, 'score_low')} to {_in_scale(cell, 'score_high')}"


def bounds_text(cell: Mapping[str, Any]) -> str | None:
    """Return what the score would be had all lost trials failed or passed, or None where none was lost."""
    if cell["bound_low"] is None:
        return None
    lost, planned = cell["infrastructure_exhausted_trials"], cell["planned_trials"]
    return f"{_in_scale(cell, 'bound_low')} to {_in_scale(cell, 'bound_high')}: {lost} of {planned} lost"


def score_number(cell: Mapping[str, Any]) -> Markup | str:
    """Return the score of `cell` as text, or why it has none."""
    if cell["withheld"]:
        return tag("span", "withheld", class_="badge failed")
    return missing("no score") if cell["score"] is None else _in_scale(cell, "score")


def score_block(cell: Mapping[str, Any]) -> Markup:
    """Return number, band, interval and bounds of `cell` together."""
    if cell["score"] is None:
        return tag("div", score_number(cell), class_="score")
    is_unit = (cell["reward_low"], cell["reward_high"]) == (0.0, 1.0)
    lost = bounds_text(cell)
    return tag(
        "div",
        tag("strong", score_number(cell), class_="score-number"),
        band(cell["score"], cell["score_low"], cell["score_high"]) if is_unit else None,
        tag("span", join(interval_text(cell)), class_="interval"),
        tag("span", lost, class_="bounds") if lost else None,
        class_="score",
    )


def _in_scale(cell: Mapping[str, Any], name: str) -> str:
    return score_text(cell[name], cell["reward_low"], cell["reward_high"], cell["effective_n"])


def _x(value: float) -> float:
    return _PAD + (WIDTH - 2 * _PAD) * min(1.0, max(0.0, value))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
