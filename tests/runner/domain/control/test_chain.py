import pytest

from runner.domain.control.chain import GENESIS, StoredSegment, build_segment, decode_segment, next_chain, verified
from runner.domain.control.envelope import encode_body
from shared.errors import StoreFault
from tests.builders.journals import RUN, note

BODY = encode_body(note(1))


def stored(count: int = 3) -> list[StoredSegment]:
    """Return a journal of `count` segments of two events."""
    segments: list[StoredSegment] = []
    chain = GENESIS
    for number in range(count):
        bodies = [encode_body(note(2 * number)), encode_body(note(2 * number + 1))]
        segments.append(build_segment(bodies, 2 * number + 1, chain))
        chain = segments[-1].chain
    return segments


def line(old: str, new: str) -> StoredSegment:
    """Return a segment of one event, changed."""
    data = build_segment([BODY], 1, GENESIS).data.replace(old.encode(), new.encode())
    return StoredSegment(1, 1, data, next_chain(GENESIS, data))


def test_the_chain_is_that_of_the_rule() -> None:
    """SHA-256 of the previous chain and the digest of the appended bytes, as raw bytes."""
    import hashlib

    expected = hashlib.sha256(bytes(32) + hashlib.sha256(b"x").digest()).hexdigest()
    assert next_chain(GENESIS, b"x") == expected


def test_a_segment_stored_twice_is_read_once() -> None:
    """A repeated read is not a fork."""
    first, second, third = stored()
    segments = list(verified(RUN, [first, second, second, third]))
    assert [segment.first_seq for segment in segments] == [1, 3, 5]


def test_reading_goes_on_from_a_known_place() -> None:
    """Seq and chain of a savepoint are enough."""
    first, second, third = stored()
    assert [one.last_seq for one in verified(RUN, [second, third], after=2, chain=first.chain)] == [4, 6]
    with pytest.raises(StoreFault, match="JOURNAL_DIGEST"):
        list(verified(RUN, [second], after=2, chain=GENESIS))


@pytest.mark.parametrize(("order", "code"), [((0, 2), "JOURNAL_GAP"), ((1,), "JOURNAL_GAP"), ((0, 1, 0), "JOURNAL_FORKED")])
def test_missing_and_overlapping_segments_freeze(order: tuple[int, ...], code: str) -> None:
    """A journal is whole or is not folded."""
    segments = stored()
    with pytest.raises(StoreFault, match=code):
        list(verified(RUN, [segments[place] for place in order]))


def test_an_unknown_optional_field_and_minor_are_accepted() -> None:
    """They are kept in the bytes and ignored."""
    (event,) = decode_segment(RUN, line('"producer":', '"colour":"red","producer":'))
    assert event.kind == "attention"
    (event,) = decode_segment(RUN, line('"schema_version":"1.0"', '"schema_version":"1.7"'))
    assert event.schema_version == "1.7"


def test_an_unknown_major_freezes() -> None:
    """Its meaning is not known, whatever else it says."""
    with pytest.raises(StoreFault, match="EVENT_UNSUPPORTED"):
        decode_segment(RUN, line('"schema_version":"1.0"', '"schema_version":"2.0","must_understand":false'))


def test_an_unknown_kind_is_skipped_only_if_it_may_be() -> None:
    """`must_understand` decides."""
    (event,) = decode_segment(RUN, line('"kind":"attention"', '"kind":"weather","must_understand":false'))
    assert (event.kind, event.seq) == ("unread", 1)
    with pytest.raises(StoreFault, match="EVENT_UNSUPPORTED"):
        decode_segment(RUN, line('"kind":"attention"', '"kind":"weather"'))


@pytest.mark.parametrize(
    ("old", "new"), [('"payload":{', '"payload":7,"x":{'), ('"event_id":"', '"event_id":1,"x":"'), ("{", "[")]
)
def test_a_line_that_cannot_be_read_freezes(old: str, new: str) -> None:
    """Damage below a valid chain is told, never skipped."""
    with pytest.raises(StoreFault, match="EVENT_UNSUPPORTED"):
        decode_segment(RUN, line(old, new))


def test_a_wrong_seq_inside_a_segment_is_a_gap() -> None:
    """The number in the line is the number of its place."""
    with pytest.raises(StoreFault, match="JOURNAL_GAP"):
        decode_segment(RUN, line('"seq":1}', '"seq":2}'))
