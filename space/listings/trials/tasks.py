"""The tasks of one edition, hardest first; or with `task`, one task in every edition of its benchmark. Two digests, two lines."""

from collections.abc import Sequence
from typing import Final

from shared.errors import Refused
from space.listings.listing import Field, Listing, read_whole
from space.queries.statement import Statement
from space.queries.trials import tasks as query
from space.queries.view import View
from space.readers.editions import Chosen, choose_edition
from space.readers.engine import Row
from space.readers.mirror import Mirror


def _ask(view: View, mirror: Mirror) -> Statement:
    chosen = choose_edition(view, mirror)
    if not view.text("task"):
        return query.tasks(chosen.benchmark, edition=chosen.edition)
    return query.tasks(chosen.benchmark, edition=chosen.edition if view.text("edition") else "", task=view.text("task"))


def tasks_of(chosen: Chosen, mirror: Mirror) -> Sequence[Row]:
    """Return all tasks of an edition in the list's order; made at its first use, since several pages need them whole."""
    asked = View("tasks", {"benchmark": chosen.benchmark, "edition": chosen.edition})
    key = f"tasks of {chosen.benchmark} {chosen.edition}"
    return mirror.remembered(key, lambda: read_whole(LISTING, asked, mirror).rows)


def unknown_task(task: str) -> Refused:
    """Return the error of a task that no standing cell of the benchmark ran."""
    said = f"no task {task!r} is published in this benchmark" if task else "the address names no task"
    return Refused("view.not_published", said, field="task", way_out="Open the list of tasks.")


LISTING: Final = Listing(
    name="tasks",
    title="Tasks",
    parameters=frozenset({"benchmark", "edition", "task"}),
    fields=(
        Field("benchmark"),
        Field("edition"),
        Field("task_name"),
        Field("task_digest", meaning="over the task's files: another digest is another task"),
        Field("mark", meaning="never_, sometimes_ or always_solved, not_scored, not_tried; Harbor's own agents aside"),
        Field("solve_rate", "float", "passed trials over planned trials, Harbor's own agents (oracle, nop) not counted"),
        Field("passed_trials", "int"),
        Field("planned_trials", "int"),
        Field("cells", "int", "cells that tried it, Harbor's own agents not counted"),
        Field("solving_cells", "int", "cells that passed it at least once"),
        Field("scored_trials", "int"),
        Field("agent_failed_trials", "int"),
        Field("benchmark_failed_trials", "int"),
        Field("infrastructure_exhausted_trials", "int"),
        Field("unfinished_trials", "int"),
        Field("mean_seconds", "seconds", "mean duration of the selected attempts"),
        Field("timed_trials", "int"),
        Field("solution_passed", "int", "trials of the oracle, which plays back the reference solution, that passed"),
        Field("solution_trials", "int"),
        Field("nothing_passed", "int", "trials of nop, which does nothing, that passed: above 0 the task passes by itself"),
        Field("nothing_trials", "int"),
        Field("trial_seconds", "int"),
        Field("repeats", "int"),
        Field("sandbox"),
        Field("source_checked", "bool", "whether source check was run on the tasks of every cell here"),
        Field("source_flags", "texts", "what source check found"),
    ),
    ask=_ask,
)
