"""Two cells against each other: difference and decision in words, tasks won, tied and lost as a waffle, the plan of repeats."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from space.components.facts import figures
from space.components.figures import missing, money
from space.components.html import Child, Markup, join, tag
from space.components.subject import distinct_names
from space.components.table import Column, table

type Row = Mapping[str, Any]

COLUMNS: Final = 40
_STEP: Final = 14
_REASONS: Final = {
    "another_edition": "These cells belong to different editions, so nothing is subtracted. They differ in:",
    "another_host": "These cells ran on hosts with different software, which are never ranked or subtracted together.",
    "no_score": "One of these cells has no score that stands: it is withdrawn, withheld or not complete.",
}
_METHODS: Final = {
    "mcnemar": "exact McNemar test",
    "paired_t": "paired t test on task means",
    "sign": "sign test",
    "untested": "fewer than 10 shared tasks",
}


def pair_section(pair: Row, cells: Mapping[str, Row], outcomes: Sequence[str]) -> Markup:
    """Return one pair; `cells` are its rows by id, `outcomes` won, tied or lost for each shared task of a tested pair."""
    first, second = cells[pair["first_cell_id"]], cells[pair["second_cell_id"]]
    names = distinct_names([*cells.values()])
    title = tag("h2", names[first["cell_id"]], tag("span", " against ", class_="muted"), names[second["cell_id"]])
    if pair["why_not"]:
        return tag("section", title, _not_compared(pair, first, second, names), class_="pair")
    return tag("section", title, tag("p", _decision(pair, names)), _figures(pair), _waffle(pair, outcomes), class_="pair")


def difference_text(value: float, pair: Row) -> str:
    """Return a difference with its sign: points of 100 where rewards lie in [0, 1], else as it is."""
    if (pair["reward_low"], pair["reward_high"]) != (0.0, 1.0):
        return f"{value:+.3g}"
    decimals = 0 if pair["effective_n"] is not None and pair["effective_n"] < 100 else 1
    shown = round(100 * value, decimals)
    return f"{shown:+.{decimals}f}" if shown else "0"


def interval_words(low: float | None, high: float | None, pair: Row) -> Child:
    """Return a paired interval as text."""
    if low is None or high is None:
        return missing("no interval: no spread")
    return f"{difference_text(low, pair)} to {difference_text(high, pair)}"


def chance_text(p: float | None) -> Child:
    """Return a p value with two digits."""
    return missing("not tested") if p is None else f"{p:.2g}" if p >= 0.0001 else "below 0.0001"


def _not_compared(pair: Row, first: Row, second: Row, names: Mapping[str, str]) -> Markup:
    said = tag("p", _REASONS[pair["why_not"]])
    if pair["why_not"] != "another_edition":
        return said
    fixed = pair["edition_differs_in"] or ["edition"]
    rows = [[name.replace("_", " "), str(first[name]), str(second[name])] for name in fixed]
    columns = [Column("What an edition fixes"), *(Column(names[cell["cell_id"]]) for cell in (first, second))]
    return join(said, table("Scores under different rules say nothing of each other.", columns, rows, name="Why not compared"))


def _decision(pair: Row, names: Mapping[str, str]) -> Markup:
    verdict = pair["verdict"]
    if verdict is None:
        said = "No decision: these two are not ranked together. The difference is that of a single look."
        return join(tag("strong", said))
    if verdict == "not_told_apart":
        said = "The tests of this edition do not tell these two apart."
    else:
        said = f"{names[pair['first_cell_id' if verdict == 'first_better' else 'second_cell_id']]} is significantly better."
    return join(tag("strong", said), tag("span", " Decided with all pairs of the edition, as the ranks are.", class_="muted"))


def _figures(pair: Row) -> Markup:
    unit = "points of 100, the first less the second" if pair["reward_high"] == 1.0 else "reward, the first less the second"
    interval = interval_words(pair["difference_low"], pair["difference_high"], pair)
    boxes: list[tuple[str, Child, Child]] = [
        ("Difference", difference_text(pair["difference"], pair), unit),
        ("95% paired interval", interval, f"over {counted(pair['tasks'], 'shared task')}"),
        ("p, raw", chance_text(pair["p"]), f"{_METHODS[pair['method']]}; a single look"),
        ("Tasks won, tied, lost", f"{pair['won']}, {pair['tied']}, {pair['lost']}", "by mean reward"),
        (
            "Cost per pass",
            join(money(pair["first_cost_per_pass_usd_micros"]), " and ", money(pair["second_cost_per_pass_usd_micros"])),
            "one trial solved",
        ),
        ("Repeats that would separate", *_plan(pair)),
    ]
    return figures(boxes)


def _plan(pair: Row) -> tuple[Child, Child]:
    now, answer = pair["repeats"], pair["separation"]
    if pair["verdict"] in {"first_better", "second_better"}:
        return "separated", f"with {counted(now, 'repeat')}"
    if answer == "repeats":
        cost = (
            join(", both anew: ", money(pair["separation_cost_usd_micros"]))
            if pair["separation_cost_usd_micros"] is not None
            else None
        )
        return f"{pair['repeats_needed']}", join(f"now {now}", cost, "; a plan, no promise")
    if answer == "more_tasks":
        return "not by repeats", f"more tasks: about {pair['tasks_needed']:,} at {counted(now, 'repeat')}"
    if answer == "no_difference":
        return "none", "no difference was seen"
    return missing("not available"), "a task ran once, or fewer than 10 are shared"


def _waffle(pair: Row, outcomes: Sequence[str]) -> Markup:
    """Return a square for each shared task: full where the first won, a dot where they tied, hollow where it lost."""
    ordered = sorted(outcomes, key=("won", "tied", "lost").index)
    rows = -(-len(ordered) // COLUMNS)
    words = f"{counted(pair['won'], 'task')} won, {pair['tied']} tied, {pair['lost']} lost by the first"
    squares = [_square(name, place % COLUMNS * _STEP, place // COLUMNS * _STEP) for place, name in enumerate(ordered)]
    width, height = min(COLUMNS, len(ordered)) * _STEP, rows * _STEP
    drawing = tag(
        "svg",
        tag("title", words),
        *squares,
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
        class_="waffle",
    )
    entries = [
        tag(
            "li", tag("svg", _square(name, 0, 0), width=12, height=12, viewBox="0 0 12 12", aria_hidden="true"), f"{count} {name}"
        )
        for name, count in (("won", pair["won"]), ("tied", pair["tied"]), ("lost", pair["lost"]))
    ]
    return tag("div", drawing, tag("ul", *entries, class_="legend"), class_="waffle-box")


def _square(name: str, x: int, y: int) -> Markup:
    if name == "tied":
        return tag("rect", x=x + 4, y=y + 4, width=4, height=4, class_="tied")
    inset = 1 if name == "lost" else 0
    return tag("rect", x=x + inset, y=y + inset, width=12 - 2 * inset, height=12 - 2 * inset, rx=2, class_=name)
