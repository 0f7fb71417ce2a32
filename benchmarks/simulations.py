"""simulations: do intervals cover, do equal cells stay unordered, do planned repeats separate? Tables, on made-up truths.

Every design draws tasks from a population whose mean is known, runs them, and asks what shared/statistics says. The first five
designs of an interval are gated (93 to 99%) by the tests; the edges below them are shown because nobody should be surprised:
with few passes at all, or a handful of single runs, what can be observed is so coarse that no interval covers exactly 95%.
Seeds are fixed, so the figures are the same on every machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from shared.statistics.cells import Cell, task_sum
from shared.statistics.intervals import score_interval
from shared.statistics.paired import compare
from shared.statistics.ranks import decide
from shared.statistics.repeats import repeats_needed

type Chances = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True, slots=True)
class Design:
    """How the tasks of a simulated cell are drawn and run."""

    name: str
    tasks: int
    repeats: int
    truth: float
    """The mean reward over the population of tasks."""
    chances: Chances
    """Draws so many tasks' chances of being solved."""
    is_graded: bool = False
    """True if a reward is any number from 0 to 1 with that mean, not 0 or 1."""


def _beta(low: float, high: float) -> Chances:
    return lambda random, tasks: random.beta(low, high, tasks)


def _equal(chance: float) -> Chances:
    return lambda _random, tasks: np.full(tasks, chance)


DESIGNS: Final = (
    Design("100 tasks x 5, every difficulty", 100, 5, 0.5, _beta(0.7, 0.7)),
    Design("20 tasks x 3, solved or hopeless", 20, 3, 0.5, _beta(0.5, 0.5)),
    Design("200 tasks x 1", 200, 1, 0.3, _beta(0.6, 1.4)),
    Design("50 tasks x 10, nearly always or never", 50, 10, 0.5, _beta(0.3, 0.3)),
    Design("60 tasks x 3, graded and skewed", 60, 3, 0.9, _beta(1.8, 0.2), is_graded=True),
)
EDGES: Final = (
    Design("89 tasks x 3, very hard", 89, 3, 0.05, _beta(0.2, 3.8)),
    Design("200 tasks x 1, 2% solved", 200, 1, 0.02, _beta(0.1, 4.9)),
    Design("30 tasks x 3, nearly all solved", 30, 3, 0.95, _beta(3.8, 0.2)),
    Design("10 tasks x 1, 80% solved", 10, 1, 0.8, _equal(0.8)),
)
GROUPS: Final = ((100, 5), (89, 3), (50, 1), (20, 3))


def report() -> str:
    """Return the three tables."""
    lines = ["the 95% interval of a score covers the truth (2,000 cells each; gated 93 to 99%)"]
    lines += [f"  {design.name:40} {100 * covered(design, 2_000):5.1f}%" for design in DESIGNS]
    lines += ["at the edges (not gated)"]
    lines += [f"  {design.name:40} {100 * covered(design, 2_000):5.1f}%" for design in EDGES]
    lines += ["40 equal cells, any of them ordered (200 ranked sets each; gated 5%)"]
    lines += [
        f"  {f'{tasks} tasks x {repeats}':40} {falsely_ordered(200, tasks, repeats) / 2:5.1f}%" for tasks, repeats in GROUPS
    ]
    lines += ["two cells separate with the repeats planned from the true variances (2,000 pairs; gated 75 to 85%)"]
    repeats, share = separated(2_000)
    lines += [f"  {f'60 tasks x {repeats}, 5 points apart':40} {100 * share:5.1f}%"]
    return "\n".join(lines)


def covered(design: Design, cells: int, seed: int = 20260101) -> float:
    """Return the share of `cells` simulated cells whose interval holds the truth."""
    random = np.random.default_rng(seed)
    hits = 0
    for _ in range(cells):
        found = score_interval([float(mean) for mean in _task_means(random, design)], design.repeats)
        hits += found is not None and found.low <= design.truth <= found.high
    return hits / cells


def falsely_ordered(sets: int, tasks: int, repeats: int, seed: int = 20260102) -> int:
    """Return in how many ranked sets of 40 equal cells any rank range is other than 1-40."""
    random = np.random.default_rng(seed)
    return sum(any(decide(equal_cells(random, 40, tasks, repeats)).matrix.better) for _ in range(sets))


def equal_cells(random: np.random.Generator, cells: int, tasks: int, repeats: int) -> list[Cell]:
    """Return cells that solve every task with the same chance; tasks are of every difficulty."""
    difficulty = random.beta(0.7, 0.7, tasks)
    return [_cell(f"cell-{place}", random.binomial(repeats, difficulty), repeats) for place in range(cells)]


def separated(pairs: int, seed: int = 20260103) -> tuple[int, float]:
    """Return the repeats planned for two cells 5 points apart on 60 tasks, and the share of `pairs` that they then separate.

    Chances of the two cells on a task differ by 5 points on average, with a standard deviation of 10; the variance within a
    task is that of a coin with its chance.
    """
    random = np.random.default_rng(seed)
    tasks, difference, deviation = 60, 0.05, 0.10
    centre = 0.5
    within = 2 * centre * (1 - centre) - 2 * (difference**2 + deviation**2) / 4
    repeats = repeats_needed(difference, deviation**2, within, tasks)
    if repeats is None:
        raise AssertionError("the design needs more tasks")
    hits = 0
    for _ in range(pairs):
        apart = random.normal(difference, deviation, tasks)
        first = _cell("first", random.binomial(repeats, centre + apart / 2), repeats)
        second = _cell("second", random.binomial(repeats, centre - apart / 2), repeats)
        p = compare(first.tasks, second.tasks).p
        hits += p is not None and p <= 0.05
    return repeats, hits / pairs


def _task_means(random: np.random.Generator, design: Design) -> np.ndarray:
    chances = design.chances(random, design.tasks)
    if not design.is_graded:
        return np.asarray(random.binomial(design.repeats, chances) / design.repeats)
    rewards = random.beta(4 * chances + 1e-9, 4 * (1 - chances) + 1e-9, (design.repeats, design.tasks))
    return np.asarray(rewards.mean(axis=0))


def _cell(name: str, solved: np.ndarray, repeats: int) -> Cell:
    sums = {
        f"task-{place}": task_sum([1.0] * int(count) + [0.0] * (repeats - int(count)), int(count))
        for place, count in enumerate(solved)
    }
    return Cell(name, sum(each.mean for each in sums.values()) / len(sums), sums)
