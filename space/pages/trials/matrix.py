"""`/matrix`: cells x tasks of one edition, hardest task first; a page holds 40 cells and 120 tasks."""

from typing import Final

from shared.plural import counted
from space.components.html import Markup, join, tag
from space.components.leaderboard import edition_line, strip
from space.components.measured.matrix import matrix_table
from space.components.paging import paging
from space.components.shell import head, panel
from space.listings.trials.matrix import LISTING
from space.listings.trials.tasks import tasks_of
from space.pages.page import Page
from space.queries.trials import tasks as query
from space.queries.view import View, address
from space.readers.editions import Chosen, choose_edition
from space.readers.mirror import Mirror

CELLS: Final = 40
TASKS: Final = 120
_PURPOSE: Final = "How many repeats of each task each cell passed: what separates cells, and what none of them can do."


def show(view: View, mirror: Mirror) -> Markup:
    """Return the block of the matrix that `view` asks for: blocks go through the tasks first, then through the cells."""
    chosen = choose_edition(view, mirror)
    top = join(
        head("Cells and tasks", _PURPOSE),
        tag("p", tag("a", "Tasks as a list", href=_list_address(chosen)), class_="crumb"),
        strip(chosen.benchmarks, chosen.benchmark, page="matrix"),
        edition_line(chosen.benchmark, chosen.row, chosen.editions, page="matrix"),
    )
    squares = LISTING.ask(view.with_values(task=""), mirror)
    extent = mirror.asked(query.extent(squares))[0]
    if not extent["cells"]:
        return join(top, panel("No square to show", tag("p", "No cell of this edition stands."), kind="empty"))
    across, down = -(-extent["tasks"] // TASKS), -(-extent["cells"] // CELLS)
    page = min(view.number("page"), across * down)
    cells, tasks = _range((page - 1) // across, CELLS), _range((page - 1) % across, TASKS)
    columns = [
        {**row, "task_place": place} for place, row in enumerate(tasks_of(chosen, mirror), 1) if tasks[0] <= place <= tasks[1]
    ]
    said = f"{counted(extent['cells'], 'cell')}, best score first, on {counted(extent['tasks'], 'task')}, hardest first."
    if across * down > 1:
        last_cell, last_task = min(cells[1], extent["cells"]), min(tasks[1], extent["tasks"])
        said += f" Shown are cells {cells[0]} to {last_cell} on tasks {tasks[0]} to {last_task}."
    caption = f"{said} Each square holds how many of {counted(chosen.row['repeats'], 'repeat')} passed."
    return join(
        top, matrix_table(mirror.rows(query.block(squares, cells, tasks)), columns, caption), paging(view, page, across * down)
    )


def _range(block: int, size: int) -> tuple[int, int]:
    return block * size + 1, (block + 1) * size


def _list_address(chosen: Chosen) -> str:
    return address(View("tasks", {"benchmark": chosen.benchmark, "edition": chosen.edition[:12]}))


PAGE: Final = Page(slug="matrix", title="Cells and tasks", parameters=frozenset({"benchmark", "edition", "page"}), show=show)
