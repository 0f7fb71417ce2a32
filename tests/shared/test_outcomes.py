"""The label of a cell and a run: the fold of its outcomes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.outcomes import Label, label_of


@pytest.mark.parametrize(
    ("planned", "scored", "ended", "is_cancelled", "label"),
    [
        (3, 3, 3, False, Label.CLEAN),
        (3, 1, 3, False, Label.DEGRADED),
        (3, 1, 1, True, Label.PARTIAL),
        (3, 1, 2, False, Label.PARTIAL),
        (3, 3, 3, True, Label.CLEAN),
        (3, 2, 3, True, Label.DEGRADED),
        (3, 0, 0, True, Label.CANCELLED),
        (3, 0, 3, True, Label.CANCELLED),
        (3, 0, 3, False, Label.FAILED),
        (3, 0, 0, False, Label.FAILED),
        (0, 0, 0, False, Label.FAILED),
    ],
)
def test_golden_labels(planned: int, scored: int, ended: int, *, is_cancelled: bool, label: Label) -> None:
    """All reward 0 is clean; one scored and two exhausted is degraded; cancelled after a score is partial."""
    assert label_of(planned, scored, ended, is_cancel_requested=is_cancelled) is label


@given(st.integers(1, 50), st.data(), st.booleans())
def test_a_complete_label_needs_every_outcome(planned: int, data: st.DataObject, is_cancelled: bool) -> None:
    """Only then is there a score to publish."""
    ended = data.draw(st.integers(0, planned))
    scored = data.draw(st.integers(0, ended))
    label = label_of(planned, scored, ended, is_cancel_requested=is_cancelled)
    assert (label in {Label.CLEAN, Label.DEGRADED}) == (ended == planned and scored > 0)
