"""The one Gradio route that pages use, and which calls of it are let through: JSON that names a function which exists.

Gradio answers a call of an unknown function with 500 and a traceback in the log; here it is told what is wrong before Gradio
sees it.
"""

import json
from collections.abc import Container
from typing import Any, Final

from starlette.types import Message, Receive

ROUTE: Final = "/gradio_api/run/predict"


async def read_body(receive: Receive) -> bytes:
    """Return the whole body; its length was checked before."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if not message.get("more_body"):
            return body


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives `body` again, then goes on."""
    waiting = [body]

    async def again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return again


def problem_of(body: bytes, functions: Container[int]) -> str | None:
    """Return what is wrong with a call, None if Gradio can carry it out."""
    try:
        call: Any = json.loads(body)
    except (ValueError, RecursionError):
        return "the body is not JSON"
    if not isinstance(call, dict) or not isinstance(call.get("data"), list):
        return "expected a JSON object with a list `data`"
    index = call.get("fn_index")
    if type(index) is not int or index not in functions:
        return "`fn_index` names no function of this Space"
    return None
