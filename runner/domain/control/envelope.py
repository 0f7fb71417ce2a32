"""The envelope of every event: who recorded what about which subject, as one line of JSON.

An event is made once, by `record` (runner/domain/control/kinds.py), encoded once, and its bytes never change again: `seq` is
the last member and is put in by the log at commit (`number_line`), so the bytes before it are the event's own and decide
whether two events with one id are the same. Order is `seq` alone; `observed_at` is the recorder's UTC clock in milliseconds
and moves no state. Unknown optional fields and minors are kept (as bytes) and ignored; an unknown major, or an unknown kind
that must be understood, freezes the subject (EVENT_UNSUPPORTED).
"""

import re
from datetime import UTC, datetime
from typing import ClassVar, Final, NamedTuple

import msgspec

from shared.digests import Json
from shared.errors import BadInput
from shared.ids import EventId, derive

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_SEQ: Final = b',"seq":'


class Subject(NamedTuple):
    """The owner of one journal, such as ("run", "run-..")."""

    type: str
    id: str


class Payload(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """What one kind of event says; each kind has one subclass, named in runner/domain/control/kinds.py."""


class Event(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One appended fact. Each kind has its own subclass, made by the table of kinds; `kind` is its tag."""

    kind: ClassVar[str] = ""
    schema_version: str
    event_id: str
    subject_type: str
    """The entity inside the journal that the event is about: run, wave, attempt, action, request."""
    subject_id: str
    observed_at: str
    producer: str
    """The component that recorded it: reconciler, watchdog, wave, publisher, cli."""
    must_understand: bool = True
    because: tuple[str, ...] = ()
    """Ids of what caused it."""
    payload: Payload
    seq: int = 0
    """Position in its journal, dense from 1; 0 until the log has put it in."""


class Header(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What is read of a line whose kind is not known."""

    kind: str
    schema_version: str
    must_understand: bool = True
    seq: int


_encode = msgspec.json.Encoder().encode


def encode_body(event: Event) -> bytes:
    """Return the bytes of `event` without its sequence number: what its id stands for."""
    body = _encode(event if not event.seq else msgspec.structs.replace(event, seq=0))
    check_time(event.observed_at)
    return body


def number_line(body: bytes, seq: int) -> bytes:
    """Return the line that is stored: `body` with `seq` as its last member."""
    return b"%b%b%d}" % (body[:-1], _SEQ, seq)


def body_of_line(line: bytes) -> bytes:
    """Return what `number_line` was given: the bytes that the event's id stands for."""
    body, mark, _ = line.rpartition(_SEQ)
    return body + b"}" if mark else line


def derived_event_id(kind: str, subject: Subject, *parts: Json) -> EventId:
    """Return the id of an event that must be appended once: a request taken, a reservation, an outcome."""
    return EventId(derive("evt", kind, list(subject), *parts))


def utc_text(at_ms: int) -> str:
    """Return milliseconds since 1970 as `2026-01-31T12:00:00.000Z`."""
    seconds, millis = divmod(at_ms, 1000)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{millis:03d}Z"


def utc_ms(text: str) -> int:
    """Return what `utc_text` was given; raise EVENT_TIME for another form."""
    check_time(text)
    moment = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%f%z")
    return round(moment.timestamp() * 1000)


def check_time(text: str) -> None:
    """Raise EVENT_TIME unless `text` is UTC with milliseconds and Z."""
    if _TIME.fullmatch(text) is None:
        raise BadInput(
            "EVENT_TIME",
            f"expected UTC with milliseconds and Z, got {text[:40]!r}",
            field="observed_at",
            way_out="Nothing by hand: whoever recorded it has to write its time like 2026-01-31T12:00:00.000Z.",
        )
