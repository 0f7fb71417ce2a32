"""What every inbox promises, whichever adapter keeps it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.adapters.faults.faulty_inbox import FaultyInbox
from runner.adapters.local.state.memory_inbox import MemoryInbox
from runner.adapters.local.state.sqlite_inbox import SqliteInbox
from runner.ports.state.answers import Applied, Conflict, Full
from runner.ports.state.inbox import Inbox
from shared.ids import RequestId
from shared.inbox.codec import Actor, Request, RequestSubject, encode_request
from tests.builders.clocks import StoppedClock


@pytest.fixture(params=["memory", "sqlite", "faults"])
def inbox(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Inbox]:
    """Return an empty inbox of each kind."""
    if request.param == "memory":
        yield MemoryInbox(StoppedClock())
        return
    file = SqliteInbox(tmp_path / "inbox.sqlite", StoppedClock())
    yield file if request.param == "sqlite" else FaultyInbox(file)
    file.close()


def pair(number: int, kind: str = "submit", body: str = "") -> tuple[str, bytes]:
    """Return id and bytes of a request."""
    request_id = RequestId(f"req-{number:032x}")
    return request_id, encode_request(Request(request_id, kind, Actor("u", "o", "member"), RequestSubject("run", "run-1"), body))


def waiting(inbox: Inbox) -> list[str]:
    """Return the ids that wait, oldest first."""
    return [request.request_id for request in inbox.list(1000).requests]


def test_requests_wait_in_the_order_of_their_arrival(inbox: Inbox) -> None:
    """Oldest first, with how many wait in all."""
    inbox.put([pair(2)])
    inbox.put([pair(1), pair(3)])
    listing = inbox.list(2)
    assert [request.request_id for request in listing.requests] == [pair(2)[0], pair(1)[0]]
    assert (listing.waiting, listing.requests[0].data) == (3, pair(2)[1])


def test_the_same_request_again_has_no_effect(inbox: Inbox) -> None:
    """A put whose answer was lost is safe to repeat."""
    assert isinstance(inbox.put([pair(1)]), Applied)
    assert isinstance(inbox.put([pair(1)]), Applied)
    assert waiting(inbox) == [pair(1)[0]]


def test_an_id_with_other_bytes_is_a_conflict(inbox: Inbox) -> None:
    """Nothing of that put waits, the first bytes stay."""
    inbox.put([pair(1)])
    assert isinstance(inbox.put([pair(2), pair(1, body="other")]), Conflict)
    assert [(request.request_id, request.data) for request in inbox.list(9).requests] == [pair(1)]


def test_a_full_inbox_lets_in_only_cancel_and_hold(inbox: Inbox) -> None:
    """Stopping is always possible; the 501st submit is not."""
    assert isinstance(inbox.put([pair(number) for number in range(500)]), Applied)
    assert inbox.put([pair(501)]) == Full(500)
    assert isinstance(inbox.put([pair(502, "cancel")]), Applied)
    assert isinstance(inbox.put([pair(503, "hold")]), Applied)
    assert isinstance(inbox.put([pair(7)]), Applied)
    assert inbox.list(1).waiting == 502


def test_removing_is_safe_to_repeat(inbox: Inbox) -> None:
    """Ids that do not wait are ignored."""
    inbox.put([pair(1), pair(2)])
    for _ in range(2):
        assert isinstance(inbox.remove([pair(1)[0], "req-unknown"]), Applied)
    assert waiting(inbox) == [pair(2)[0]]


def test_malformed_bytes_wait_like_any_other(inbox: Inbox) -> None:
    """The inbox judges nothing."""
    assert isinstance(inbox.put([("req-x", b"\xff not a request")]), Applied)
    assert inbox.list(1).requests[0].data == b"\xff not a request"
