"""The trials of a cell as small linked squares, one per repeat, and a share of passed trials as a heat square with its count."""

from collections.abc import Mapping, Sequence
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
    glyph, style, word = trial_mark(trial)
    name = f"Repeat {trial['repeat']}: {word}"
    link = address(View("attempt", {"cell_id": cell_id, "trial_id": trial["trial_id"]}))
    return tag("a", tag("span", glyph, aria_hidden="true"), href=link, class_=f"square {style}", aria_label=name, title=name)
