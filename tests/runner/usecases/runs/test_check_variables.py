"""Tests of the variables that tasks take from outside: seen by every attempt that looks them up, or refused at planning."""

import pytest

from runner.ports.compute.harness import TaskVariable
from runner.usecases.runs.check_variables import check_variables
from shared.errors import BadInput
from tests.builders.experiments import Tree, changed, good_tree, make_plan, small_tree

NAME = "JUDGE_KEY"


def check(tree: Tree, section: str, key: str = "KEY", name: str = NAME) -> None:
    head = make_plan(tree).head
    check_variables(head, {head.tasks[0].name: [TaskVariable(section, key, name)]})


@pytest.mark.parametrize(
    ("section", "field"), [("verifier", "harbor.job.verifier.env"), ("environment", "harbor.job.environment.env")]
)
def test_a_variable_that_no_attempt_sees_is_refused(section: str, field: str) -> None:
    """The refusal names task, variable and the place where it can be given."""
    with pytest.raises(BadInput) as caught:
        check(small_tree(), section)
    assert (caught.value.code, caught.value.field) == ("SECRET_MISSING", field)
    task = make_plan(small_tree()).head.tasks[0].name
    assert NAME in caught.value.message
    assert task in caught.value.message
    assert f"{NAME}: ${{{NAME}}}" in caught.value.way_out


@pytest.mark.parametrize("section", ["verifier", "environment"])
def test_the_way_out_is_one(section: str) -> None:
    """With the name in the manifest the same plan passes."""
    check(changed(small_tree(), f"harbor.job.{section}.env", {NAME: f"${{{NAME}}}"}), section)


def test_a_value_of_the_jobs_own_takes_the_place_of_the_tasks() -> None:
    """Harbor never looks the task's variable up then."""
    check(changed(small_tree(), "harbor.job.verifier.env", {"KEY": "literal"}), "verifier")


def test_a_solutions_variable_is_the_oracles_alone() -> None:
    """An agent that never reads the solution needs nothing of it."""
    check(small_tree(), "solution")
    with pytest.raises(BadInput, match=NAME):
        check(good_tree(), "solution")


def test_what_every_process_has_is_no_secret() -> None:
    """A path or a home is there without being given."""
    check(small_tree(), "verifier", name="HOME")


def test_a_task_that_is_not_planned_asks_for_nothing() -> None:
    """The selection decides."""
    check_variables(make_plan(small_tree()).head, {"org/other": [TaskVariable("verifier", "KEY", NAME)]})
