"""Cells x tasks of one edition: one row per cell and task with its passed count, hardest task first, best cell first."""

from typing import Final

from space.listings.listing import Field, Listing
from space.queries.statement import Statement
from space.queries.trials import tasks as query
from space.queries.view import View
from space.readers.editions import choose_edition
from space.readers.mirror import Mirror


def _ask(view: View, mirror: Mirror) -> Statement:
    chosen = choose_edition(view, mirror)
    return query.matrix(chosen.benchmark, chosen.edition, task=view.text("task"))


LISTING: Final = Listing(
    name="matrix",
    title="Cells and tasks",
    parameters=frozenset({"benchmark", "edition", "task"}),
    fields=(
        Field("benchmark"),
        Field("edition"),
        Field("task_place", "int", "1 is the hardest task of the edition"),
        Field("task_name"),
        Field("task_digest"),
        Field("cell_place", "int", "1 is the cell with the highest score; an order, no rank"),
        Field("cell_id"),
        Field("model_repo"),
        Field("agent_name"),
        Field("passed", "int"),
        Field("trials", "int"),
        Field("scored", "int"),
        Field("agent_failed", "int"),
        Field("benchmark_failed", "int"),
        Field("infrastructure_exhausted", "int"),
        Field("unfinished", "int"),
        Field("mean_reward", "float", "sum of rewards / planned trials"),
        Field("attempts", "int"),
        Field("mean_seconds", "seconds"),
    ),
    ask=_ask,
)
