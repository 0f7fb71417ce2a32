"""ranks: all 19,900 pairs of 200 cells x 100 tasks are tested, decided and ranked, against the bare test statistic of each pair.

The baseline is the paired t statistic written down plainly: no p, no adjustment, no ranks.
"""

import random
from itertools import combinations
from math import sqrt
from typing import Final

from benchmarks.measurement import Measurement, compare
from shared.statistics.cells import Cell, task_sum
from shared.statistics.ranks import decide

CELLS: Final = 200
TASKS: Final = 100
REPEATS: Final = 5


def measure(cells: int = CELLS) -> Measurement:
    """Return the time of all ranks over that of the bare statistics."""
    made = _cells(random.Random(7), cells)
    means = [[task.mean for task in cell.tasks.values()] for cell in made]
    return compare("ranks", lambda: _ranks(made), lambda: _statistics(means))


def _ranks(cells: list[Cell]) -> list[str]:
    decisions = decide(cells)
    return [decisions.rank(cell.cell_id).text for cell in decisions.cells]


def _statistics(means: list[list[float]]) -> list[float]:
    return [_statistic(first, second) for first, second in combinations(means, 2)]


def _statistic(first: list[float], second: list[float]) -> float:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    mean = sum(differences) / len(differences)
    spread = sum([(each - mean) ** 2 for each in differences])
    return mean / sqrt(spread / (len(differences) - 1) / len(differences))


def _cells(source: random.Random, cells: int) -> list[Cell]:
    difficulty = [source.betavariate(0.7, 0.7) for _ in range(TASKS)]
    return [_cell(source, f"cell-{place}", difficulty, source.gauss(0, 0.1)) for place in range(cells)]


def _cell(source: random.Random, name: str, difficulty: list[float], ability: float) -> Cell:
    sums = {}
    for place, chance in enumerate(difficulty):
        rewards = [float(source.random() < chance + ability) for _ in range(REPEATS)]
        sums[f"task-{place}"] = task_sum(rewards, int(sum(rewards)))
    return Cell(name, sum(each.mean for each in sums.values()) / TASKS, sums)
