"""`/grid`: model x agent of one edition; a square lists all its cells, an empty one says that nobody ran it."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.plural import counted
from space.components.choosing.grid import grid_table
from space.components.html import Markup, join, tag
from space.components.leaderboard import edition_line, strip
from space.components.paging import page_of, paging
from space.components.shell import head
from space.listings.choosing.grid import LISTING
from space.listings.listing import read_whole
from space.pages.page import Page, discover
from space.queries.view import View
from space.readers.editions import choose_edition
from space.readers.mirror import Mirror

MODELS_A_PAGE: Final = 40
CELLS_A_PAGE: Final = 400
_PURPOSE: Final = "Which model was tried with which agent on one benchmark, and how each did. Nothing is picked or averaged."


def show(view: View, mirror: Mirror) -> Markup:
    """Return the grid of the edition that `view` means."""
    chosen = choose_edition(view, mirror)
    rows = read_whole(LISTING, view, mirror).rows
    squares: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        squares[row["model_repo"], row["agent_name"]].append(row)
    models = list(dict.fromkeys(model for model, _ in squares))
    agents = list(dict.fromkeys(agent for _, agent in squares))
    split = _split(models, Counter(row["model_repo"] for row in rows))
    page, pages = page_of(view, len(split), 1)
    shown = split[page - 1] if split else []
    counts = [sum(row["square"] == name for row in rows) for name in ("run", "not_run")]
    gone = sum(row["record"] in {"withdrawn", "superseded"} for row in rows)
    words = [counted(number, word) for number, word in zip(counts, ("cell", "square"), strict=True)]
    listed = f"{words[0]} listed{f' ({gone:,} withdrawn or superseded)' if gone else ''}"
    status = tag("p", f"{listed}, {words[1]} not run", role="status", class_="count")
    asks = any(each.slug == "request" for each in discover())
    return join(
        head("Grid", _PURPOSE),
        strip(chosen.benchmarks, chosen.benchmark, page="grid"),
        edition_line(chosen.benchmark, chosen.row, chosen.editions, page="grid"),
        status,
        grid_table(shown, agents, squares, asks=asks) if shown else tag("p", "This edition has no cells of this kind."),
        paging(view, page, pages),
    )


def _split(models: Sequence[str], cells: Mapping[str, int]) -> list[list[str]]:
    """Return the models of each page: as many as fit, and never less than one, whose squares are not divided."""
    split: list[list[str]] = []
    held = 0
    for model in models:
        if not split or len(split[-1]) == MODELS_A_PAGE or held + cells[model] > CELLS_A_PAGE:
            split.append([])
            held = 0
        split[-1].append(model)
        held += cells[model]
    return split


PAGE: Final = Page(slug="grid", title="Grid", parameters=LISTING.parameters | {"page"}, show=show, in_nav=True, order=20)
