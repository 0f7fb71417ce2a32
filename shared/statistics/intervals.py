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
from functools import cache
from typing import Final

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


@cache
def student_t(probability: float, degrees: int) -> float:
    """Return the quantile of Student's t distribution for `probability` in (0.5, 1), by bisection to 1e-12 relative."""
    low, high = 0.0, 1.0
    while student_cdf(high, degrees) < probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, degrees) < probability else (low, middle)
    return high


def student_cdf(value: float, degrees: float) -> float:
    """Return P(t <= value) of Student's t with `degrees` degrees of freedom."""
    if value == 0:
        return 0.5
    tail = regularized_beta(degrees / (degrees + value * value), degrees / 2, 0.5) / 2
    return 1 - tail if value > 0 else tail


def regularized_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b), by Lentz's continued fraction (Numerical Recipes, 6.4)."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def _beta_fraction(x: float, a: float, b: float) -> float:
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    result = d
    for m in range(1, 500):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for step in (even, odd):
            d = 1 + step * d
            c = 1 + step / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result
