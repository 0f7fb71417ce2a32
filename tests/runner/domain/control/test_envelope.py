import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain.control import events
from runner.domain.control.envelope import body_of_line, check_time, encode_body, number_line, utc_ms, utc_text
from runner.domain.control.kinds import EVENTS, KINDS, record
from shared.errors import BadInput
from tests.builders.journals import RUN, note


@given(st.text(max_size=50), st.integers(1, 10**12))
def test_a_numbered_line_gives_its_body_back(message: str, seq: int) -> None:
    """Whatever the event says, even words that look like a number's place."""
    body = encode_body(note(1, message + ',"seq":7}'))
    assert body_of_line(number_line(body, seq)) == body
    assert msgspec.json.decode(number_line(body, seq), type=EVENTS["attention"]).seq == seq


def test_the_body_does_not_depend_on_the_seq() -> None:
    """So the same event is recognised wherever it was put."""
    assert encode_body(msgspec.structs.replace(note(1), seq=9)) == encode_body(note(1))


@given(st.integers(0, 4_000_000_000_000))
def test_times_go_there_and_back(at_ms: int) -> None:
    """UTC, milliseconds, Z."""
    assert utc_ms(utc_text(at_ms)) == at_ms


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000+00:00", "2026-01-01 00:00:00.000Z", ""])
def test_another_form_of_time_is_refused(text: str) -> None:
    """EVENT_TIME, before anything is written."""
    with pytest.raises(BadInput, match="EVENT_TIME"):
        check_time(text)
    with pytest.raises(BadInput, match="EVENT_TIME"):
        encode_body(msgspec.structs.replace(note(1), observed_at=text))


def test_a_kind_carries_its_own_payload() -> None:
    """A writer that mixes them up is told at once."""
    with pytest.raises(TypeError, match="closed carries WaveMoved"):
        record("closed", events.Draining(), about=RUN, event_id="evt-1", at_ms=1, producer="test")


def test_every_kind_has_a_class_with_its_name() -> None:
    """The table of kinds is the table of classes."""
    assert {made.kind for made in EVENTS.values()} == set(KINDS)
