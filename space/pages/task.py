"""`/task`: one task of a benchmark: how often each cell solves it, how its trials end, how long they take. No task text."""

from collections.abc import Mapping
from typing import Any, Final

from space.components.facts import facts
from space.components.figures import digest, duration, percent
from space.components.html import Child, Markup, join, tag
from space.components.shell import head
from space.components.standing import badge, failed_counts, outcome_bar, outcome_counts
from space.components.subject import subject
from space.components.table import Column, table
from space.components.trials import solved
from space.pages.cell import not_published
from space.pages.page import Page
from space.queries import task as query
from space.queries.view import View, address
from space.readers.mirror import Mirror

MAX_CELLS: Final = 200


def show(view: View, mirror: Mirror) -> Markup:
    """Return the page of the task that `view` names."""
    benchmark, task = view.text("benchmark"), view.text("task")
    versions = mirror.rows(query.versions(benchmark, task)) if benchmark and task else []
    if not versions:
        return not_published("task", task)
    said = f"One task of the benchmark {benchmark}: how often it is solved, by whom, and how long that takes."
    up = tag("p", tag("a", f"Leaderboard of {benchmark}", href=address(View("", {"benchmark": benchmark}))), class_="crumb")
    note = None
    if len(versions) > 1:
        note = tag(
            "p", f"This name had {len(versions)} contents. They are different tasks and are never added up.", class_="muted"
        )
    return join(up, head(task, said), note, *(_version(mirror, benchmark, task, version) for version in versions))


def _version(mirror: Mirror, benchmark: str, task: str, version: Mapping[str, Any]) -> Markup:
    found = mirror.rows(query.cells(benchmark, task, version["task_digest"], MAX_CELLS))
    shown = f"{len(found)} of {version['cells']} cells" if len(found) < version["cells"] else f"{version['cells']} cells"
    columns = [
        Column("Model and agent"),
        Column("Passed", is_number=True),
        Column("Solve rate", is_number=True),
        Column("Failed"),
    ]
    columns += [Column("Mean reward", is_number=True), Column("Mean time", is_number=True)]
    return tag(
        "section",
        facts([("Task digest", digest(version["task_digest"])), ("Solved", _solved(version))], class_="facts line"),
        outcome_bar(outcome_counts(version)),
        table(f"{shown}, most solved first.", columns, [_row(row) for row in found], name="Cells on this task"),
    )


def _solved(version: Mapping[str, Any]) -> Markup:
    passed, planned = version["passed_trials"], version["planned_trials"]
    words = f"{passed:,} of {planned:,} trials ({percent(passed / planned)}%)"
    if passed == 0:
        return join(words, " ", badge("manual", "never solved"))
    return join(words, " ", badge("clean", "always solved")) if passed == planned else join(words)


def _row(row: Mapping[str, Any]) -> list[Child]:
    failed = failed_counts({f"{name}_trials": row[name] for name in _FAILED})
    return [
        subject(row),
        solved(row["passed"], row["trials"]),
        f"{percent(row['passed'] / row['trials'])}%",
        failed or tag("span", "none", class_="muted"),
        f"{row['reward'] / row['trials']:.2f}",
        duration(row["mean_seconds"]),
    ]


_FAILED: Final = ("agent_failed", "benchmark_failed", "infrastructure_exhausted", "unfinished")
PAGE: Final = Page(slug="task", title="Task", parameters=frozenset({"benchmark", "task"}), show=show)
