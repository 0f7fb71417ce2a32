"""Cells x tasks as squares: a fill of six steps from none to all passed, the passed count as text in each.

Tasks are columns with a number; a list below says which number is which task. Colour is never the only sign.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.figures import percent
from space.components.html import Markup, join, tag
from space.components.subject import subject
from space.components.trials import heat_step, task_address

type Rows = Sequence[Mapping[str, Any]]

LABEL_EVERY: Final = 10
SHOW_ALL_LABELS: Final = 40
ROOMY: Final = 20


def matrix_table(squares: Rows, tasks: Rows, caption: str) -> Markup:
    """Return one block of the matrix: `squares` by cell and task, `tasks` are its columns with their places."""
    by_cell: dict[str, dict[int, Mapping[str, Any]]] = {}
    first: dict[str, Mapping[str, Any]] = {}
    for square in squares:
        by_cell.setdefault(square["cell_id"], {})[square["task_place"]] = square
        first.setdefault(square["cell_id"], square)
    places = [task["task_place"] for task in tasks]
    head = tag("thead", tag("tr", tag("th", "Model and agent", scope="col"), *(_number(task, len(tasks)) for task in tasks)))
    rows = [
        tag("tr", tag("th", subject(first[cell]), scope="row"), *(_square(found.get(place)) for place in places))
        for cell, found in by_cell.items()
    ]
    inner = tag(
        "table",
        tag("caption", tag("span", caption, class_="caption-text")),
        head,
        tag("tbody", *rows),
        class_="rows matrix roomy" if len(tasks) <= ROOMY else "rows matrix",
    )
    return join(
        tag("div", inner, class_="scroll", role="region", tabindex=0, aria_label="Cells and tasks"), _legend(), _names(tasks)
    )


def _number(task: Mapping[str, Any], shown: int) -> Markup:
    place = task["task_place"]
    is_labelled = shown <= SHOW_ALL_LABELS or place % LABEL_EVERY == 0 or place == 1
    name = f"Task {place}: {task['task_name']}"
    text = str(place) if is_labelled else "\N{MIDDLE DOT}"
    link = tag("a", text, href=task_address(task["benchmark"], task["task_name"]), aria_label=name, title=name)
    return tag("th", link, scope="col")


def _square(square: Mapping[str, Any] | None) -> Markup:
    if square is None:
        return tag("td", "\N{EN DASH}", class_="absent")
    return tag("td", str(square["passed"]), class_=f"heat-{heat_step(square['passed'], square['trials'])}")


def _legend() -> Markup:
    steps = [tag("li", tag("span", "", class_=f"swatch heat-{step}", aria_hidden="true"), word) for step, word in _STEPS]
    return tag("ul", *steps, class_="legend")


def _names(tasks: Rows) -> Markup:
    entries = [
        tag(
            "li",
            tag("span", str(task["task_place"]), class_="place"),
            tag("a", task["task_name"], href=task_address(task["benchmark"], task["task_name"])),
            tag("span", "not tried" if task["solve_rate"] is None else f"{percent(task['solve_rate'])}%", class_="muted"),
        )
        for task in tasks
    ]
    return tag("section", tag("h2", "Tasks by number"), tag("ul", *entries, class_="places"))


_STEPS: Final = (
    (0, "none passed"),
    (1, "under a quarter"),
    (2, "under half"),
    (3, "under three quarters"),
    (4, "most"),
    (5, "all passed"),
)
