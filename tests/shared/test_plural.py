"""Tests of counts as people read them."""

import pytest

from shared.plural import counted


@pytest.mark.parametrize(("count", "text"), [(0, "0 tasks"), (1, "1 task"), (2, "2 tasks"), (1_200, "1,200 tasks")])
def test_one_is_singular(count: int, text: str) -> None:
    """And nothing else is; thousands stand apart."""
    assert counted(count, "task") == text


def test_a_plural_of_its_own_is_used() -> None:
    """Where an s is not enough."""
    assert (counted(1, "request waits", "requests wait"), counted(2, "request waits", "requests wait")) == (
        "1 request waits",
        "2 requests wait",
    )
