"""The line of what waits for its commit: each once, the urgent first, and room for those always."""

import math
from dataclasses import replace

import pytest

from shared.errors import StoreFault
from shared.inbox.codec import Request
from space.requests.hub.pace import GATHER_S
from space.requests.hub.queue import MAX_COMMIT_BYTES, MAX_COMMIT_FILES, MAX_QUEUED, Queue
from space.requests.inbox import Put
from tests.space.requests.hub.desks import request


def large(number: int) -> Request:
    """Return a request of nearly 200 KiB."""
    return replace(request(number), body=f'{{"note":"{"x" * 200_000}"}}')


@pytest.fixture
def queue() -> Queue:
    """An empty line, at second 0 of its clock."""
    return Queue(lambda: 0.0)


def test_a_request_stands_there_once_and_other_bytes_of_it_are_refused(queue: Queue) -> None:
    """Also after it was recorded."""
    other = large(1)
    assert [queue.add(request(1)), queue.add(request(1)), queue.add(other)] == [Put.WRITING, Put.WRITING, Put.CONFLICT]
    assert queue.waiting() == [request(1)]
    queue.settle(queue.batch()[0], Put.RECORDED)
    assert [queue.add(request(1)), queue.add(other), queue.waiting()] == [Put.RECORDED, Put.CONFLICT, []]


def test_a_full_line_takes_what_is_urgent(queue: Queue) -> None:
    """And a cancel goes into the next commit, before all that waited longer."""
    for number in range(MAX_QUEUED):
        queue.add(request(number))
    assert queue.add(request(MAX_QUEUED)) is Put.FULL
    cancel = request(MAX_QUEUED + 1, "cancel")
    assert queue.add(cancel) is Put.WRITING
    batch = queue.batch()
    assert (len(batch), batch[0].request, batch[1].request) == (MAX_COMMIT_FILES, cancel, request(0))


def test_a_commit_is_bounded_in_bytes(queue: Queue) -> None:
    """One request goes in any case; what follows goes as far as it fits."""
    for number in range(40):
        queue.add(large(number))
    size = sum(len(each.data) for each in queue.batch())
    assert MAX_COMMIT_BYTES - 250_000 < size <= MAX_COMMIT_BYTES


def test_nothing_is_due_in_an_empty_line_and_all_at_once_in_a_hurry(queue: Queue) -> None:
    """Between, a request waits for others to share its commit."""
    assert math.isinf(queue.due_at())
    queue.add(request(1))
    assert (queue.due_at(), queue.is_due()) == (GATHER_S, False)
    queue.hurry()
    assert queue.is_due()


def test_why_a_request_was_not_written_is_raised_to_who_waits_for_it(queue: Queue) -> None:
    """It may be added again."""
    queue.add(request(1))
    queue.settle(queue.batch()[0], StoreFault("inbox.unavailable", "the token was revoked"))
    with pytest.raises(StoreFault, match="revoked"):
        queue.outcome(request(1).request_id, 0)
    assert (queue.add(request(1)), queue.outcome(request(1).request_id, 0)) == (Put.WRITING, Put.WRITING)
