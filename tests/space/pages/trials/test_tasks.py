"""`/tasks` and `/task`: every number recomputed with pyarrow alone; digests and editions are never merged."""

import re
from collections import defaultdict
from statistics import fmean
from typing import Any

import pytest

from shared.errors import Refused
from space.components.figures import duration
from space.listings.listing import discover, read_whole
from space.pages.page import discover as pages
from space.pages.task import show as show_task
from space.pages.trials.tasks import show
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.builders.troubles import ALWAYS, BENCHMARK, NEVER, TWICE
from tests.space.pages.test_numbers import plain, table_rows
from tests.space.pages.trials.conftest import Rows

LISTING = discover()["tasks"]


def expected(rows: Rows, edition: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what the trials of one edition say of each task and digest."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for trial in rows.of_edition(edition):
        groups[trial["task_name"], trial["task_digest"]].append(trial)
    found = {}
    for key, trials in groups.items():
        ours = [trial for trial in trials if rows.is_ours(trial)]
        agents = {name: [t for t in trials if rows.cells[t["cell_id"]]["agent_name"] == name] for name in ("oracle", "nop")}
        seconds = [trial["duration_seconds"] for trial in ours if trial["duration_seconds"] is not None]
        passed = sum(bool(trial["passed"]) for trial in ours)
        found[key] = {
            "passed_trials": passed,
            "planned_trials": len(ours),
            "solve_rate": passed / len(ours),
            "cells": len({trial["cell_id"] for trial in ours}),
            "solving_cells": len({trial["cell_id"] for trial in ours if trial["passed"]}),
            "scored_trials": sum(trial["outcome"] == "scored" for trial in ours),
            "agent_failed_trials": sum(trial["outcome"] == "agent_failed" for trial in ours),
            "benchmark_failed_trials": sum(trial["outcome"] == "benchmark_failed" for trial in ours),
            "infrastructure_exhausted_trials": sum(trial["outcome"] == "infrastructure_exhausted" for trial in ours),
            "unfinished_trials": sum(trial["outcome"] is None for trial in ours),
            "mean_seconds": pytest.approx(fmean(seconds)),
            "timed_trials": len(seconds),
            "solution_passed": sum(bool(trial["passed"]) for trial in agents["oracle"]),
            "solution_trials": len(agents["oracle"]),
            "nothing_passed": sum(bool(trial["passed"]) for trial in agents["nop"]),
            "nothing_trials": len(agents["nop"]),
        }
    return found


def asked(**values: str) -> View:
    """Return a view of the list of tasks."""
    return View("tasks", {"benchmark": BENCHMARK, **values})


@pytest.mark.parametrize("repeats", [2, 3])
def test_every_number_of_every_task(troubled: Mirror, rows: Rows, repeats: int) -> None:
    """Each task and digest of an edition once, hardest first, with the numbers that its trials give."""
    edition = rows.edition(repeats)
    found = read_whole(LISTING, asked(edition=edition), troubled).published
    wanted = expected(rows, edition)
    names = list(next(iter(wanted.values())))
    assert {(row["task_name"], row["task_digest"]): {name: row[name] for name in names} for row in found} == wanted
    assert len(found) == len(wanted)
    order = [(row["solve_rate"], row["task_name"], row["task_digest"]) for row in found]
    assert order == sorted(order)


def test_the_page_shows_the_numbers_of_the_list(troubled: Mirror, rows: Rows) -> None:
    """Rate, counts, cells, failures and time of each line stand on the page, in the order of the list."""
    listed = read_whole(LISTING, asked(edition=rows.edition()), troubled).rows
    lines = re.findall(r"<tr>(.*?)</tr>", str(show(asked(edition=rows.edition()), troubled)))[1:]
    assert len(lines) == len(listed)
    for row, line in zip(listed, lines, strict=True):
        text = plain(line)
        assert text.startswith(f"{row['task_name']} {row['task_digest'][:12]} {100 * row['solve_rate']:.1f}% ")
        assert f"{row['passed_trials']}/{row['planned_trials']} {row['solving_cells']} of {row['cells']}" in text
        assert str(duration(row["mean_seconds"])) in text
        assert ("unfinished" in text) == bool(row["unfinished_trials"])
        assert ("never solved" in text) == (row["mark"] == "never_solved")


def test_which_tasks_nobody_solves_is_two_clicks_away(troubled: Mirror) -> None:
    """The navigation leads to Tasks, whose first sentence names them; Harbor's oracle, which knows the answer, is nobody."""
    assert any(page.slug == "tasks" and page.in_nav for page in pages())
    text = plain(show(asked(), troubled))
    assert f"Nobody solves: 1 of 12 tasks. {NEVER}" in text
    oracle = [row for row in read_whole(LISTING, asked(), troubled).rows if row["task_name"] == NEVER]
    assert [(row["mark"], row["solution_passed"]) for row in oracle] == [("never_solved", 2)]


def test_two_digests_are_two_lines(troubled: Mirror, rows: Rows) -> None:
    """A task whose content changed stands twice in the list and twice on its page, never added up."""
    found = [row for row in read_whole(LISTING, asked(edition=rows.edition()), troubled).rows if row["task_name"] == TWICE]
    assert len({row["task_digest"] for row in found}) == len(found) == 2
    text = plain(show_task(View("task", {"benchmark": BENCHMARK, "task": TWICE}), troubled))
    assert "This name had 2 contents" in text
    for row in found:
        assert row["task_digest"] in text
        assert f"Solved {row['passed_trials']} of {row['planned_trials']} trials" in text
    both = sum(row["passed_trials"] for row in found), sum(row["planned_trials"] for row in found)
    assert f"{both[0]} of {both[1]} trials" not in text


def test_nothing_is_added_up_over_editions(troubled: Mirror, rows: Rows) -> None:
    """On the page of a task each edition is a section with its own numbers and its own cells."""
    markup = str(show_task(View("task", {"benchmark": BENCHMARK, "task": ALWAYS}), troubled))
    sections = markup.split("<section>")[1:]
    assert len(sections) == 2
    for section in sections:
        edition = next(each for each in {rows.edition(2), rows.edition(3)} if each in section)
        wanted = expected(rows, edition)[ALWAYS, next(t["task_digest"] for t in rows.trials if t["task_name"] == ALWAYS)]
        assert f"Solved {wanted['passed_trials']} of {wanted['planned_trials']} trials" in plain(section)
        cells = {trial["cell_id"] for trial in rows.of_edition(edition) if trial["task_name"] == ALWAYS}
        assert set(table_rows(section)) <= cells
        assert f"{len(cells)} cells" in plain(section)


def test_a_task_that_is_not_published_is_refused(troubled: Mirror) -> None:
    """An unknown name, and none at all."""
    for values in ({"benchmark": BENCHMARK, "task": "task-9999"}, {"benchmark": BENCHMARK}):
        with pytest.raises(Refused, match="task") as caught:
            show_task(View("task", values), troubled)
        assert caught.value.code == "view.not_published"
