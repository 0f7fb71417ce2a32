"""The chain of a journal: what was appended, in order, provable by digests, and decoded.

A segment is what one commit appended to one journal: one line of JSON per event. `chain` after it is SHA-256(chain before,
SHA-256(segment bytes)); a journal begins at GENESIS. Reading checks the chain, the density of seq and that every line can be
understood; each finding freezes one subject and no other: JOURNAL_GAP, JOURNAL_FORKED, JOURNAL_DIGEST, EVENT_UNSUPPORTED.
Called by every adapter of the control log, the audit and the fold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any, Final

import msgspec

from runner.domain.control.envelope import Event, Header, Subject, number_line
from runner.domain.control.kinds import EVENTS, UnreadEvent
from shared.digests import sha256
from shared.errors import StoreFault
from shared.versions import EVENT

GENESIS: Final = "0" * 64
_MAJOR: Final = EVENT.partition(".")[0] + "."
_known: Final[msgspec.json.Decoder[Event]] = msgspec.json.Decoder(reduce(or_, EVENTS.values()))
_header: Final = msgspec.json.Decoder(Header)
_any: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """What a store holds of one append."""

    first_seq: int
    count: int
    data: bytes
    chain: str


@dataclass(frozen=True, slots=True)
class Segment:
    """One append, verified and decoded, with the chain after it."""

    first_seq: int
    events: Sequence[Event]
    chain: str

    @property
    def last_seq(self) -> int:
        """Return the seq of the newest event."""
        return self.first_seq + len(self.events) - 1


def build_segment(bodies: Sequence[bytes], first_seq: int, previous_chain: str) -> StoredSegment:
    """Return what is stored when `bodies` are appended from `first_seq` on."""
    lines = [number_line(body, seq) for seq, body in enumerate(bodies, first_seq)]
    data = b"\n".join([*lines, b""])
    return StoredSegment(first_seq, len(lines), data, next_chain(previous_chain, data))


def next_chain(previous: str, data: bytes) -> str:
    """Return the chain after `data` was appended to a journal whose chain was `previous`."""
    return sha256(bytes.fromhex(previous) + bytes.fromhex(sha256(data)))


def verified(subject: Subject, stored: Iterable[StoredSegment], *, after: int = 0, chain: str = GENESIS) -> Iterator[Segment]:
    """Yield `stored` decoded, if it continues the journal of `subject` that ends at seq `after` with `chain`.

    An equal segment stored twice is read once; one that overlaps with other bytes is a fork.
    """
    previous: StoredSegment | None = None
    for segment in stored:
        if previous is not None and segment == previous:
            continue
        if segment.first_seq != after + 1:
            code = "JOURNAL_GAP" if segment.first_seq > after else "JOURNAL_FORKED"
            raise _frozen(code, subject, f"expected seq {after + 1} next, found a segment from {segment.first_seq}")
        chain = next_chain(chain, segment.data)
        if chain != segment.chain:
            raise _frozen("JOURNAL_DIGEST", subject, f"the bytes from seq {segment.first_seq} on were altered")
        events = decode_segment(subject, segment)
        after, previous = segment.first_seq + segment.count - 1, segment
        yield Segment(segment.first_seq, events, chain)


def decode_segment(subject: Subject, segment: StoredSegment) -> list[Event]:
    """Return the events of one segment; raise EVENT_UNSUPPORTED or JOURNAL_GAP."""
    try:
        found = _known.decode_lines(segment.data)
    except msgspec.MsgspecError:
        found = [_decode_line(subject, line) for line in segment.data.splitlines()]
    seq = segment.first_seq
    for event in found:
        if event.seq != seq:
            raise _frozen("JOURNAL_GAP", subject, f"expected seq {seq}, found {event.seq}")
        if event.schema_version != EVENT:
            _check_version(subject, event)
        seq += 1
    if len(found) != segment.count:
        raise _frozen("JOURNAL_GAP", subject, f"expected {segment.count} events from seq {segment.first_seq}, found {len(found)}")
    return found


def _decode_line(subject: Subject, line: bytes) -> Event:
    """Decode a line that the known kinds do not cover, as far as it may be skipped."""
    try:
        header = _header.decode(line)
        if header.kind in EVENTS:
            return _known.decode(line)
        event = msgspec.convert(_any.decode(line) | {"kind": UnreadEvent.kind}, UnreadEvent)
    except (msgspec.MsgspecError, TypeError) as error:
        raise _frozen("EVENT_UNSUPPORTED", subject, f"an event cannot be read: {error}") from error
    _check_version(subject, event)
    if header.must_understand:
        raise _frozen("EVENT_UNSUPPORTED", subject, f"kind {header.kind!r} (seq {header.seq}) must be understood")
    return event


def _check_version(subject: Subject, event: Event) -> None:
    if not event.schema_version.startswith(_MAJOR):
        raise _frozen("EVENT_UNSUPPORTED", subject, f"seq {event.seq} has format {event.schema_version}, known is {EVENT}")


def _frozen(code: str, subject: Subject, message: str) -> StoreFault:
    way_out = "The subject is frozen, others go on. Restore the log from a copy; update Seawall if the event is newer."
    return StoreFault(code, f"journal of {subject.type} {subject.id}: {message}", way_out=way_out)
