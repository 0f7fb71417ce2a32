"""Cells drawn for the tests of statistics: by hand from solved counts, or at random from a seed."""

from collections.abc import Sequence

import numpy as np

from shared.statistics.cells import Cell, TaskSum, task_sum


def of_rewards(rewards: Sequence[Sequence[float]]) -> dict[str, TaskSum]:
    """Return the tasks t000, t001 .. with the given rewards of their trials."""
    return {f"t{place:03}": task_sum(row, sum(reward >= 1 for reward in row)) for place, row in enumerate(rewards)}


def of_solved(solved: Sequence[int], repeats: int = 1) -> dict[str, TaskSum]:
    """Return the tasks of which `solved` many of `repeats` trials passed, each."""
    return of_rewards([[1.0] * passed + [0.0] * (repeats - passed) for passed in solved])


def cell(name: str, tasks: dict[str, TaskSum], cost: float | None = None, seconds: float | None = None) -> Cell:
    """Return a cell with the score that its tasks come to."""
    score = sum(task.mean for task in tasks.values()) / len(tasks) if tasks else 0.0
    return Cell(name, score, tasks, cost, seconds)


def drawn(random: np.random.Generator, cells: int, tasks: int, repeats: int, spread: float = 0.0) -> list[Cell]:
    """Return cells on common tasks of many difficulties; `spread` is how much their abilities differ, 0 for equal cells."""
    difficulty = random.beta(0.7, 0.7, tasks)
    chances = np.clip(difficulty + spread * random.standard_normal((cells, 1)), 0, 1)
    return [
        cell(f"c{place:03}", of_solved([int(count) for count in random.binomial(repeats, row)], repeats))
        for place, row in enumerate(chances)
    ]
