"""Recorded is said only of what is read in the inbox, few commits carry many requests, and nothing acknowledged is lost."""

import pytest

from shared.errors import StoreFault
from space.hub.dataset import HubDataset
from space.hub.place import HubPlace
from space.requests.hub.queue import Queue
from space.requests.hub.writer import Writer
from space.requests.inbox import Put
from tests.builders.hub import INBOX, INBOX_NAME
from tests.doubles.hub.identity import READ, WRITE
from tests.space.requests.hub.desks import COMMIT, READ_S, Desk, request


def test_requests_of_five_seconds_share_a_commit(desk: Desk) -> None:
    """And none is made before."""
    for number in range(4):
        assert desk.inbox.put(request(number)) is Put.WRITING
        desk.later(1)
    assert desk.commits() == 0
    desk.later(1)
    assert (desk.commits(), len(desk.held())) == (1, 4)
    assert [desk.inbox.settle(request(number), 0) for number in range(4)] == [Put.RECORDED] * 4


def test_commits_come_half_a_minute_apart(desk: Desk) -> None:
    """What is asked meanwhile waits, and the page can say until when."""
    desk.inbox.put(request(1))
    desk.later(5)
    desk.inbox.put(request(2))
    assert desk.inbox.due_at() == desk.now + 30
    desk.later(29)
    assert (desk.commits(), desk.inbox.settle(request(2), 0)) == (1, Put.WRITING)
    desk.later(1)
    assert (desk.commits(), desk.inbox.settle(request(2), 0)) == (2, Put.RECORDED)


@pytest.mark.parametrize("kind", ["cancel", "hold"])
def test_a_cancel_and_a_hold_are_written_at_once(desk: Desk, kind: str) -> None:
    """Also when the others have to wait; these go with it."""
    desk.inbox.put(request(1))
    desk.later(5)
    desk.inbox.put(request(2))
    desk.inbox.put(request(3, kind))
    desk.later(0)
    assert desk.inbox.settle(request(3, kind), 0) is Put.RECORDED
    assert len(desk.held()) == 3


def test_a_thousand_confirms_in_an_hour_are_at_most_twenty_commits(desk: Desk) -> None:
    """No acknowledged one is lost, although a pass takes them meanwhile; a cancel among them is recorded at once."""
    taken: set[str] = set()
    urgent = request(5_000, "cancel")
    put = []
    for number in range(1_000):
        if desk.inbox.put(request(number)) is Put.WRITING:
            put.append(request(number))
        if number == 500:
            before = desk.commits()
            desk.inbox.put(urgent)
            desk.inbox.writer.step()
            assert (desk.inbox.settle(urgent, 0), desk.is_held(urgent)) == (Put.RECORDED, True)
            assert desk.commits() == before + 1
        if number % 150 == 149:
            taken |= desk.take()
        desk.later(3.6)
    assert desk.commits() - 1 <= 20
    recorded = [each for each in put if desk.inbox.settle(each, 0) is Put.RECORDED]
    there = taken | {path[len("requests/") : -len(".json")] for path in desk.held()}
    assert {each.request_id for each in recorded} <= there
    assert len(recorded) > 600
    for _ in range(30):
        desk.later(301)
        taken |= desk.take()
    assert {desk.inbox.settle(each, 0) for each in put} == {Put.RECORDED}
    assert {each.request_id for each in put} | {urgent.request_id} == taken


FAULTS = [
    "drop_before",
    "drop_after",
    "hang",
    "409",
    "412",
    "429_quota",
    "429_commits",
    "429_plain",
    "500_lost",
    "500_applied",
    "503",
]


@pytest.mark.parametrize("kind", [*FAULTS, "late", "odd_json"])
@pytest.mark.parametrize("route", [COMMIT, "preupload", "GET /api/datasets/[^/]*/[^/]*$", "/tree/"])
def test_recorded_is_what_the_inbox_shows(desk: Desk, kind: str, route: str) -> None:
    """Whatever the answer to a commit, or to a question around it; and in the end it is there, once."""
    fault = desk.hub.fail(route, kind, **({"seconds": 20} if kind.startswith("429") else {}))
    desk.inbox.put(request(1))
    desk.later(5)
    said = desk.inbox.settle(request(1), 0)
    assert fault.fired == 1
    assert said in {Put.RECORDED, Put.WRITING}
    assert said is not Put.RECORDED or desk.is_held(request(1))
    if said is Put.WRITING:
        assert request(1).request_id in desk.inbox.unwritten()
    for _ in range(3):
        desk.later(3_600)
    assert (desk.inbox.settle(request(1), 0), desk.is_held(request(1))) == (Put.RECORDED, True)
    assert len(desk.held()) == 1


@pytest.mark.parametrize("kind", ["drop_after", "500_applied"])
def test_a_commit_whose_answer_was_lost_is_read_and_not_repeated(desk: Desk, kind: str) -> None:
    """It landed: one commit, recorded without a second."""
    desk.hub.fail(COMMIT, kind)
    desk.inbox.put(request(1))
    desk.later(5)
    assert (desk.inbox.settle(request(1), 0), desk.commits(), len(desk.hub.calls("/commit/"))) == (Put.RECORDED, 1, 1)


