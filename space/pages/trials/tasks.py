"""`/tasks`: the tasks of one edition, hardest first: which does nobody solve, which everybody."""

from typing import Final

from shared.plural import counted
from space.components.html import Markup, join, tag
from space.components.leaderboard import edition_line, strip
from space.components.measured.tasks import summary, tasks_table
from space.components.paging import paging, slice_of
from space.components.shell import head, panel
from space.listings.trials.tasks import tasks_of
from space.pages.page import Page
from space.queries.view import View, address
from space.readers.editions import choose_edition
from space.readers.mirror import Mirror

_PURPOSE: Final = "How often each task of an edition is solved, and by how many cells. No task text: tasks are not given away."


def show(view: View, mirror: Mirror) -> Markup:
    """Return the tasks of the edition that `view` means."""
    chosen = choose_edition(view, mirror)
    whole = tasks_of(chosen, mirror)
    page, pages, rows = slice_of(view, whole)
    return join(
        head("Tasks", _PURPOSE),
        strip(chosen.benchmarks, chosen.benchmark, page="tasks"),
        edition_line(chosen.benchmark, chosen.row, chosen.editions, page="tasks"),
        *(
            (
                summary(whole),
                _to_matrix(chosen.benchmark, chosen.edition),
                tag("p", counted(len(whole), "task"), role="status", class_="count"),
                tasks_table(rows),
                paging(view, page, pages),
            )
            if whole
            else (panel("No task to show", tag("p", "No cell of this edition stands, so no task was tried."), kind="empty"),)
        ),
    )


def _to_matrix(benchmark: str, edition: str) -> Markup:
    link = tag("a", "Every cell on every task", href=address(View("matrix", {"benchmark": benchmark, "edition": edition[:12]})))
    return tag("p", link, " as a matrix.")


PAGE: Final = Page(
    slug="tasks",
    title="Tasks",
    parameters=frozenset({"benchmark", "edition", "page", "per_page"}),
    show=show,
    in_nav=True,
    order=30,
)
