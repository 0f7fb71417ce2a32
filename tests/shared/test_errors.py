"""Errors: the class decides the exit code, the message says what to do next."""

import pytest

from shared.errors import BadInput, Conflict, DeadlinePassed, Inconclusive, Refused, SeawallError, StoreFault


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [(SeawallError, 1), (BadInput, 2), (Refused, 3), (Inconclusive, 4), (StoreFault, 7), (Conflict, 8), (DeadlinePassed, 9)],
)
def test_each_class_has_its_exit_code(kind: type[SeawallError], exit_code: int) -> None:
    """Scripts rely on it."""
    assert kind("CODE", "message").exit_code == exit_code


def test_an_error_reads_as_one_line() -> None:
    """Code, field, message, way out; what is missing leaves no trace."""
    assert str(Refused("CODE", "no.", field="a.b", way_out="Do this.")) == "CODE: a.b: no. Do this."
    assert str(Refused("CODE", "no.")) == "CODE: no."


def test_the_message_ends_before_the_way_out_begins() -> None:
    """One full stop, whether the message has it or not."""
    assert str(Refused("CODE", "no run ends with nope", way_out="`run list` shows the runs.")) == (
        "CODE: no run ends with nope. `run list` shows the runs."
    )
    assert str(Refused("CODE", "really?", way_out="Do this.")) == "CODE: really? Do this."
