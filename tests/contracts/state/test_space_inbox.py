"""What every inbox of the Space promises, whichever adapter keeps it; the runner's own clauses stand in test_inbox.py."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from runner.adapters.local.state.sqlite_inbox import SqliteInbox as MakesTheFile
from shared import paths
from shared.errors import StoreFault
from shared.ids import RequestId
from shared.inbox.codec import Actor, Request, RequestSubject, encode_request
from space.hub.dataset import HubDataset
from space.hub.place import HubPlace
from space.requests.hub.inbox import HubInbox
from space.requests.inbox import Inbox, Put
from space.requests.inbox_sqlite import SqliteInbox
from tests.builders.clocks import StoppedClock
from tests.builders.hub import INBOX, INBOX_NAME, Hub


class Kept(NamedTuple):
    """An inbox, how time passes for it, what it holds, and how it is lost."""

    inbox: Inbox
    later: Callable[[float], None]
    held: Callable[[], dict[str, bytes]]
    lose: Callable[[], object]


@pytest.fixture(params=["sqlite", "hub"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    """Return an empty inbox of each kind."""
    if request.param == "sqlite":
        file = MakesTheFile(tmp_path / "inbox.sqlite", StoppedClock())
        yield Kept(
            SqliteInbox(tmp_path / "inbox.sqlite"),
            lambda _: None,
            lambda: {each.request_id: each.data for each in file.list(2_000).requests},
            lambda: [path.unlink() for path in tmp_path.glob("inbox.sqlite*")],
        )
        file.close()
        return
    hub = Hub(tmp_path / "hub")
    hub.edit(INBOX_NAME)
    clock = [1_000.0]
    inbox = HubInbox(HubDataset(HubPlace(INBOX_NAME, hub.address, INBOX), 0.5), lambda: clock[0])

    def later(seconds: float) -> None:
        clock[0] += seconds
        inbox.writer.step()

    def held() -> dict[str, bytes]:
        found = hub.files(INBOX_NAME).items()
        return {path[len("requests/") : -len(".json")]: data for path, data in found if path.startswith("requests/")}

    yield Kept(inbox, later, held, lambda: hub.fail("", "drop_before", nth=0))
    hub.close()


def request(number: int, kind: str = "submit", body: str = "{}") -> Request:
    """Return a small request."""
    actor = Actor("alice", "org-members", "read")
    return Request(RequestId(f"req-{number:032x}"), kind, actor, RequestSubject("run", f"run-{number:032x}"), body)


def put(kept: Kept, *requests: Request) -> list[Put]:
    """Put requests and return what became of them, after as long as it takes."""
    answers = [kept.inbox.put(each) for each in requests]
    for _ in range(20):
        kept.later(31)
    settled = zip(requests, answers, strict=True)
    return [kept.inbox.settle(each, 0) if answer is Put.WRITING else answer for each, answer in settled]


def waiting(kept: Kept) -> Sequence[str]:
    """Return the ids that wait, oldest first."""
    return [each.request_id for each in kept.inbox.waiting()]


def test_what_is_recorded_waits_there_with_its_bytes(kept: Kept) -> None:
    """Canonical, under its own id, in order."""
    assert put(kept, request(2), request(1)) == [Put.RECORDED, Put.RECORDED]
    assert kept.held() == {each.request_id: encode_request(each) for each in (request(1), request(2))}
    assert sorted(waiting(kept)) == sorted(kept.held())
    assert kept.inbox.unwritten() == frozenset()


def test_the_same_request_again_has_no_effect(kept: Kept) -> None:
    """Whether it waits, or is being written."""
    assert put(kept, request(1), request(1)) == [Put.RECORDED, Put.RECORDED]
    assert put(kept, request(1)) == [Put.RECORDED]
    assert list(kept.held()) == [request(1).request_id]


def test_an_id_with_other_bytes_is_a_conflict(kept: Kept) -> None:
    """The first bytes stay."""
    put(kept, request(1))
    assert put(kept, request(1, body='{"a":1}')) == [Put.CONFLICT]
    assert kept.held() == {request(1).request_id: encode_request(request(1))}


def test_what_waits_counts_before_it_is_written(kept: Kept) -> None:
    """So that many confirms at once do not all see the same room."""
    kept.inbox.put(request(1))
    assert waiting(kept) == [request(1).request_id]


def test_a_full_inbox_lets_in_only_cancel_and_hold(kept: Kept) -> None:
    """Stopping is always possible."""
    made = [request(number) for number in range(500)]
    assert set(put(kept, *made)) == {Put.RECORDED}
    assert put(kept, request(501), request(502, "cancel"), request(503, "hold")) == [Put.FULL, Put.RECORDED, Put.RECORDED]
    assert len(kept.held()) == 502


def test_a_store_that_is_lost_is_not_writable(kept: Kept) -> None:
    """It is said before anybody confirms anything, and nothing is said to be recorded."""
    kept.inbox.require_writable()
    kept.lose()
    kept.later(60)
    with pytest.raises(StoreFault, match=r"inbox\.unavailable"):
        kept.inbox.require_writable()


def test_both_name_a_request_alike() -> None:
    """A file on the Hub is named by the id that a row has."""
    assert paths.request_file(request(7).request_id) == f"requests/{request(7).request_id}.json"
