"""Tests of the matrix: the product, the rules, and each refusal."""

from typing import Any

import pytest

from shared.errors import BadInput
from shared.planning.matrix import Point, expand_matrix
from tests.builders.experiments import changed, good_tree, read


def points(tree: Any) -> list[Point]:
    return expand_matrix(read(tree).matrix)


def refusal(tree: Any) -> tuple[str, str]:
    with pytest.raises(BadInput) as caught:
        points(tree)
    assert caught.value.way_out
    return caught.value.code, caught.value.field


def without_rules() -> Any:
    return changed(changed(good_tree(), "matrix.include", []), "matrix.exclude", [])


def test_without_rules_every_combination_is_a_cell() -> None:
    """One model on three deployments, and no model on the fourth, each with two agents."""
    assert len(points(without_rules())) == 8


def test_a_deployment_without_a_model_is_combined_with_none() -> None:
    """Cells of kind none have the model none, and only that."""
    assert {point.model for point in points(without_rules()) if point.deployment == "none"} == {"none"}
    assert {point.model for point in points(without_rules()) if point.deployment == "here"} == {"small"}


def test_no_model_is_needed_where_nothing_serves_one() -> None:
    """Models may be left out when every deployment is of kind none."""
    tree = changed(without_rules(), "matrix.deployments", [{"id": "none", "kind": "none"}])
    assert len(points(changed(tree, "matrix.models", []))) == 2


def test_include_keeps_then_exclude_drops() -> None:
    """The rules of the manifest leave four cells."""
    found = {(point.deployment, point.agent) for point in points(good_tree())}
    assert found == {("none", "oracle"), ("managed", "shell"), ("paid", "shell"), ("here", "shell")}


def test_a_dimension_left_out_matches_all() -> None:
    """A rule that names an agent only keeps all its cells."""
    assert len(points(changed(changed(good_tree(), "matrix.include", [{"agent": "shell"}]), "matrix.exclude", []))) == 4


@pytest.mark.parametrize(
    ("path", "value", "code", "field"),
    [
        ("matrix.include", [{"agent": "shel"}], "MATRIX_UNKNOWN_ID", "matrix.include[0].agent"),
        ("matrix.exclude", [{"model": "large"}], "MATRIX_UNKNOWN_ID", "matrix.exclude[0].model"),
        ("matrix.exclude", [{"agent": "oracle"}, {"deployment": "her"}], "MATRIX_UNKNOWN_ID", "matrix.exclude[1].deployment"),
        ("matrix.include", [{"model": "small", "deployment": "none"}], "MATRIX_UNMATCHED_RULE", "matrix.include[0]"),
        ("matrix.exclude", [{}], "MATRIX_EMPTY", "matrix"),
        ("matrix.models.0.id", "none", "MATRIX_RESERVED_ID", "matrix.models[0].id"),
        ("matrix.agents.1.id", "oracle", "MATRIX_DUPLICATE_ID", "matrix.agents[1].id"),
        ("matrix.deployments.3.id", "paid", "MATRIX_DUPLICATE_ID", "matrix.deployments[3].id"),
    ],
)
def test_each_refusal_names_the_entry(path: str, value: Any, code: str, field: str) -> None:
    """Unknown and repeated ids, rules that match nothing and an empty result are refused."""
    assert refusal(changed(good_tree(), path, value)) == (code, field)


def test_more_than_1000_cells_are_refused() -> None:
    """The limit is 1,000 cells."""
    agents = [{"id": f"a{n}", "revision": "1.0", "revision_kind": "package", "agent": {"name": f"a{n}"}} for n in range(1000)]
    tree = changed(changed(without_rules(), "matrix.agents", agents), "matrix.deployments", [{"id": "none", "kind": "none"}])
    assert len(points(tree)) == 1000
    tree["matrix"]["deployments"].append({"id": "also", "kind": "none"})
    assert refusal(tree)[0] == "PLAN_TOO_LARGE"
