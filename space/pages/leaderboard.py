"""`/`: the cells of one benchmark and edition in one table, best score first; below it, what is not ranked, with the reason."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from space.components.figures import day, duration, missing, money
from space.components.html import Child, Markup, join, tag
from space.components.score import score_block
from space.components.shell import head, panel
from space.components.table import Column, table
from space.pages.page import Page
from space.queries import leaderboard as query
from space.queries.view import View, address
from space.readers.mirror import Mirror


def show(view: View, mirror: Mirror) -> Markup:
    """Return the leaderboard that `view` asks for."""
    benchmarks = mirror.rows(query.benchmarks())
    if not benchmarks:
        return join(
            head("Leaderboard", _PURPOSE), panel("Nothing published yet", tag("p", "The first publication shows up here."))
        )
    known = [row["benchmark"] for row in benchmarks]
    benchmark = view.text("benchmark") if view.text("benchmark") in known else known[0]
    editions = mirror.rows(query.editions(benchmark))
    edition = next(
        (row for row in editions if view.text("edition") and row["edition"].startswith(view.text("edition"))), editions[0]
    )
    rows = mirror.rows(query.rows(view, benchmark, edition["edition"], is_ranked=True, limit=50, offset=0))
    return join(head("Leaderboard", _PURPOSE), _table(view, rows))


_PURPOSE: Final = "How well agents and models solve a benchmark's tasks, every number traceable to sealed evidence."


def _table(view: View, rows: Sequence[Mapping[str, Any]]) -> Markup:
    return table("Cells by score", _columns(view), [_row(row) for row in rows], name="Leaderboard rows")


def _columns(view: View) -> list[Column]:
    def sortable(title: str, key: str) -> Column:
        is_sorted = view.text("sort") == key
        now = query.direction_of(view)
        link = view.with_values(sort=key, dir=("asc" if now == "desc" else "desc") if is_sorted else "", page=1)
        return Column(
            title,
            is_number=True,
            sort_link=address(link),
            sorted_as=("descending" if now == "desc" else "ascending") if is_sorted else "",
        )

    return [
        Column("Model and agent"),
        sortable("Score", "score"),
        sortable("Passed", "pass_rate"),
        sortable("Cost per trial", "cost"),
        sortable("Time per trial", "duration"),
        sortable("Completed", "completed"),
    ]


def _row(row: Mapping[str, Any]) -> list[Child]:
    cost = None if row["cost_usd_micros"] is None else row["cost_usd_micros"] // row["planned_trials"]
    link = address(View("cell", {"cell_id": row["cell_id"]}))
    return [
        tag("a", row["model_repo"], " ", row["agent_name"], href=link),
        score_block(row),
        f"{row['passed_trials']} / {row['planned_trials']}",
        money(cost, row["cost_observation"]),
        duration(row["trial_seconds_mean"]) if row["trial_seconds_mean"] is not None else missing(),
        day(row["completed_at"]),
    ]


PAGE: Final = Page(
    slug="",
    title="Leaderboard",
    parameters=frozenset({"benchmark", "edition", "models", "agents", "q", "reruns", "sort", "dir", "page", "per_page"}),
    show=show,
    in_nav=True,
    order=10,
)
