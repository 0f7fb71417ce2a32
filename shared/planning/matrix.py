"""The matrix: the product of models, deployments and agents, thinned by include and exclude rules.

A deployment of kind `none` is combined with the model `none` instead of the listed models, so that a cell always has a model, a
deployment and an agent. Every refusal is a `MATRIX_*` that names the entry.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from shared.documents.experiment.matrix import NO_MODEL, Matrix, Rule
from shared.errors import BadInput
from shared.planning.limits import MAX_CELLS


class Point(NamedTuple):
    """One point of the matrix, by the ids of its parts."""

    model: str
    deployment: str
    agent: str


def expand_matrix(matrix: Matrix) -> list[Point]:
    """Return the points that the rules leave, sorted by their ids; raise BadInput `MATRIX_*` naming what is wrong."""
    _refuse_duplicates(matrix)
    product = list(_product(matrix))
    known = _known_ids(matrix)
    kept = _matched(product, matrix.include, "include", known) if matrix.include else set(product)
    dropped = _matched(product, matrix.exclude, "exclude", known)
    points = sorted(kept - dropped)
    if not points:
        way_out = "Relax the include and exclude rules." if product else "List a model, or use a deployment of kind none."
        raise BadInput("MATRIX_EMPTY", "no cell is left.", field="matrix", way_out=way_out)
    if len(points) > MAX_CELLS:
        message = f"{len(points)} cells are asked for, more than {MAX_CELLS}."
        raise BadInput("PLAN_TOO_LARGE", message, field="matrix", way_out="Split the experiment.")
    return points


def _product(matrix: Matrix) -> Iterator[Point]:
    models = [model.id for model in matrix.models]
    for deployment in matrix.deployments:
        for model in [NO_MODEL] if deployment.kind == "none" else models:
            for agent in matrix.agents:
                yield Point(model, deployment.id, agent.id)


def _refuse_duplicates(matrix: Matrix) -> None:
    for name in ("models", "deployments", "agents"):
        seen: set[str] = set()
        for index, entry in enumerate(getattr(matrix, name)):
            field = f"matrix.{name}[{index}].id"
            if entry.id in seen:
                raise BadInput("MATRIX_DUPLICATE_ID", f"the id {entry.id!r} stands twice.", field=field, way_out="Rename one.")
            if name == "models" and entry.id == NO_MODEL:
                raise BadInput("MATRIX_RESERVED_ID", "none means that a cell has no model.", field=field, way_out="Rename it.")
            seen.add(entry.id)


def _known_ids(matrix: Matrix) -> dict[str, set[str]]:
    models = {model.id for model in matrix.models}
    if any(deployment.kind == "none" for deployment in matrix.deployments):
        models.add(NO_MODEL)
    deployments = {deployment.id for deployment in matrix.deployments}
    return {"model": models, "deployment": deployments, "agent": {agent.id for agent in matrix.agents}}


def _matched(product: Iterable[Point], rules: tuple[Rule, ...], field: str, known: dict[str, set[str]]) -> set[Point]:
    found: set[Point] = set()
    for index, rule in enumerate(rules):
        where = f"matrix.{field}[{index}]"
        wanted = {name: value for name, value in rule if value is not None}
        for dimension, value in wanted.items():
            if value not in known[dimension]:
                some = ", ".join(sorted(known[dimension])[:8])
                message = f"no {dimension} has the id {value!r}."
                raise BadInput("MATRIX_UNKNOWN_ID", message, field=f"{where}.{dimension}", way_out=f"Known: {some}.")
        matched = {point for point in product if all(getattr(point, name) == value for name, value in wanted.items())}
        if not matched:
            raise BadInput("MATRIX_UNMATCHED_RULE", "the rule matches no cell.", field=where, way_out="Remove or correct it.")
        found |= matched
    return found
