"""Tests of the solutions that the oracle needs: a task without one is refused by its name, and asked of nobody else."""

import pytest

from runner.usecases.runs.check_solutions import check_solutions
from shared.errors import Refused
from tests.builders.experiments import good_tree, make_plan, small_tree


def test_the_oracle_needs_a_solution() -> None:
    """The task is named, with what to do."""
    head = make_plan(good_tree()).head
    with pytest.raises(Refused) as caught:
        check_solutions(head, {head.tasks[1].name})
    assert (caught.value.code, caught.value.field) == ("TASK_UNSUPPORTED", "benchmark.tasks")
    assert repr(head.tasks[1].name) in caught.value.message
    assert "exclude_tasks" in caught.value.way_out


def test_a_task_that_is_not_planned_needs_none() -> None:
    """The selection decides."""
    check_solutions(make_plan(good_tree()).head, {"another"})


def test_other_agents_need_none() -> None:
    """They solve it themselves."""
    head = make_plan(small_tree()).head
    check_solutions(head, {task.name for task in head.tasks})
