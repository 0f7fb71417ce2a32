"""Cost against score as a drawing: filled points on the frontier, hollow and dominated ones, intervals.

Intervals stand at the points that are not dominated. The cost axis is logarithmic; a cost of 0 has a lane of its own at the left.
Each point is a link to its cell, and at most eight frontier points carry a name, four in the narrow drawing that a phone shows.
The table below the drawing says the same in text.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.money import format_usd
from shared.plural import counted
from space.components.figures import score_text
from space.components.html import Markup, tag
from space.components.subject import cell_address, subject_text

WIDTH: Final = 920
NARROW: Final = 340
"""The width of the drawing for a phone: its letters are as large as those of the text."""
HEIGHT: Final = 380
MAX_NAMES: Final = 8
_LETTER: Final = 7.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 24, 32, 48
_ZERO_LANE: Final = 48
_LINE: Final = 15
_TICK: Final = 64
"""The room that a number of the axis takes."""


def pareto_plot(rows: Sequence[Mapping[str, Any]], width: int = WIDTH) -> Markup:
    """Return the drawing of at least one row (a cell with `place`, `score`, `cost_per_trial_usd_micros`), cheapest first."""
    across, up = _Across([row["cost_per_trial_usd_micros"] for row in rows], width), _Up(rows, width)
    ordered = sorted(rows, key=lambda row: _ORDER.index(row["place"]))
    title = f"Cost per trial against score of {counted(len(rows), 'cell')}; the table below holds every number"
    return tag(
        "svg",
        tag("title", title),
        *up.axis(),
        *across.axis(),
        _frontier(rows, across, up),
        *(_point(row, across, up) for row in ordered),
        *_names(rows, across, up),
        class_="pareto narrow" if width < WIDTH else "pareto",
        role="group",
        aria_label=title,
        viewBox=f"0 0 {width} {HEIGHT}",
        width=width,
        height=HEIGHT,
    )


_ORDER: Final = ("dominated", "hollow", "frontier")


class _Across:
    """Where a cost stands."""

    def __init__(self, costs: Sequence[int], width: int) -> None:
        self.end = width - _RIGHT
        known = [cost for cost in costs if cost > 0] or [1]
        self.has_zero = any(cost == 0 for cost in costs)
        low, high = math.log10(min(known)), math.log10(max(known))
        pad = max(0.12, 0.06 * (high - low))
        self.low, self.high = low - pad, high + pad
        self.start = _LEFT + (_ZERO_LANE if self.has_zero else 0)

    def at(self, cost: int) -> float:
        if cost == 0:
            return _LEFT + _ZERO_LANE / 2
        share = (math.log10(cost) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def axis(self) -> list[Markup]:
        steps = [10**power * step for power in range(math.floor(self.low), math.ceil(self.high) + 1) for step in (1, 2, 5)]
        inside = [value for value in steps if self.low <= math.log10(value) <= self.high]
        marks = _fitting(inside, (self.end - self.start) // _TICK)
        ticks = [*([0] if self.has_zero else []), *(round(value) for value in marks if value >= 1)]
        base = HEIGHT - _BOTTOM
        found = [tag("line", x1=_LEFT, x2=self.end, y1=base, y2=base, class_="axis")]
        for tick in ticks:
            x = _number(self.at(tick))
            found.append(tag("line", x1=x, x2=x, y1=base, y2=base + 4, class_="axis"))
            found.append(tag("text", format_usd(tick), x=x, y=base + 18, text_anchor="middle", class_="tick"))
        label = "Cost per trial, logarithmic"
        return [*found, tag("text", label, x=self.end, y=HEIGHT - 8, text_anchor="end", class_="tick")]


class _Up:
    """Where a score stands: over the whole range of rewards."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], width: int) -> None:
        self.end = width - _RIGHT
        self.low, self.high = float(rows[0]["reward_low"]), float(rows[0]["reward_high"])

    def at(self, score: float) -> float:
        room = HEIGHT - _BOTTOM - _TOP
        return HEIGHT - _BOTTOM - room * (score - self.low) / (self.high - self.low)

    def axis(self) -> list[Markup]:
        found = []
        for part in range(5):
            score = self.low + part * (self.high - self.low) / 4
            y = _number(self.at(score))
            found.append(tag("line", x1=_LEFT, x2=self.end, y1=y, y2=y, class_="gridline"))
            words = score_text(score, self.low, self.high, 1)
            found.append(tag("text", words, x=_LEFT - 8, y=_number(self.at(score) + 4), text_anchor="end", class_="tick"))
        return [*found, tag("text", "Score", x=_LEFT - 8, y=16, text_anchor="end", class_="tick")]


