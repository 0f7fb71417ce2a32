"""How many of some chances may turn out badly: what a statistical test allows before it fails."""

from bisect import bisect_left
from math import comb


def binomial_cdf(successes: int, n: int, probability: float) -> float:
    """Return P(X <= successes) of `n` independent tries that each succeed with `probability`."""
    return sum(comb(n, k) * probability**k * (1 - probability) ** (n - k) for k in range(successes + 1))


def binomial_quantile(quantile: float, n: int, probability: float) -> int:
    """Return the smallest number of successes that is not exceeded with probability `quantile`."""
    return bisect_left(range(n), quantile, key=lambda successes: binomial_cdf(successes, n, probability))
