"""Quantiles and tails of the distributions that the tests and intervals are drawn from: normal, Student's t, a fair coin.

Student's t goes through the regularised incomplete beta function (Lentz's continued fraction, Numerical Recipes 6.4); the
two-sided tail of a fair coin is exact in integers. Tails are computed as tails, never as one minus a number near one, so that
p-values of 1e-100 keep their order. Probabilities are plain fractions in [0, 1].
"""

import math
from functools import cache, lru_cache
from statistics import NormalDist


@cache
def normal_quantile(probability: float) -> float:
    """Return the quantile of the standard normal distribution for `probability` in (0, 1)."""
    return NormalDist().inv_cdf(probability)


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
    tail = student_two_sided(value, degrees) / 2
    return 1 - tail if value > 0 else tail


def student_two_sided(value: float, degrees: float) -> float:
    """Return P(|t| >= |value|) of Student's t with `degrees` degrees of freedom."""
    return regularized_beta(degrees / (degrees + value * value), degrees / 2, 0.5)


@lru_cache(maxsize=1 << 16)
def fair_two_sided(fewer: int, more: int) -> float:
    """Return the exact chance that a fair coin thrown `fewer` + `more` times falls as unevenly as this, or more."""
    n = fewer + more
    tail = term = 1
    for successes in range(1, min(fewer, more) + 1):
        term = term * (n - successes + 1) // successes
        tail += term
    return min(1.0, tail / 2 ** (n - 1)) if n else 1.0


def regularized_beta(x: float, a: float, b: float) -> float:
    """Return I_x(a, b)."""
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