def _frontier(rows: Sequence[Mapping[str, Any]], across: _Across, up: _Up) -> Markup | None:
    """Return the frontier as steps: from each point to the next dearer one the score stays."""
    points = [(across.at(row["cost_per_trial_usd_micros"]), up.at(row["score"])) for row in rows if row["place"] == "frontier"]
    if not points:
        return None
    path = f"M{_number(points[0][0])} {_number(points[0][1])}"
    path += "".join(f"H{_number(x)}V{_number(y)}" for x, y in points[1:]) + f"H{across.end}"
    return tag("path", d=path, class_="frontier-line")


def _point(row: Mapping[str, Any], across: _Across, up: _Up) -> Markup:
    x, y = across.at(row["cost_per_trial_usd_micros"]), up.at(row["score"])
    score = score_text(row["score"], row["reward_low"], row["reward_high"], row["effective_n"])
    words = f"{subject_text(row)}: score {score}, {format_usd(row['cost_per_trial_usd_micros'])} per trial, {row['place']}"
    whisker = None
    if row["score_low"] is not None and row["place"] != "dominated":
        whisker = tag(
            "line",
            x1=_number(x),
            x2=_number(x),
            y1=_number(up.at(row["score_low"])),
            y2=_number(up.at(row["score_high"])),
            class_="whisker",
        )
    dot = tag("circle", cx=_number(x), cy=_number(y), r=4 if row["place"] == "dominated" else 6, class_=f"point {row['place']}")
    target = tag("circle", cx=_number(x), cy=_number(y), r=12, class_="target")
    return tag("a", tag("title", words), whisker, target, dot, href=cell_address(row["cell_id"]), aria_label=words)


def _names(rows: Sequence[Mapping[str, Any]], across: _Across, up: _Up) -> list[Markup]:
    """Name the frontier, its best scores first where it is long; a name moves up until it is clear of the others.

    A name stands on the side of its point that has more room, and is cut where that is too little.
    """
    frontier = [row for row in rows if row["place"] == "frontier"]
    most = MAX_NAMES if across.end > NARROW else MAX_NAMES // 2
    taken: list[tuple[float, float, float]] = []
    found = []
    for row in sorted(frontier, key=lambda row: -row["score"])[:most]:
        text = subject_text(row).rpartition("/")[2]
        x, y = across.at(row["cost_per_trial_usd_micros"]), up.at(row["score"]) - 10
        is_left = x + _LETTER * len(text) > across.end and x - _LEFT > across.end - x
        text = _cut(text, int(((x - _LEFT if is_left else across.end - x) - 8) / _LETTER))
        length = _LETTER * len(text)
        start = x - 8 - length if is_left else x + 8
        while any(abs(y - other) < _LINE and start < end and begin < start + length for begin, end, other in taken):
            y -= _LINE
        taken.append((start, start + length, y))
        anchor = "end" if is_left else "start"
        placed = tag("text", text, x=_number(x - 8 if is_left else x + 8), y=_number(y), text_anchor=anchor, class_="name")
        found.append(placed)
    return found


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: max(most - 1, 1)]}\N{HORIZONTAL ELLIPSIS}"


def _fitting(values: Sequence[float], most: int) -> Sequence[float]:
    """Return at most about `most` of the values: the powers of ten where there are several, else each second or third."""
    if len(values) <= most:
        return values
    powers = [value for value in values if _is_power_of_ten(value)]
    return powers if len(powers) > 1 else values[:: -(-len(values) // most)]


def _is_power_of_ten(value: float) -> bool:
    return math.isclose(math.log10(value), round(math.log10(value)))


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
