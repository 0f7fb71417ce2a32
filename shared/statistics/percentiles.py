"""The middle and the tails of what was observed, with what was not observed counted beside it.

Estimand: quantiles of the observed values themselves, no model behind them; between two values a straight line (Hyndman and Fan
1996, type 7, as DuckDB's `quantile_cont`). A missing value is counted and takes no part: it is neither 0 nor the median. Values
keep their unit. None: nothing was observed.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple


class Percentiles(NamedTuple):
    """p50, p90 and p99 of the observed values."""

    observed: int
    missing: int
    p50: float | None
    p90: float | None
    p99: float | None


def percentiles(values: Iterable[float | None]) -> Percentiles:
    """Return the percentiles of those of `values` that are not None, and how many are."""
    found = list(values)
    known = sorted(value for value in found if value is not None)
    return Percentiles(len(known), len(found) - len(known), *(percentile(known, share) for share in (0.5, 0.9, 0.99)))


def percentile(ordered: list[float], share: float) -> float | None:
    """Return the value below which `share` of `ordered`, an ascending list, lies; None of an empty list."""
    if not ordered:
        return None
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
