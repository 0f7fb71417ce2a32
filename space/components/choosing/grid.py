"""The grid of models and agents: a square lists its cells with score, rank range and bounds as text, or says that it is empty."""

from collections.abc import Mapping, Sequence
from typing import Any

from space.components.choosing.cells import linked_score, standing_of
from space.components.html import Child, Markup, join, tag
from space.components.score import bounds_text, interval_text
from space.components.subject import NO_MODEL, cell_address, deployment_name, model_name
from space.components.table import Column, table
from space.queries.view import KEYS, View, address

type Square = Sequence[Mapping[str, Any]]


def grid_table(models: Sequence[str], agents: Sequence[str], squares: Mapping[tuple[str, str], Square], *, asks: bool) -> Markup:
    """Return the grid; `asks` says whether an empty square offers a request for its run."""
    columns = [Column("Model"), *(Column(agent) for agent in agents)]
    rows = [[_model(model), *(_square(model, agent, squares[model, agent], asks=asks) for agent in agents)] for model in models]
    caption = (
        "Each square lists every cell of its model and agent: score, 95% interval, rank range, bounds where trials were lost."
    )
    return table(caption, columns, rows, name="Models and agents", class_="grid")


def _model(model: str) -> Markup:
    if model == NO_MODEL or KEYS["model"].read(model) is None:
        return model_name(model)
    return tag("a", model_name(model), href=address(View("model", {"model": model})), class_="grid-model")


def _square(model: str, agent: str, cells: Square, *, asks: bool) -> Child:
    if cells[0]["square"] == "not_applicable":
        return tag("span", "not applicable", class_="missing", title="this agent and a model do not go together")
    if cells[0]["square"] == "not_run":
        return _not_run(cells[0]["benchmark"], model, agent, asks=asks)
    return join(*(_cell(cell) for cell in cells))


def _not_run(benchmark: str, model: str, agent: str, *, asks: bool) -> Markup:
    wanted = {"benchmark": benchmark, "model": model, "agent": agent}
    can_ask = asks and all(KEYS[key].read(value) is not None for key, value in wanted.items())
    request = tag("a", "request it", href=address(View("request", wanted))) if can_ask else None
    return tag("div", tag("span", "not run", class_="missing"), " " if request else None, request, class_="not-run")


def _cell(cell: Mapping[str, Any]) -> Markup:
    lost = bounds_text(cell)
    place = cell["hardware"] or cell["provider"]
    served = join(deployment_name(cell), f", {place}" if place else None)
    interval = tag("span", interval_text(cell), class_="muted") if cell["score"] is not None else None
    standing = join("rank ", standing_of(cell)) if cell["is_ranked"] else standing_of(cell)
    return tag(
        "div",
        tag("div", tag("strong", linked_score(cell)), " ", interval),
        tag("div", standing, class_="second-line"),
        tag("div", lost, class_="second-line") if lost else None,
        tag("div", tag("a", served, href=cell_address(cell["cell_id"])), class_="second-line"),
        class_="grid-cell",
    )
