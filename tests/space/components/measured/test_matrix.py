"""The squares of the matrix: text in each, numbers of tasks thinned out where there are many, light where few passed."""

import re

import pytest

from space.components.measured.matrix import matrix_table
from space.components.trials import heat_step


@pytest.mark.parametrize(("passed", "step"), [(0, 0), (1, 1), (24, 1), (25, 2), (50, 3), (75, 4), (99, 4), (100, 5)])
def test_the_fill_has_six_steps(passed: int, step: int) -> None:
    """None and all have their own, a quarter of the rest each."""
    assert heat_step(passed, 100) == step


@pytest.mark.parametrize(("tasks", "labels"), [(3, ["1", "2", "3"]), (41, ["1", "10", "20", "30", "40"])])
def test_task_numbers_are_thinned_out(tasks: int, labels: list[str]) -> None:
    """Each while there is room, then the first and every tenth; every header names its task for a screen reader."""
    named = [
        {"task_place": place, "task_name": f"t{place}", "benchmark": "b", "solve_rate": None, "task_digest": "d"}
        for place in range(1, tasks + 1)
    ]
    head = re.findall(r"<thead>(.*?)</thead>", str(matrix_table([], named, "none")))[0]
    assert [text for text in re.findall(r">([^<>]+)</a>", head) if text.isdigit()] == labels
    assert head.count("aria-label") == tasks
