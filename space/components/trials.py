"""The trials of a cell as small linked squares, one per repeat, and a share of passed trials as a heat square with its count."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from space.components.html import Markup, tag
from space.components.standing import trial_mark
from space.queries.view import View, address


def squares(cell_id: str, trials: Sequence[Mapping[str, Any]]) -> Markup:
    """Return one square per trial, each leading to its attempts; glyph, colour and name say how it ended."""
    return tag("span", *(_square(cell_id, trial) for trial in trials), class_="squares")


def solved(passed: int, trials: int) -> Markup:
    """Return "passed/trials" on a fill of six steps from none to all."""
    return tag("span", f"{passed}/{trials}", class_=f"heat heat-{heat_step(passed, trials)}")


def heat_step(passed: int, trials: int) -> int:
    """Return the fill of a share of passed trials: 0 none, 5 all, 1 to 4 a quarter of the rest each."""
    return 0 if not passed else 5 if passed == trials else 1 + min(3, int(4 * passed / trials))


def task_address(benchmark: str, task: str) -> str:
    """Return the address of a task's page."""
    return address(View("task", {"benchmark": benchmark, "task": task}))


def _square(cell_id: str, trial: Mapping[str, Any]) -> Markup:
    glyph, style, word = _mark(trial["outcome"], trial["passed"])
    name = f"Repeat {trial['repeat']}: {word}"
    link = address(View("attempt", {"cell_id": cell_id, "trial_id": trial["trial_id"]}))
    return tag("a", glyph, href=link, class_=style, aria_label=name, title=name)


@cache
def _mark(outcome: str | None, passed: bool | None) -> tuple[Markup, str, str]:
    """Return (glyph, style, word) of the few ways in which a trial ends: a page shows hundreds of them."""
    glyph, style, word = trial_mark({"outcome": outcome, "passed": passed})
    return tag("span", glyph, aria_hidden="true"), f"square {style}", word
