"""The inbox on the Hub: recorded is said only of what is read there, few commits carry many requests, the token does no more."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError

from shared.errors import Refused, StoreFault
from shared.ids import RequestId
from shared.inbox.codec import Actor, Request, RequestSubject, encode_request
from space.hub.dataset import HubDataset
from space.hub.doorway import Answered
from space.hub.place import HubPlace
from space.requests.inbox import Put
from space.requests.inbox_hub import HubInbox
from tests.builders.hub import CONTROL, INBOX, INBOX_NAME, Hub
from tests.doubles.hub.identity import READ, WRITE

COMMIT = "POST .*/commit/main"


class Desk:
    """An inbox with a clock that a test moves, and the Hub it lies on."""

    def __init__(self, folder: Path) -> None:
        self.hub = Hub(folder)
        self.hub.edit(INBOX_NAME)
        self.now = 1_000_000.0
        self.inbox = self.open()

    def open(self, token: str = INBOX) -> HubInbox:
        """Return the inbox as after a restart."""
        return HubInbox(HubDataset(HubPlace(INBOX_NAME, self.hub.address, token), 0.5), lambda: self.now)

    def later(self, seconds: float) -> None:
        """Let time pass and do what is due."""
        self.now += seconds
        self.inbox.writer.step()

    def held(self) -> dict[str, bytes]:
        """Return what waits on the Hub."""
        return {path: data for path, data in self.hub.files(INBOX_NAME).items() if path.startswith("requests/")}

    def is_held(self, request: Request) -> bool:
        """Tell whether the Hub holds exactly this request."""
        return self.held().get(f"requests/{request.request_id}.json") == encode_request(request)

    def commits(self) -> int:
        """Return how many commits were made by writers."""
        return sum(title.startswith("request ") for title in self.hub.commits(INBOX_NAME))

    def take(self) -> set[str]:
        """Take everything, as a pass does, and return the ids."""
        held = self.held()
        self.hub.edit(INBOX_NAME, dict.fromkeys(held))
        return {path[len("requests/") : -len(".json")] for path in held}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty inbox on a Hub."""
    made = Desk(tmp_path / "hub")
    yield made
    made.hub.close()


def request(number: int, kind: str = "submit") -> Request:
    """Return a small request."""
    actor = Actor("alice", "org-members", "read")
    return Request(RequestId(f"req-{number:032x}"), kind, actor, RequestSubject("run", f"run-{number:032x}"), "{}")


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


def test_an_inbox_open_to_everybody_is_not_written(desk: Desk) -> None:
    """Requests name people."""
    desk.inbox.put(request(1))
    desk.hub.edit(INBOX_NAME, private=False)
    desk.later(5)
    with pytest.raises(StoreFault, match="HUB_PUBLIC_STORE"):
        desk.inbox.settle(request(1), 0)
    with pytest.raises(StoreFault, match="HUB_PUBLIC_STORE"):
        desk.open().require_writable()
    assert desk.held() == {}


def test_what_waits_is_written_when_the_process_ends(desk: Desk) -> None:
    """Without waiting for its turn; the thread ends."""
    inbox = desk.open()
    inbox.start()
    inbox.put(request(1))
    inbox.close(10)
    assert (inbox.settle(request(1), 0), desk.is_held(request(1))) == (Put.RECORDED, True)
    assert not [thread for thread in threading.enumerate() if thread is inbox._thread]


WIDE_TOKENS = {
    "a role": {"role": "write", "scoped": {}},
    "reading all": {"role": "read", "scoped": {}},
    "another dataset": {"scoped": {f"datasets/{INBOX_NAME}": [READ, WRITE], f"datasets/{CONTROL}": [READ]}},
    "another kind": {"scoped": {f"datasets/{INBOX_NAME}": [READ, WRITE], f"models/{INBOX_NAME}": [READ]}},
    "more of the inbox": {"scoped": {f"datasets/{INBOX_NAME}": [READ, WRITE, "discussion.write"]}},
    "the account": {"scoped": {f"datasets/{INBOX_NAME}": [READ, WRITE]}, "global": ["inference.serverless.write"]},
    "gated": {"scoped": {f"datasets/{INBOX_NAME}": [READ, WRITE]}, "gated": True},
    "nothing": {"scoped": {}},
    "reading the inbox": {"scoped": {f"datasets/{INBOX_NAME}": [READ]}},
}


