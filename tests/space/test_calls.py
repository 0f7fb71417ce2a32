"""Which calls are let through to Gradio, and that none loses its body."""

import asyncio

import pytest
from starlette.types import Message, Receive

from space.calls import problem_of, read_body, replay


def receiving(*messages: Message) -> Receive:
    """Return a `receive` that gives `messages` in turn."""
    waiting = list(messages)

    async def receive() -> Message:
        return waiting.pop(0)

    return receive


def test_a_body_in_parts_is_read_whole_and_given_again() -> None:
    """Then what comes after it."""

    async def scenario() -> None:
        parts = [{"type": "http.request", "body": part, "more_body": part != b"c"} for part in (b"a", b"b", b"c")]
        receive = receiving(*parts, {"type": "http.disconnect"})
        body = await read_body(receive)
        again = replay(body, receive)
        assert await again() == {"type": "http.request", "body": b"abc", "more_body": False}
        assert (await again())["type"] == "http.disconnect"

    asyncio.run(scenario())


def test_a_visitor_who_leaves_ends_the_reading() -> None:
    """What was sent is no whole call."""
    receive = receiving({"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"})
    assert problem_of(asyncio.run(read_body(receive)), {0}) == "the body is not JSON"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"data": [], "fn_index": 3}', None),
        (b'{"data": [], "fn_index": 4}', "fn_index"),
        (b'{"data": {}, "fn_index": 3}', "data"),
        (b'"text"', "object"),
        (b"[" * 100_000, "JSON"),
    ],
)
def test_only_a_function_that_exists_is_called(body: bytes, said: str | None) -> None:
    """What is wrong is said in words."""
    problem = problem_of(body, {3})
    assert problem is None if said is None else problem is not None and said in problem
