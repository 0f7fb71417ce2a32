"""`/task`: one task of a benchmark: how often each cell solves it, how its trials end, how long they take. No task text.

Each edition and each digest of the task is a section of its own; nothing is added up over them.
"""

from collections.abc import Mapping
from typing import Any, Final

from shared.plural import counted
from space.components.facts import facts
from space.components.figures import digest, duration, percent, short
from space.components.html import Child, Markup, join, tag
from space.components.measured.tasks import mark, reference
from space.components.paging import page_of, paging
from space.components.shell import head
from space.components.standing import failed_counts, outcome_bar, outcome_counts
from space.components.subject import subject
from space.components.table import Column, table
from space.components.trials import solved
from space.listings.listing import count as count_rows
from space.listings.listing import read_whole
from space.listings.trials import matrix as matrix_listing
from space.listings.trials.tasks import LISTING, unknown_task
from space.pages.page import Page
from space.queries.statement import Statement
from space.queries.view import View, address
from space.readers.mirror import Mirror

MAX_CELLS: Final = 200


def show(view: View, mirror: Mirror) -> Markup:
    """Return the page of the task that `view` names."""
    task = view.text("task")
    lines = read_whole(LISTING, view, mirror).rows if task else []
    if not lines:
        raise unknown_task(task)
    benchmark = lines[0]["benchmark"]
    said = f"One task of the benchmark {benchmark}: how often it is solved, by whom, and how long that takes."
    up = tag("a", f"Tasks of {benchmark}", href=address(View("tasks", {"benchmark": benchmark})))
    return join(
        tag("p", up, class_="crumb"),
        head(task, said),
        _note(lines),
        *(_line(view, mirror, line, is_alone=len(lines) == 1) for line in lines),
    )


def _note(lines: list[dict[str, Any]]) -> Markup | None:
    digests, editions = ({line[name] for line in lines} for name in ("task_digest", "edition"))
    said = []
    if len(digests) > 1:
        said.append(f"This name had {len(digests)} contents. They are different tasks and are never added up.")
    if len(editions) > 1:
        said.append(f"It stands in {len(editions)} editions, each with its own rules: each has its own section here.")
    return tag("p", " ".join(said), class_="muted") if said else None


def _line(view: View, mirror: Mirror, line: Mapping[str, Any], *, is_alone: bool) -> Markup:
    asked = View("matrix", {"benchmark": line["benchmark"], "edition": line["edition"], "task": line["task_name"]})
    every = matrix_listing.LISTING.ask(asked, mirror)
    one = Statement(f"SELECT * FROM ({every.sql}) WHERE task_digest = ? ", (*every.values, line["task_digest"]))  # noqa: S608 - ours
    total = count_rows(one, mirror)
    page, pages = page_of(view, total, MAX_CELLS)
    order = "ORDER BY passed / trials DESC, cell_place LIMIT ? OFFSET ?"
    rows = mirror.rows(Statement(one.sql + order, (*one.values, MAX_CELLS, (page - 1) * MAX_CELLS)))
    columns = [
        Column("Model and agent"),
        Column("Passed", is_number=True),
        Column("Solve rate", is_number=True),
        Column("Failed"),
        Column("Mean reward", is_number=True),
        Column("Mean time", is_number=True),
    ]
    return tag(
        "section",
        None if is_alone else tag("h2", "Edition ", short(line["edition"]), ", task digest ", short(line["task_digest"])),
        facts(_facts(line)),
        outcome_bar(outcome_counts(line)),
        table(
            f"{counted(total, 'cell')}, most solved first.",
            columns,
            [_row(row) for row in rows],
            name="Cells on this task",
        ),
        paging(view, page, pages),
    )


def _facts(line: Mapping[str, Any]) -> list[tuple[str, Child]]:
    checked = "yes" if line["source_checked"] else "no: source check was not run on it"
    if line["source_flags"]:
        checked += f", flagged {', '.join(line['source_flags'])}"
    return [
        ("Solved", join(*_solved(line))),
        ("Solved by", f"{line['solving_cells']} of {counted(line['cells'], 'cell')}, Harbor's own agents not counted"),
        ("Reference solution passes", reference(line)),
        ("Mean time", join(duration(line["mean_seconds"]), f" of {counted(line['timed_trials'], 'trial')}")),
        ("Rules", f"{counted(line['repeats'], 'repeat')}, {duration(line['trial_seconds'])} a trial, {line['sandbox']} sandbox"),
        ("Source checked", checked),
        ("Task digest", digest(line["task_digest"])),
        ("Edition", digest(line["edition"])),
    ]


def _solved(line: Mapping[str, Any]) -> list[Child]:
    if not line["planned_trials"]:
        return [mark(line)]
    return [
        f"{line['passed_trials']:,} of {counted(line['planned_trials'], 'trial')} ({percent(line['solve_rate'])}%) ",
        mark(line),
    ]


def _row(row: Mapping[str, Any]) -> list[Child]:
    failed = failed_counts({f"{name}_trials": row[name] for name in _FAILED})
    return [
        subject(row),
        solved(row["passed"], row["trials"]),
        f"{percent(row['passed'] / row['trials'])}%",
        failed or tag("span", "none", class_="muted"),
        f"{row['mean_reward']:.2f}",
        duration(row["mean_seconds"]),
    ]


_FAILED: Final = ("agent_failed", "benchmark_failed", "infrastructure_exhausted", "unfinished")
PAGE: Final = Page(slug="task", title="Task", parameters=frozenset({"benchmark", "edition", "task", "page"}), show=show)
