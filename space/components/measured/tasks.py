"""How a task stands: its mark (never, always solved), its solve rate, and what Harbor's own agents say about it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from space.components.figures import duration, missing, percent, short
from space.components.html import Child, Markup, join, tag
from space.components.standing import badge, failed_counts
from space.components.table import Column, table
from space.components.trials import solved, task_address

_MARKS: Final = {"never_solved": "degraded", "always_solved": "clean", "not_tried": "manual", "not_scored": "partial"}
_WORDS: Final = {
    "never_solved": "never solved",
    "always_solved": "always solved",
    "not_tried": "not tried",
    "not_scored": "no trial scored",
}


def mark(row: Mapping[str, Any]) -> Markup | None:
    """Return the badge of a task that is never or always solved, or that nobody tried; None for any other."""
    style = _MARKS.get(row["mark"])
    return badge(style, _WORDS[row["mark"]]) if style else None


def solve_rate(row: Mapping[str, Any]) -> Markup | str:
    """Return the share of trials that passed, Harbor's own agents aside."""
    return missing("not_applicable") if row["solve_rate"] is None else f"{percent(row['solve_rate'])}%"


def reference(row: Mapping[str, Any]) -> Child:
    """Return whether the reference solution passes, and a warning where doing nothing does."""
    said: list[Child] = []
    if row["solution_trials"]:
        said.append(f"{row['solution_passed']}/{row['solution_trials']}")
    else:
        said.append(missing("not_observed"))
    if row["nothing_passed"]:
        said += [" ", badge("failed", f"nop passes {row['nothing_passed']}/{row['nothing_trials']}")]
    return join(*said)


def task_link(row: Mapping[str, Any]) -> Markup:
    """Return the name of a task as a link, its digest's beginning below."""
    return join(
        tag("a", row["task_name"], href=task_address(row["benchmark"], row["task_name"]), class_="task-name"),
        tag("span", short(row["task_digest"]), class_="second-line"),
    )


def summary(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Say which tasks nobody solves and which everybody does; `rows` are all tasks of an edition."""
    if not any(row["cells"] for row in rows):
        added = tag("a", "How to get a model on here", href="/about#model")
        return tag("p", "No agent but Harbor's own (oracle, nop), which are not counted, has tried these tasks yet. ", added)
    return join(
        _named("Nobody solves", "Every task is solved by somebody", [row for row in rows if row["mark"] == "never_solved"], rows),
        _named("Always solved", "No task is always solved", [row for row in rows if row["mark"] == "always_solved"], rows),
    )


def tasks_table(rows: Sequence[Mapping[str, Any]]) -> Markup:
    """Return tasks with solve rate, mark and failures, in their order."""
    columns = [
        Column("Task"),
        Column("Solve rate", is_number=True),
        Column("Passed", is_number=True, hint="of all planned trials"),
        Column("Solved by", is_number=True, hint="cells that passed it at least once"),
        Column("Mark"),
        Column("Failed"),
        Column("Mean time", is_number=True),
        Column("Reference solution", hint="trials of Harbor's oracle, which plays it back, that passed"),
    ]
    caption = "Hardest first. Harbor's own agents (oracle, nop) are not counted among those who tried."
    return table(caption, columns, [_row(row) for row in rows], name="Tasks of this edition")


def _row(row: Mapping[str, Any]) -> list[Child]:
    return [
        task_link(row),
        solve_rate(row),
        solved(row["passed_trials"], row["planned_trials"]) if row["planned_trials"] else missing("not_applicable"),
        f"{row['solving_cells']} of {row['cells']}",
        mark(row) or tag("span", "sometimes", class_="muted"),
        failed_counts(row) or tag("span", "none", class_="muted"),
        duration(row["mean_seconds"]),
        reference(row),
    ]


def _named(said: str, none: str, found: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> Markup:
    if not found:
        return tag("p", none, ".")
    links: list[Child] = []
    for row in found[:MAX_NAMED]:
        links += [", " if links else "", tag("a", row["task_name"], href=task_address(row["benchmark"], row["task_name"]))]
    more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
    return tag("p", tag("strong", f"{said}: "), f"{len(found)} of {counted(len(rows), 'task')}. ", *links, more)


MAX_NAMED: Final = 12
