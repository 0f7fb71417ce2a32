"""How values read; never a blank, a 0 or a guess for what is not there."""

import pytest

from space.components import figures


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.42, "0.4 s"), (59.4, "59 s"), (60, "1 min"), (162, "2 min 42 s"), (3_600, "1 h"), (5_430, "1 h 30 min")],
)
def test_durations_read_in_their_largest_units(seconds: float, text: str) -> None:
    """Two units at most."""
    assert figures.duration(seconds) == text


@pytest.mark.parametrize(
    "value", [figures.duration(None), figures.count(None), figures.money(None), figures.day(None), figures.digest(None)]
)
def test_what_is_not_there_says_so(value: object) -> None:
    """A missing value is a word."""
    assert "not reported" in str(value)


def test_why_a_value_is_missing_is_said() -> None:
    """Each observation has its words."""
    assert "not applicable" in str(figures.money(None, "not_applicable"))
    assert "malformed" in str(figures.missing("malformed"))


@pytest.mark.parametrize(
    ("value", "n", "text"), [(0.6249, 24, "62"), (0.6249, 100, "62.5"), (1.0, 15, "100"), (0.0, None, "0.0")]
)
def test_scores_have_no_decimal_below_a_hundred_observations(value: float, n: float | None, text: str) -> None:
    """Precision follows what stands behind the number."""
    assert figures.percent(value, n) == text


def test_a_score_outside_zero_to_one_keeps_its_own_scale() -> None:
    """Only rewards in [0, 1] are shown of 100."""
    assert figures.score_text(12.5, 0.0, 50.0) == "12.5"
