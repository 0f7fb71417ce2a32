"""Money: exact, never understated, readable."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.money import MICROS_PER_USD, format_usd, micros_from_usd, prorated


@pytest.mark.parametrize(
    ("amount", "micros"),
    [(0, 0), (1, 1_000_000), ("0.0000001", 1), (0.1, 100_000), ("1.0000001", 1_000_001), (Decimal("2.5"), 2_500_000)],
)
def test_dollars_become_micros_rounded_up(amount: float | str | Decimal, micros: int) -> None:
    """A cost is never understated."""
    assert micros_from_usd(amount) == micros


@pytest.mark.parametrize("amount", ["x", "", "nan", "inf", -1, "-0.01"])
def test_what_is_no_amount_is_refused(amount: float | str) -> None:
    """Nothing costs less than nothing."""
    with pytest.raises(ValueError, match="expected a"):
        micros_from_usd(amount)


@given(st.integers(0, 10**15))
def test_whole_micros_are_kept(micros: int) -> None:
    """No float stands between."""
    assert micros_from_usd(Decimal(micros) / MICROS_PER_USD) == micros


@pytest.mark.parametrize(
    ("micros", "text"),
    [
        (0, "$0"),
        (1, "$0.00000100"),
        (5, "$0.00000500"),
        (1_234, "$0.00123"),
        (10_000, "$0.0100"),
        (1_234_567, "$1.23"),
        (99_999_999, "$100.00"),
        (123_456_789_000, "$123,457"),
    ],
)
def test_a_person_reads_three_digits(micros: int, text: str) -> None:
    """What is not 0 never reads as 0."""
    assert format_usd(micros) == text


@given(st.integers(0, 10**12), st.integers(1, 1000), st.integers(0, 1000))
def test_shares_add_up_to_no_less_than_the_whole(micros: int, whole: int, part: int) -> None:
    """Each is rounded up."""
    part = min(part, whole)
    assert prorated(micros, part, whole) + prorated(micros, whole - part, whole) in range(micros, micros + 2)


def test_a_share_of_nothing_is_refused() -> None:
    """There is no such share."""
    with pytest.raises(ValueError, match="positive"):
        prorated(1, 1, 0)
