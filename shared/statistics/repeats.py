"""How many repeats of each task would separate two cells, if their difference is what was seen. A plan, no promise.

The variance of the difference of two scores over T tasks and n repeats is (s_b^2 + s_w^2 / n) / T: s_w^2 is the noise of
rerunning (the mean within-task variances of the two cells, added), which repeats average out; s_b^2 is how differently the two
cells do from task to task (the variance of the task differences less the part that noise explains), which only more tasks
average out. The smallest n with |d| >= 2.8 x its root is wanted: 2.8 = 1.96 + 0.84, the normal quantiles of a two-sided 5% test
and a power of 80%.

Assumes that the observed difference and variances are the true ones, and repeats that are alike. Both cells must have run every
shared task at least twice, or rerun noise is unknown. `n` counts all repeats of a run, not those to add: a run with other
repeats is another edition, so both cells run anew.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from shared.statistics.cells import Cell, TaskSum
from shared.statistics.paired import MIN_TASKS, task_differences

REACH: Final = 2.8
MAX_REPEATS: Final = 100

type Answer = Literal["repeats", "more_tasks", "no_difference", "not_available"]


@dataclass(frozen=True, slots=True)
class Separation:
    """What would separate two cells."""

    answer: Answer
    """`more_tasks`: no number of repeats up to 100 would do; `not_available`: a task ran once, or too few are shared."""
    repeats: int | None = None
    """Per task, for both cells; only with the answer `repeats`."""
    tasks: int | None = None
    """Tasks that would do at the present number of repeats; None where there is no difference or it is not available."""
    cost_usd_micros: int | None = None
    """Of running both cells anew with `repeats`; None without repeats or where a cost was not reported."""


def separate(first: Cell, second: Cell) -> Separation:
    """Return what would separate two cells of one edition."""
    shared = sorted(first.tasks.keys() & second.tasks.keys())
    parts = None if len(shared) < MIN_TASKS else _variances(first.tasks, second.tasks, shared)
    if parts is None:
        return Separation("not_available")
    difference, between, within = parts
    if difference == 0:
        return Separation("no_difference")
    repeats = min(first.tasks[shared[0]].trials, second.tasks[shared[0]].trials)
    tasks = math.ceil(REACH**2 * (between + within / repeats) / difference**2)
    wanted = repeats_needed(difference, between, within, len(shared))
    if wanted is None:
        return Separation("more_tasks", tasks=tasks)
    return Separation("repeats", wanted, tasks, _cost(first, second, len(shared) * wanted))


def repeats_needed(difference: float, between: float, within: float, tasks: int) -> int | None:
    """Return the smallest number of repeats, at most 100, that separates with power 80%; None where none does.

    `between` is s_b^2 and `within` s_w^2, in squared units of the reward like `difference` squared.
    """
    room = tasks * (difference / REACH) ** 2 - between
    if room <= 0:
        return None
    wanted = max(1, math.ceil(within / room * (1 - 1e-12)))
    return wanted if wanted <= MAX_REPEATS else None


def _variances(
    first: Mapping[str, TaskSum], second: Mapping[str, TaskSum], shared: list[str]
) -> tuple[float, float, float] | None:
    """Return difference, s_b^2 and s_w^2; None if a task ran once."""
    sides = [[tasks[name] for name in shared] for tasks in (first, second)]
    noise, explained = 0.0, 0.0
    for side in sides:
        variances = [task.variance for task in side if task.variance is not None and task.trials > 1]
        if len(variances) < len(side):
            return None
        noise += math.fsum(variances) / len(side)
        explained += math.fsum(variance / task.trials for variance, task in zip(variances, side, strict=True)) / len(side)
    differences = task_differences(*([task.mean for task in side] for side in sides))
    mean = math.fsum(differences) / len(differences)
    spread = math.fsum((each - mean) ** 2 for each in differences) / (len(differences) - 1)
    return mean, max(0.0, spread - explained), noise


def _cost(first: Cell, second: Cell, trials: int) -> int | None:
    if first.cost_usd_micros is None or second.cost_usd_micros is None:
        return None
    return math.ceil((first.cost_usd_micros + second.cost_usd_micros) * trials)
