"""Quantiles and tails, against tables and against exact counting."""

import pytest

from shared.statistics.distributions import (
    fair_two_sided,
    normal_quantile,
    student_cdf,
    student_t,
    student_two_sided,
)


@pytest.mark.parametrize(
    ("probability", "degrees", "expected"),
    [
        (0.975, 1, 12.7062047364),
        (0.975, 2, 4.3026527297),
        (0.975, 9, 2.2621571628),
        (0.975, 29, 2.0452296421),
        (0.975, 99, 1.9842169516),
        (0.975, 10_000, 1.9602012399),
        (0.95, 5, 2.0150483727),
        (0.995, 3, 5.8409093097),
    ],
)
def test_quantiles_of_students_t(probability: float, degrees: int, expected: float) -> None:
    """As the tables print them."""
    assert student_t(probability, degrees) == pytest.approx(expected, rel=1e-9)
    assert student_cdf(expected, degrees) == pytest.approx(probability, abs=1e-10)
    assert student_cdf(-expected, degrees) == pytest.approx(1 - probability, abs=1e-10)


def test_the_normal_quantile() -> None:
    """As the tables print it."""
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054, abs=1e-12)
    assert normal_quantile(0.8) == pytest.approx(0.8416212335729143, abs=1e-12)


def test_a_tail_far_out_is_no_zero() -> None:
    """So that the order of very small p-values is kept; the values are those of two degrees of freedom in closed form."""
    for value in (1e3, 1e6, 1e9):
        assert student_two_sided(value, 2) == pytest.approx(1 - value / (2 + value * value) ** 0.5, rel=1e-2, abs=1e-15)
        assert 0 < student_two_sided(10 * value, 2) < student_two_sided(value, 2)


@pytest.mark.parametrize(
    ("fewer", "more", "expected"),
    [(0, 0, 1.0), (0, 5, 0.0625), (1, 9, 22 / 1024), (9, 1, 22 / 1024), (5, 5, 1.0), (4, 5, 1.0), (0, 1, 1.0), (0, 10, 2 / 1024)],
)
def test_a_fair_coin(fewer: int, more: int, expected: float) -> None:
    """Both ends counted, never above one."""
    assert fair_two_sided(fewer, more) == pytest.approx(expected, rel=1e-15)


def test_a_very_long_series_of_throws() -> None:
    """Exact in integers, so nothing overflows: 2 / 2**2000 is 1.7e-602, below what a float can hold."""
    assert fair_two_sided(0, 2_000) == 0.0
    assert 0.0 < fair_two_sided(300, 1_000) < 1e-80