@pytest.mark.parametrize("name", WIDE_TOKENS)
def test_a_token_that_reaches_anything_else_is_not_used(desk: Desk, name: str) -> None:
    """Neither before a ticket nor for a commit."""
    held = {"user": "example", "namespaces": ["example"], "role": "fineGrained", **WIDE_TOKENS[name]}
    desk.hub.state.set_token(INBOX, held)
    with pytest.raises(Refused, match="HUB_TOKEN_WIDE"):
        desk.inbox.require_writable()
    desk.inbox.put(request(1))
    desk.later(5)
    with pytest.raises(Refused, match="HUB_TOKEN_WIDE"):
        desk.inbox.settle(request(1), 0)
    assert desk.held() == {}


def test_an_answer_about_the_token_that_is_none_lets_nothing_through(desk: Desk) -> None:
    """What cannot be understood is not trusted."""
    desk.hub.fail("whoami", "odd_json", nth=0)
    with pytest.raises(Refused, match="HUB_TOKEN_WIDE"):
        desk.inbox.require_writable()


def test_the_inbox_token_alone_opens_no_other_door(desk: Desk) -> None:
    """Log, status, results, Buckets, jobs, a new repository: each is refused."""
    for name in (CONTROL, "example/results", "example/catalog"):
        desk.hub.edit(name, {"status/index.json": b"{}"}, private=True)
    desk.hub.edit("example/model", kind="models", private=True)
    api = HfApi(endpoint=desk.hub.address, token=INBOX)
    tries = [
        lambda: api.dataset_info(CONTROL),
        lambda: list(api.list_repo_tree(CONTROL, repo_type="dataset")),
        lambda: api.get_paths_info(CONTROL, ["status/index.json"], repo_type="dataset"),
        lambda: HubDataset(HubPlace(CONTROL, desk.hub.address, INBOX)).read("status/index.json", "main", 100),
        *(
            lambda name=name: api.create_commit(name, [CommitOperationAdd("f", b"x")], commit_message="m", repo_type="dataset")
            for name in (CONTROL, "example/results", "example/catalog")
        ),
        lambda: api.create_commit("example/model", [CommitOperationAdd("f", b"x")], commit_message="m"),
        lambda: api.create_repo("example/new", repo_type="dataset"),
        lambda: api.delete_repo(CONTROL, repo_type="dataset"),
        lambda: list(api.list_bucket_tree("example/seawall-evidence")),
        lambda: list(api.list_jobs(namespace="example")),
    ]
    for each in tries:
        with pytest.raises((HfHubHTTPError, StoreFault, Answered)):
            each()
    assert {call.status for call in desk.hub.calls()} == {403}
    assert desk.hub.state.repo("datasets", "example/new") is None


def test_what_cannot_be_read_hides_nothing_else(desk: Desk) -> None:
    """Bytes of anybody else are left out, misplaced ones too."""
    good = request(1)
    desk.hub.edit(
        INBOX_NAME,
        {
            f"requests/{good.request_id}.json": encode_request(good),
            "requests/req-bad.json": b"\xff",
            f"requests/{request(2).request_id}.json": encode_request(request(3)),
        },
    )
    assert [each.request_id for each in desk.inbox.waiting()] == [good.request_id]


def test_looking_often_asks_the_hub_seldom(desk: Desk) -> None:
    """One question in ten seconds, and each file once."""
    desk.hub.edit(INBOX_NAME, {f"requests/{request(n).request_id}.json": encode_request(request(n)) for n in range(3)})
    for _ in range(50):
        desk.inbox.waiting()
    assert (len(desk.hub.calls()), len(desk.hub.calls("resolve"))) == (5, 3)
    desk.now += 11
    desk.inbox.waiting()
    assert len(desk.hub.calls()) == 6
