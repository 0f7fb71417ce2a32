"""`/compare`: two to four cells side by side and pair by pair: what differs, whether it is more than chance, what would tell."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.statistics.paired import task_differences
from space.components.choosing.beside import configuration_table, figures_table, metrics_table, tasks_table
from space.components.choosing.cells import cells_table
from space.components.choosing.pairs import pair_section
from space.components.choosing.picking import compare_form
from space.components.html import Markup, join, tag
from space.components.leaderboard import edition_line, strip
from space.components.paging import page_of, paging
from space.components.shell import head, panel
from space.components.subject import distinct_names, subject_line
from space.listings.cells import with_ranks
from space.listings.choosing.compare import LISTING, chosen_cells
from space.listings.leaderboard import LISTING as LEADERBOARD
from space.listings.listing import read, read_whole
from space.pages.page import Page
from space.queries.choosing import compare as query
from space.queries.view import MAX_CELLS, View, address
from space.readers.editions import choose_edition
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks

TASKS_A_PAGE: Final = 200
_PURPOSE: Final = (
    "Cells side by side: what differs between them, whether the difference is more than chance, and what would tell."
)

type Cells = Sequence[Mapping[str, Any]]


def show(view: View, mirror: Mirror) -> Markup:
    """Return the comparison that `view` asks for, or the list to pick cells from."""
    cells = with_ranks(view, mirror, chosen_cells(view, mirror))
    if not 2 <= len(cells) <= MAX_CELLS:
        return _pick(view, mirror, cells)
    named = {cell["cell_id"]: cell for cell in cells}
    pairs = read_whole(LISTING, view, mirror).rows
    benchmarks = sorted({cell["benchmark"] for cell in cells})
    up = [tag("a", f"Leaderboard of {name}", href=address(View("", {"benchmark": name}))) for name in benchmarks]
    return join(
        tag("p", *(join(", " if place else None, link) for place, link in enumerate(up)), class_="crumb"),
        head("Compare", _PURPOSE),
        figures_table(cells),
        *(pair_section(pair, named, _outcomes(mirror, pair)) for pair in pairs),
        tag("h2", "What differs in their configuration"),
        configuration_table(cells, query.CONFIGURATION),
        _metrics(mirror, cells),
        _tasks(view, mirror, cells, benchmarks),
    )


def _pick(view: View, mirror: Mirror, cells: Cells) -> Markup:
    """Offer the cells of one edition: that of the cell already named, else the one that the view means."""
    if cells:
        view = view.with_values(benchmark=cells[0]["benchmark"], edition=cells[0]["edition"][:12])
    chosen = choose_edition(view, mirror)
    listed = read(LEADERBOARD, view, mirror)
    picked = {cell["cell_id"] for cell in cells}
    table = cells_table(listed.rows, "Mark two to four cells.", "Cells to compare", picked=picked)
    return join(
        head("Compare", _PURPOSE),
        strip(chosen.benchmarks, chosen.benchmark, page="compare"),
        edition_line(chosen.benchmark, chosen.row, chosen.editions, page="compare"),
        _marked(view, cells) if cells else None,
        compare_form(view, None, table),
        paging(view, listed.page, listed.pages),
    )


def _marked(view: View, cells: Cells) -> Markup:
    """Say how many marks are missing, or how many are too many: then each marked cell has a link that leaves it out."""
    if len(cells) == 1:
        return tag("p", "Mark one to three cells to compare with ", subject_line(cells[0]), ".")
    ids = [cell["cell_id"] for cell in cells]
    names = distinct_names(cells)
    kept = [(one, View(view.page, {"cells": tuple(sorted(each for each in ids if each != one))})) for one in ids]
    listed = [tag("li", names[one], " ", tag("a", "leave it out", href=address(others))) for one, others in kept]
    said = f"{len(cells)} are marked. Leave out {len(cells) - MAX_CELLS}, here or by the boxes below; the marks are kept."
    return panel("At most four cells can be compared", tag("p", said, role="status"), tag("ul", *listed))


def _outcomes(mirror: Mirror, pair: Mapping[str, Any]) -> list[str]:
    """Return won, tied or lost for each task that a tested pair shares."""
    if pair["why_not"]:
        return []
    known = edition_ranks(mirror, pair["first_benchmark"], pair["first_edition"]).cells
    first, second = known[pair["first_cell_id"]].tasks, known[pair["second_cell_id"]].tasks
    shared = sorted(first.keys() & second.keys())
    differences = task_differences([first[name].mean for name in shared], [second[name].mean for name in shared])
    return ["won" if each > 0 else "lost" if each < 0 else "tied" for each in differences]


def _metrics(mirror: Mirror, cells: Cells) -> Markup | None:
    found = {
        cell["cell_id"]: {row["name"]: row for row in mirror.rows(query.metrics(cell["publication_id"], cell["cell_id"]))}
        for cell in cells
    }
    table = metrics_table(cells, found)
    return join(tag("h2", "Metrics"), table) if table else None


def _tasks(view: View, mirror: Mirror, cells: Cells, benchmarks: Sequence[str]) -> Markup:
    ids = tuple(cell["cell_id"] for cell in cells)
    total = mirror.one(query.task_count(ids))
    page, pages = page_of(view, int(total["total"]) if total else 0, TASKS_A_PAGE)
    tasks = mirror.rows(query.tasks(ids, TASKS_A_PAGE, (page - 1) * TASKS_A_PAGE))
    return join(tag("h2", "Tasks"), tasks_table(cells, tasks, benchmarks), paging(view, page, pages))


PAGE: Final = Page(
    slug="compare", title="Compare", parameters=LISTING.parameters | {"benchmark", "edition", "page", "per_page"}, show=show
)
