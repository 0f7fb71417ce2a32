"""The trials of one task, summed up."""

import pytest

from shared.statistics.cells import task_sum


def test_repeats_have_a_mean_and_a_variance() -> None:
    """Four passes of five: mean 0.8, variance 0.8 x 0.2 x 5 / 4."""
    assert task_sum([1.0, 1.0, 0.0, 1.0, 1.0], 4) == (5, 4, 0.8, pytest.approx(0.2))


def test_a_single_trial_has_no_variance() -> None:
    """None, which is not 0: how it would go again is unknown."""
    assert task_sum([0.25], 0) == (1, 0, 0.25, None)
