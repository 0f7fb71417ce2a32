"""Tests of the agents of a plan: known, pinned, with kwargs that they take, on a route that fits them."""

from typing import Any

import pytest

from runner.agents.definition import AgentDefinition
from runner.usecases.runs.check_agents import check_agents
from shared.errors import BadInput
from tests.builders.experiments import Tree, changed, good_tree, make_plan, read, small_tree

SHELL = AgentDefinition("shell", "1.2.0", "runner.agents.shell.agent:ShellAgent", "chat_completions", frozenset({"max_turns"}))


def check(tree: Tree) -> None:
    check_agents(read(tree), make_plan(tree).head, {SHELL.import_path: SHELL})


def refusal(tree: Tree) -> tuple[str, str]:
    with pytest.raises(BadInput) as caught:
        check(tree)
    assert caught.value.way_out
    return caught.value.code, caught.value.field


def test_agents_on_their_routes_pass() -> None:
    """Oracle without a model, the shell agent with one."""
    check(good_tree())


@pytest.mark.parametrize(
    ("path", "value", "code", "field"),
    [
        ("agent", {"import_path": "elsewhere:Agent"}, "AGENT_UNKNOWN", "matrix.agents[0].agent.import_path"),
        ("agent.kwargs", {"turns": 1}, "AGENT_KWARGS", "matrix.agents[0].agent.kwargs.turns"),
    ],
)
def test_an_agent_that_is_not_as_asked_is_refused(path: str, value: Any, code: str, field: str) -> None:
    """Unknown agents and unknown kwargs are named."""
    assert refusal(changed(small_tree(), f"matrix.agents.0.{path}", value)) == (code, field)


def test_the_pinned_version_is_the_one_of_the_checkout() -> None:
    """Another version would be recorded and not run."""
    agent = {**small_tree()["matrix"]["agents"][0], "revision_kind": "package", "revision": "1.2.0"}
    check(changed(small_tree(), "matrix.agents.0", agent))
    assert refusal(changed(small_tree(), "matrix.agents.0", {**agent, "revision": "1.2.1"})) == (
        "AGENT_REVISION",
        "matrix.agents[0].revision",
    )


def test_a_custom_agent_is_no_part_of_harbor() -> None:
    """Its revision is its own."""
    agent = {**small_tree()["matrix"]["agents"][0], "revision_kind": "harbor", "revision": "0.26.0"}
    assert refusal(changed(small_tree(), "matrix.agents.0", agent)) == ("AGENT_REVISION", "matrix.agents[0].revision_kind")


def test_an_agent_that_asks_a_model_needs_one() -> None:
    """A deployment that serves none is no route for it."""
    tree = changed(changed(good_tree(), "matrix.include", []), "matrix.exclude", [{"agent": "oracle"}])
    assert refusal(tree) == ("MATRIX_NEEDS_MODEL", "matrix")


@pytest.mark.parametrize("name", ["oracle", "nop"])
def test_an_agent_that_asks_no_model_lends_no_model_its_score(name: str) -> None:
    """The oracle on a server would be a line of a model that it never asked."""
    agent = {"id": name, "revision": "0.26.0", "revision_kind": "harbor", "agent": {"name": name}}
    assert refusal(changed(small_tree(), "matrix.agents.0", agent)) == ("MATRIX_NEEDS_NO_MODEL", "matrix")


def test_an_agent_needs_a_deployment_of_its_api() -> None:
    """Chat completions are not responses."""
    assert refusal(changed(small_tree(), "matrix.deployments.0.api", "responses")) == ("AGENT_API", "matrix.agents[0]")
