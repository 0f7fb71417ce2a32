"""The door every HTTP request passes: response headers, all Gradio routes but those in use closed, `?view=SLUG` to its page.

The content policy allows inline script and eval because Gradio's HTML block needs both; it allows no other origin at all.
"""

import re
from collections.abc import Container
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from space import calls
from space.api import ROOT, page_of_file
from space.pages.page import REQUEST, discover
from space.unknown_address import UnknownAddress

MAX_BODY: Final = 256 << 10
MCP: Final = {("POST", "/gradio_api/mcp"): "/gradio_api/mcp/", ("GET", "/gradio_api/mcp/schema"): "/gradio_api/mcp/schema"}
"""What MCP needs: calls, each answered by itself, and the schema. No stream is held open, nothing is kept between calls."""
_CLOSED: Final = re.compile(
    r"/gradio_api(/.*)?|/(upload|upload_progress|stream|proxy=|component_server|file|file=|custom_component|queue)(/|=|$|:|\?)?.*"
    r"|/monitoring(/.*)?|/login/?"
)
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; "
    "font-src 'self' data:; connect-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'self' https://huggingface.co"
)
HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"strict-origin-when-cross-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)


class Gate:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, functions: Container[int] = ()) -> None:
        self.app = app
        self.functions = functions
        """The Gradio functions that may be called, by index."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer at the door or pass on, with the headers added."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *HEADERS]
            await send(message)

        scope = _to_mcp(scope)
        answer = _refusal(scope) or _redirect(scope)
        if answer is None and scope["path"] == calls.ROUTE and scope["method"] == "POST":
            body = await calls.read_body(receive)
            answer, receive = _bad_call(calls.problem_of(body, self.functions)), calls.replay(body, receive)
        await UnknownAddress(answer or self.app)(_without_query(scope), receive, with_headers)


def _to_mcp(scope: Scope) -> Scope:
    """Send a call of MCP where it is answered without a redirect, which behind a proxy would lead elsewhere."""
    path = MCP.get((scope["method"], scope["path"].rstrip("/")))
    return scope if path is None else {**scope, "path": path, "raw_path": path.encode(), "query_string": b""}


def _refusal(scope: Scope) -> Any:
    """Return the answer to what is not offered, None for what is passed on."""
    is_open = scope["path"] == calls.ROUTE or (scope["method"], scope["path"].rstrip("/")) in MCP
    if not is_open and scope["path"].rstrip("/") in {path for _, path in MCP}:
        said = {"error": {"code": "route.method", "message": "calls are answered one by one, no stream is offered"}}
        return JSONResponse(said, status_code=405, headers={"allow": "POST"})
    if not is_open and (_CLOSED.fullmatch(scope["path"]) or _is_unseen(scope["path"])):
        return JSONResponse({"error": {"code": "route.closed", "message": "not offered here"}}, status_code=404)
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return JSONResponse({"error": {"code": "request.length", "message": "a body must say its length"}}, status_code=411)
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > MAX_BODY:
        return JSONResponse({"error": {"code": "request.too_large", "message": "the body is too large"}}, status_code=413)
    return None


def _is_unseen(path: str) -> bool:
    """Tell whether `path` holds a line break or the like, which a route of Gradio's overlooks; the API reads its own."""
    return not path.isprintable() and not path.startswith(f"{ROOT}/")


def _bad_call(problem: str | None) -> Any:
    if problem is None:
        return None
    return JSONResponse({"error": {"code": "call.invalid", "message": problem}}, status_code=400)


def _without_query(scope: Scope) -> Scope:
    """Hide the query of a page from Gradio: its own `page` and `deep_link` would be read from it. The browser sends it again.

    A query that asks for a file never reaches Gradio.
    """
    if page_of_file(scope) is None and scope["method"] in {"GET", "HEAD"} and scope["path"] in {page.path for page in discover()}:
        return {**scope, "query_string": b""}
    return scope


def _redirect(scope: Scope) -> Any:
    if scope["path"] != "/" or scope["method"] not in {"GET", "HEAD"}:
        return None
    pairs = parse_qsl(scope["query_string"][:2_048].decode("utf-8", "replace"))
    wanted = next((value for key, value in pairs if key == "view"), None)
    if wanted is None or wanted not in {REQUEST[0][1:], *(page.slug for page in discover() if page.slug)}:
        return None
    rest = urlencode([(key, value) for key, value in pairs if key != "view"])
    return RedirectResponse(f"/{wanted}?{rest}" if rest else f"/{wanted}", status_code=307)
