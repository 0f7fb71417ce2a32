"""The interval of a score: Wilson's interval on the effective number of independent observations.

Estimand: the mean reward of the cell on tasks like the published ones, run again the same way. T tasks are run K times each;
the K repeats of a task resemble each other, so n = T x K independent trials would be far too many. The spread of the T task
means says what n is worth: se = sd(task means) / sqrt(T), n_eff = p (1 - p) / se^2 within [1, T K]; T when p is 0 or 1, where
no spread shows. Wilson's interval (Wilson 1927) is then drawn with n_eff and Student's t on T - 1 degrees of freedom in place
of z. Rewards lie in [0, 1]; elsewhere, and with fewer than two tasks, there is no interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.statistics.distributions import student_t

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval of a mean, with the standard error and the effective n that it was drawn from."""

    low: float
    high: float
    stderr: float
    effective_n: float


def score_interval(task_means: Sequence[float], repeats: int) -> Interval | None:
    """Return the interval of the mean of `task_means` (one mean in [0, 1] per task, each over `repeats` trials), or None."""
    tasks = len(task_means)
    if tasks < 2 or any(not 0.0 <= mean <= 1.0 for mean in task_means):
        return None
    mean = math.fsum(task_means) / tasks
    spread = math.fsum((task - mean) ** 2 for task in task_means) / (tasks - 1)
    stderr = math.sqrt(spread / tasks)
    effective_n = _effective_n(mean, stderr, tasks, repeats)
    low, high = wilson(mean, effective_n, student_t(1 - (1 - CONFIDENCE) / 2, tasks - 1))
    return Interval(low, high, stderr, effective_n)


def _effective_n(mean: float, stderr: float, tasks: int, repeats: int) -> float:
    variance = mean * (1 - mean)
    if variance <= 0:
        return float(tasks)
    if stderr == 0:
        return float(tasks * repeats)
    return min(max(variance / stderr**2, 1.0), float(tasks * repeats))


def wilson(mean: float, n: float, quantile: float) -> tuple[float, float]:
    """Return Wilson's interval of a proportion `mean` of `n` observations at the given quantile of its distribution."""
    square = quantile**2
    centre = (mean + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * math.sqrt(mean * (1 - mean) / n + square / (4 * n * n))
    return max(0.0, min(centre - half, mean)), min(1.0, max(centre + half, mean))
