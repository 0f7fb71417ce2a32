"""What was observed, in the middle and at the end, and what was not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.statistics.percentiles import Percentiles, percentiles


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_they_are_numpys_percentiles(values: list[float]) -> None:
    """The usual linear ones, so DuckDB and pyarrow give the same."""
    found = percentiles(values)
    assert (found.p50, found.p90, found.p99) == pytest.approx(tuple(np.percentile(values, [50, 90, 99])), abs=1e-6)


def test_missing_values_are_counted_and_nothing_else() -> None:
    """They are neither 0 nor the median."""
    assert percentiles([None, 4.0, 2.0, None, None]) == Percentiles(2, 3, 3.0, pytest.approx(3.8), pytest.approx(3.98))


def test_nothing_observed() -> None:
    """No percentile is made up."""
    assert percentiles([None, None]) == Percentiles(0, 2, None, None, None)
