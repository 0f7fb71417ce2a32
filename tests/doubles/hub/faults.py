"""Faults: what goes wrong between a client and the Hub, at which request, and whether the effect had happened by then.

A fault is {route (a regular expression over method and path), nth, kind, arguments}; it strikes the nth request that matches, or
every one for 0. All requests are noted, so a test can count them.

    drop_before drop_after      the connection ends before, or after the effect
    hang (applied)              no answer until the client gives up
    409 412 503 and any status  that answer, nothing applied
    429_quota 429_commits 429_plain   the Hub's three ways to say "too many" (seconds)
    500_lost 500_applied        the same answer, without and with the effect
    late (seconds)              504 now, the effect afterwards
    short_body (silent)         half of the bytes; silent: under a length that fits
    bit_flip odd_json           wrong bytes; JSON of another shape
    stale_head (behind) public  info that lags by commits; that says a private repository is public
    redirect (to) next_page (to)   a way elsewhere
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.doubles.hub.wire import refusal

type Handler = Callable[[Request], Awaitable[Response]]
KINDS: Final = frozenset(
    {
        "drop_before", "drop_after", "hang", "429_quota", "429_commits", "429_plain", "500_lost", "500_applied", "late",
        "short_body", "bit_flip", "odd_json", "stale_head", "public", "redirect", "next_page",
    }
)  # fmt: skip


@dataclass
class Fault:
    """One fault that waits for its request; `nth` counts matching requests from 1, 0 is every one of them."""

    route: str
    kind: str
    nth: int = 1
    arguments: dict[str, Any] = field(default_factory=dict)
    seen: int = 0
    fired: int = 0

    def __post_init__(self) -> None:
        """Check that the kind is one of ours."""
        if self.kind not in KINDS and not re.fullmatch("[45][0-9][0-9]", self.kind):
            raise ValueError(f"{self.kind} is no kind of fault")

    def strikes(self, line: str) -> bool:
        """Tell whether the request `line` is the one."""
        if not re.search(self.route, line):
            return False
        self.seen += 1
        is_due = self.nth in {0, self.seen}
        self.fired += is_due
        return is_due


@dataclass
class Call:
    """One request as it was handled; `token` is its last four characters."""

    line: str
    token: str
    status: int = 0
    applied: bool = False
    fault: str = ""


class Faults:
    """The faults that wait, and every call."""

    def __init__(self) -> None:
        self.waiting: list[Fault] = []
        self.calls: list[Call] = []
        self._later: set[asyncio.Task[Response]] = set()

    async def handle(self, request: Request, handler: Handler) -> Response | None:
        """Return what the client sees of `handler`'s answer; None where the connection is to end."""
        line = f"{request.method} {request.scope['path']}"
        call = Call(line, request.headers.get("authorization", "")[-4:])
        self.calls.append(call)
        fault = next((each for each in list(self.waiting) if each.strikes(line)), None)
        if fault is None:
            return _noted(call, await handler(request))
        call.fault = fault.kind
        return await self._struck(fault, call, request, handler)

    async def _struck(  # noqa: PLR0911 - a table: one kind of fault a line
        self, fault: Fault, call: Call, request: Request, handler: Handler
    ) -> Response | None:
        kind, given = fault.kind, fault.arguments
        if kind in {"stale_head", "public"}:
            request.scope.update({"stale": given.get("behind", 1)} if kind == "stale_head" else {"public": True})
            return _noted(call, await handler(request))
        if kind == "late":
            body = await request.body()  # read now: the connection will be gone
            assert body is not None
            task = asyncio.ensure_future(_after(given.get("seconds", 0.2), handler, request))
            self._later.add(task)
            return _noted(call, refusal(504, "Gateway time-out"))
        if not (kind in {"drop_after", "500_applied", "short_body", "bit_flip", "odd_json", "next_page"} or given.get("applied")):
            return await _unapplied(fault, call, request)
        response = _noted(call, await handler(request))
        match kind:
            case "drop_after":
                return None
            case "hang":
                return await _silence(request)
            case "500_applied":
                return _noted(call, refusal(500, "Internal error"))
            case "next_page":
                response.headers["Link"] = f'<{given["to"]}>; rel="next"'
                return response
            case "odd_json":
                return JSONResponse({"unexpected": [1, 2, 3]}, response.status_code)
        return _spoiled(response, kind, is_silent=bool(given.get("silent")))


async def _unapplied(fault: Fault, call: Call, request: Request) -> Response | None:  # noqa: PLR0911 - the same
    match fault.kind:
        case "drop_before":
            return None
        case "hang":
            return await _silence(request)
        case "redirect":
            return _noted(call, Response(status_code=302, headers={"Location": fault.arguments["to"]}))
        case "500_lost":
            return _noted(call, refusal(500, "Internal error"))
        case "429_quota":
            left = f'"api";r=0;t={fault.arguments.get("seconds", 55)}'
            return _noted(call, refusal(429, "Too many requests", RateLimit=left))
        case "429_commits":
            said = (
                "You have exceeded the rate limit for repository commits (128 per hour). Retry this action in about 37 minutes."
            )
            return _noted(call, refusal(429, said, RateLimit='"api";r=900;t=120'))
        case "429_plain":
            after = {"Retry-After": str(fault.arguments["seconds"])} if "seconds" in fault.arguments else {}
            return _noted(call, refusal(429, "Too many requests", **after))
    return _noted(call, refusal(int(fault.kind), f"planted {fault.kind}"))


async def _silence(request: Request) -> None:
    while not await request.is_disconnected():  # noqa: ASYNC110 - a server is told of it by asking alone
        await asyncio.sleep(0.02)


async def _after(seconds: float, handler: Handler, request: Request) -> Response:
    await asyncio.sleep(seconds)
    return await handler(request)


def _spoiled(response: Response, kind: str, *, is_silent: bool) -> Response:
    body = bytearray(response.body)
    if kind == "bit_flip":
        body[len(body) // 2] ^= 1
    else:
        body = body[: len(body) // 2]
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    length = len(body) if is_silent or kind == "bit_flip" else len(bytes(response.body))
    return Response(bytes(body), response.status_code, {**headers, "content-length": str(length)})


def _noted(call: Call, response: Response) -> Response:
    if not call.status:
        call.applied = response.status_code < 400
    call.status = response.status_code
    return response
