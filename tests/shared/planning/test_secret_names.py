"""Tests of the names of secrets: the deployment's, and those that the environments refer to."""

from shared.planning.secret_names import secret_names
from tests.builders.experiments import changed, good_tree, make_plan, small_tree


def test_references_and_listed_names_are_found() -> None:
    """Agent, sandbox, verifier and deployment each name a secret; a plain value names none."""
    tree = changed(small_tree(), "matrix.deployments.0.secret_names", ["LISTED"])
    tree = changed(tree, "harbor.job.environment.env", {"MODE": "fast", "PROXY": "x-${OF_SANDBOX}-${OF_PROXY:-none}"})
    tree = changed(tree, "harbor.job.verifier", {"env": {"JUDGE": "${OF_VERIFIER}"}})
    head = make_plan(tree).head
    found = secret_names(head, head.cells[0])
    assert found == ("LISTED", "OF_PROXY", "OF_SANDBOX", "OF_VERIFIER", "SERVICE_TOKEN")


def test_a_cell_sees_no_secret_of_another() -> None:
    """The oracle's cell needs none, though other cells of the plan do."""
    head = make_plan(good_tree()).head
    found = {cell.deployment_id: secret_names(head, cell) for cell in head.cells}
    assert found == {
        "none": (),
        "managed": ("HF_TOKEN", "SERVICE_TOKEN"),
        "paid": ("SERVICE_TOKEN",),
        "here": ("SERVICE_TOKEN",),
    }
