import pytest

from runner.domain.control import events
from runner.domain.control.leases import PointerMove
from runner.ports.state.answers import Version
from runner.ports.state.batch import Batch, make_batch
from shared.errors import Refused
from tests.builders.journals import RUN, event, note

PARENT = Version("0")


def batch(**changed: object) -> Batch:
    """Return a batch of one event, changed."""
    arguments: dict = {"appends": {RUN: [note(1)]}, "parent": PARENT, "nonce": "n"} | changed
    return make_batch(arguments.pop("appends"), **arguments)


def test_the_key_stands_for_everything_in_the_batch() -> None:
    """The same writes by the same writer on the same parent share a key, any change makes another."""
    changes: list[dict[str, object]] = [
        {"appends": {RUN: [note(2)]}},
        {"appends": {RUN: [note(1), note(2)]}},
        {"parent": Version("1")},
        {"nonce": "m"},
        {"moves": [PointerMove("p", 0, "t", "b")]},
        {"documents": [b"d"]},
        {"closes": [RUN]},
        {"commit_class": "claim"},
    ]
    keys = {batch(**change).key for change in changes}
    assert (len(keys), batch().key in keys, batch().key == batch().key) == (len(changes), False, True)


@pytest.mark.parametrize(
    "appends",
    [
        [note(1, "x" * 17_000)],
        [note(number) for number in range(2001)],
        [note(number, "x" * 15_000) for number in range(80)],
    ],
    ids=["event", "segment's events", "segment's bytes"],
)
def test_what_is_too_large_is_refused_before_it_is_sent(appends: list) -> None:
    """An event, a segment; nothing is sent."""
    with pytest.raises(Refused, match="BATCH_TOO_LARGE"):
        batch(appends={RUN: appends})


def test_a_commit_too_large_is_refused() -> None:
    """4 MiB or 80 files in all."""
    with pytest.raises(Refused, match="BATCH_TOO_LARGE"):
        batch(documents=[bytes([number]) * 1_000_000 for number in range(5)])
    with pytest.raises(Refused, match="BATCH_TOO_LARGE"):
        batch(documents=[b"%d" % number for number in range(81)])


def test_a_carrier_may_be_as_large_as_a_segment() -> None:
    """A request of 256 KiB is taken whole."""
    request = events.TakenRequest(
        request_id="req-1", kind="submit", user_id="u", org_id="o", role="r", body="x" * 200_000, body_sha256="s"
    )
    assert batch(appends={RUN: [event("request_taken", events.RequestTaken(request=request))]}).bodies


def test_an_empty_batch_says_so() -> None:
    """Nothing to say is no commit."""
    assert batch(appends={}).is_empty
    assert not batch(appends={}, closes=[RUN]).is_empty
