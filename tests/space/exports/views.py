"""One view of every list, with the ids that a mirror has: what the tests of answers and files go through."""

from collections.abc import Iterator

from space.listings.listing import Listing, discover
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.mirror import Mirror

NAMES = tuple(discover())


def views_of(name: str, mirror: Mirror) -> Iterator[tuple[Listing, View]]:
    """Yield a list with views of it: without any key, and with each id that it reads."""
    listing = discover()[name]
    cells = [row["cell_id"] for row in mirror.rows(Statement("SELECT cell_id FROM cell WHERE stands ORDER BY edition, cell_id"))]
    ids = {
        "cell_id": cells[0],
        "run_id": mirror.rows(Statement("SELECT run_id FROM run ORDER BY run_id"))[0]["run_id"],
        "task": mirror.rows(Statement("SELECT task_name FROM cell_task ORDER BY task_name"))[0]["task_name"],
        "trial_id": mirror.rows(Statement("SELECT trial_id FROM trials ORDER BY trial_id"))[0]["trial_id"],
        "attempt_id": mirror.rows(Statement("SELECT attempt_id FROM attempts ORDER BY attempt_id"))[0]["attempt_id"],
    }
    page = f"api/v1/{name}"
    if name == "compare":
        yield listing, View(page, {"cells": tuple(sorted(cells[:3]))})
        return
    if name != "history":
        yield listing, View(page, {})
    for key, value in ids.items():
        if key in listing.parameters:
            yield listing, View(page, {key: value})
    if "q" in listing.parameters:
        yield listing, View(page, {"q": "a'b?"})
    if "models" in listing.parameters:
        yield listing, View(page, {"models": ("example/coral-7b", "none")})
