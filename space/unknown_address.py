"""What a browser gets at an address where nothing is: a page of ours with the way back, in the place of raw JSON.

Programs keep the JSON: whatever does not ask for HTML, everything below /api, and a page that was asked for a file.
"""

from typing import Final

from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from space.api import ROOT, page_of_file
from space.pages.plain import unknown_page

_PROGRAMS: Final = (ROOT, "/gradio_api")


class UnknownAddress:
    """ASGI middleware: answers of 404 in JSON to a browser become a page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and put the page in the place of an answer that nothing is there."""
        if not _is_visit(scope):
            await self._app(scope, receive, send)
            return
        is_replaced = False

        async def replacing(message: Message) -> None:
            nonlocal is_replaced
            if message["type"] == "http.response.start" and _is_json_404(message):
                is_replaced = True
                await HTMLResponse(unknown_page(scope["path"]), 404, {"cache-control": "no-store"})(scope, receive, send)
            elif not is_replaced:
                await send(message)

        await self._app(scope, receive, replacing)


def _is_visit(scope: Scope) -> bool:
    """Tell whether a browser asks for a page."""
    wanted = b",".join(value for name, value in scope["headers"] if name == b"accept")
    is_program = scope["path"].startswith(_PROGRAMS) or page_of_file(scope) is not None
    return scope["method"] in {"GET", "HEAD"} and b"text/html" in wanted and not is_program


def _is_json_404(message: Message) -> bool:
    kind = dict(message.get("headers", [])).get(b"content-type", b"")
    return bool(message["status"] == 404 and kind.startswith(b"application/json"))
