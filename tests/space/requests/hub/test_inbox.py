"""The inbox on the Hub is private, read seldom, and written by a token that reaches nothing else."""

import threading

import pytest
from huggingface_hub import CommitOperationAdd, HfApi
from huggingface_hub.errors import HfHubHTTPError

from shared.errors import Refused, StoreFault
from shared.inbox.codec import encode_request
from space.hub.dataset import HubDataset
from space.hub.doorway import Answered
from space.hub.place import HubPlace
from space.requests.inbox import Put
from tests.builders.hub import CONTROL, INBOX, INBOX_NAME
from tests.doubles.hub.identity import READ, WRITE
from tests.space.requests.hub.desks import Desk, request


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
    good = request(4)
    desk.hub.edit(
        INBOX_NAME,
        {
            f"requests/{good.request_id}.json": encode_request(good),
            f"requests/{request(1).request_id}.json": encode_request(good),
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