def test_a_throttled_writer_leaves_the_hub_alone_and_says_until_when(desk: Desk) -> None:
    """As long as the answer asks for."""
    desk.hub.fail(COMMIT, "429_commits")
    desk.inbox.put(request(1))
    desk.later(5)
    assert desk.inbox.due_at() == desk.now + 37 * 60
    before = len(desk.hub.calls())
    desk.later(37 * 60 - 1)
    assert len(desk.hub.calls()) == before
    desk.later(1)
    assert desk.inbox.settle(request(1), 0) is Put.RECORDED


def test_another_writer_in_between_changes_nothing(desk: Desk) -> None:
    """The head moved: it is read again, and both are there."""
    desk.hub.fail(COMMIT, "412")
    desk.inbox.put(request(1))
    desk.hub.edit(INBOX_NAME, {"requests/req-other.json": b"not ours"})
    desk.inbox.writer.step()
    desk.later(5)
    desk.later(60)
    assert (desk.inbox.settle(request(1), 0), len(desk.held())) == (Put.RECORDED, 2)


def test_a_commit_names_the_head_that_was_read(desk: Desk) -> None:
    """A head that lags is found by the Hub, which refuses; the one read after it lands."""
    desk.hub.edit(INBOX_NAME, {"README.md": b"later"})
    desk.hub.fail("GET /api/datasets/[^/]*/[^/]*$", "stale_head")
    desk.inbox.put(request(1))
    desk.later(5)
    assert [call.status for call in desk.hub.calls("/commit/")] == [412, 200]
    assert desk.inbox.settle(request(1), 0) is Put.RECORDED


def test_a_token_that_may_only_propose_is_refused(desk: Desk) -> None:
    """412 on an unmoved head, twice."""
    desk.hub.fail(COMMIT, "412", nth=0)
    desk.inbox.put(request(1))
    desk.later(5)
    with pytest.raises(StoreFault, match="may only propose"):
        desk.inbox.settle(request(1), 0)
    assert (len(desk.hub.calls("/commit/")), desk.held()) == (2, {})


def test_a_revoked_token_is_told_and_nothing_is_written(desk: Desk) -> None:
    """To who confirmed, not to the log alone; no token in the words."""
    desk.hub.scope(INBOX, {f"datasets/{INBOX_NAME}": [READ]})
    desk.inbox._trusted_at = desk.now
    desk.inbox.put(request(1))
    desk.later(5)
    with pytest.raises(StoreFault, match=r"inbox\.unavailable") as caught:
        desk.inbox.settle(request(1), 0)
    assert INBOX not in str(caught.value)
    assert desk.held() == {}


@pytest.mark.parametrize("kind", ["400", "413", "422"])
def test_a_commit_that_the_hub_refuses_is_told_and_not_sent_again(desk: Desk, kind: str) -> None:
    """Nothing was written."""
    desk.hub.fail(COMMIT, kind, nth=0)
    desk.inbox.put(request(1))
    desk.later(5)
    with pytest.raises(StoreFault, match=r"inbox\.unavailable"):
        desk.inbox.settle(request(1), 0)
    desk.later(3_600)
    assert len(desk.hub.calls("/commit/")) == 1


def test_what_may_have_landed_is_never_said_not_to_be_written(desk: Desk) -> None:
    """A commit whose answer was lost, then a token that was revoked before it could be read: it stays in doubt, and is there."""
    desk.hub.fail(COMMIT, "500_applied")
    desk.hub.fail("GET /api/datasets/[^/]*/[^/]*$", "500_lost", nth=2)
    desk.inbox.put(request(1))
    desk.later(5)
    desk.hub.scope(INBOX, {})
    desk.later(60)
    assert (desk.inbox.settle(request(1), 0), desk.is_held(request(1))) == (Put.WRITING, True)
    desk.hub.scope(INBOX, {f"datasets/{INBOX_NAME}": [READ, WRITE]})
    desk.later(60)
    assert (desk.inbox.settle(request(1), 0), desk.commits()) == (Put.RECORDED, 1)


def test_a_mistake_of_ours_ends_no_writing(desk: Desk) -> None:
    """What nobody expected is in the log, and what waits is tried again."""
    raised: list[Exception] = [RuntimeError("never seen before")]

    def rights() -> None:
        if raised:
            raise raised.pop()

    queue = Queue(lambda: desk.now)
    writer = Writer(HubDataset(HubPlace(INBOX_NAME, desk.hub.address, INBOX), READ_S), queue, rights, lambda *_: None)
    queue.add(request(1))
    for _ in range(8):
        desk.now += 60
        writer.step()
    assert (raised, queue.outcome(request(1).request_id, 0), desk.commits()) == ([], Put.RECORDED, 1)


def test_a_clock_that_is_set_back_makes_nobody_wait_that_long(desk: Desk) -> None:
    """Neither what was asked before nor what is asked after: the waits are those of a clock that went on."""
    desk.inbox.put(request(1))
    desk.later(5)
    desk.inbox.put(request(2))
    desk.later(-3_600)
    desk.inbox.put(request(3))
    assert desk.inbox.due_at() == desk.now + 30
    desk.later(30)
    assert (desk.commits(), len(desk.held())) == (2, 3)


def test_a_wait_that_the_hub_asked_for_is_no_longer_where_the_clock_is_set_back(desk: Desk) -> None:
    """Nor where nothing else was noted."""
    desk.hub.fail(COMMIT, "429_plain", seconds=60)
    desk.inbox.put(request(1))
    desk.later(5)
    desk.later(-3_600)
    assert desk.inbox.due_at() == desk.now + 60
