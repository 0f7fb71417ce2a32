"""The choice strip: the cells that are not distinguishable from the best, and of these the cheapest and the fastest.

Where filters hold, the choice is among the ranked cells that match them, and says so; the tests and the ranks stay those of all.
It folds, and stands open where there is room: on a phone the first rows come first.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from shared.statistics.cells import Cell
from shared.statistics.choice import Choice, choose
from shared.statistics.ranked_sets import REFERENCE_AGENTS
from shared.statistics.ranks import Decisions
from space.components.figures import duration, money, score_text
from space.components.html import Child, Markup, join, tag
from space.components.subject import subject, subject_line

type Named = Mapping[str, Mapping[str, Any]]


def choice_strip(
    decisions: Decisions | None, named: Named, matching: Collection[str] | None = None, most: str = ""
) -> Markup | None:
    """Return what to take from a ranked set, None where nothing is ranked; `named` are the rows of its cells by id.

    `matching` are the cells that the filters leave, None where none is set; `most` is their limit of the cost per trial, in US
    dollars.
    """
    if decisions is None:
        return None
    out = left_out(named, matching)
    choice = choose(decisions, out)
    if choice is None:
        return None if matching is None else _none_matches(most)
    total = sum(cell.cell_id not in out for cell in decisions.cells)
    said = _said(len(choice.among), total, is_filtered=matching is not None)
    return tag(
        "details",
        tag("summary", tag("span", tag("strong", "Which one to take: "), said)),
        tag(
            "dl",
            _entry("Highest score", choice.best, named, _score(choice.best, named)),
            _entry("Cheapest of these", choice.cheapest, named, _cost(choice)),
            _entry("Fastest of these", choice.fastest, named, _seconds(choice)),
            class_="choice-strip",
        ),
        _unknown("cost", choice.without_cost, named),
        _unknown("duration", choice.without_seconds, named),
        tag("p", _held(matching, most), tag("a", "How this is decided", href="/about#choice"), class_="muted"),
        class_="choosing",
    )


def left_out(named: Named, matching: Collection[str] | None) -> set[str]:
    """Return the ids of the cells that are nobody's choice: reference agents, and those that the filters leave out."""
    references = {cell_id for cell_id, row in named.items() if row["agent_name"] in REFERENCE_AGENTS}
    return references if matching is None else references | (named.keys() - set(matching))


def _held(matching: Collection[str] | None, most: str) -> str:
    """Return what the filters that hold do to the choice."""
    if matching is None:
        return "Filters narrow this choice; they move no rank. "
    limit = f", at most {most} US dollars per trial" if most else ""
    return f"Chosen among the cells that match the filters{limit}. Ranks stay those of all cells. "


def _none_matches(most: str) -> Markup:
    limit = f" with a cost per trial of at most {most} US dollars" if most else ""
    return tag("p", tag("strong", "Which one to take: "), f"no ranked cell{limit} matches the filters.", class_="choosing")


def _said(among: int, total: int, *, is_filtered: bool) -> str:
    if total == 1:
        who = "One ranked cell matches the filters" if is_filtered else "One cell is ranked"
        return f"{who}, so there is none to compare it with."
    which, these = (" ranked cells that match the filters", " of these") if is_filtered else (" ranked cells", "")
    if among == 1:
        return f"One of {total}{which} is significantly better than every other."
    return f"{among} of {total}{which} are not distinguishable from the best{these}."


def _entry(title: str, cell: Cell | None, named: Named, figure: Child) -> Markup:
    who = subject(named[cell.cell_id]) if cell else tag("span", "not available", class_="missing")
    return tag("div", tag("dt", title), tag("dd", who, tag("span", figure, class_="amount")))


def _score(cell: Cell, named: Named) -> str:
    row = named[cell.cell_id]
    return score_text(row["score"], row["reward_low"], row["reward_high"], row["effective_n"])


def _cost(choice: Choice) -> Child:
    cell = choice.cheapest
    return None if cell is None or cell.cost_usd_micros is None else join(money(round(cell.cost_usd_micros)), " per trial")


def _seconds(choice: Choice) -> Child:
    cell = choice.fastest
    return None if cell is None else join(duration(cell.seconds), " per trial")


def _unknown(what: str, cells: Sequence[Cell], named: Named) -> Markup | None:
    """Name the cells that could not be chosen by a figure that they do not have."""
    if not cells:
        return None
    links = [join(", " if place else None, subject_line(named[cell.cell_id])) for place, cell in enumerate(cells[:8])]
    more = f" and {len(cells) - 8} more" if len(cells) > 8 else ""
    return tag("p", f"Without a reported {what}, so not among these choices: ", links, more, ".", class_="muted")
