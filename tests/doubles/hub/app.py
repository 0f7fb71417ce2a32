"""The double's server: which request goes to which area, what faults make of it, and the doors that only tests use.

`/_double/faults`, `/_double/calls`, `/_double/edit` and `/_double/tokens` are never called by the product.
"""

import socket
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from tests.doubles.hub import repos
from tests.doubles.hub.faults import Fault, Faults
from tests.doubles.hub.identity import bearer, whoami
from tests.doubles.hub.state import State
from tests.doubles.hub.wire import Answer, forbidden, refusal, segments

PREFIXES: Final = frozenset({"datasets", "spaces"})


class HubApp:
    """The ASGI application over the state in `root`."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self.state: Final = State(root / "hub.sqlite")
        self.faults: Final = Faults()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; a request whose connection is to end is left without one."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        if scope["path"].startswith("/_double/"):
            response: Response | None = await self._double(request)
        else:
            response = await self.faults.handle(request, self._answer)
        if response is not None:
            await response(scope, receive, send)
        else:
            _hang_up(send)

    async def _answer(self, request: Request) -> Response:
        try:
            return await self._route(request, segments(request))
        except Answer as early:
            return early.response

    async def _route(self, request: Request, parts: list[str]) -> Response:  # noqa: PLR0911 - a routing table: one answer a line
        match parts:
            case ["api", "whoami-v2"]:
                return whoami(self.state, request)
            case ["api", "repos", "create"] if request.method == "POST":
                return await repos.create(self.state, request)
            case ["api", kind, owner, name, *rest] if kind in repos.KINDS:
                return await repos.of_repo(self.state, request, kind, f"{owner}/{name}", rest)
            case [kind, owner, name, "resolve", revision, *path] if kind in PREFIXES:
                return repos.resolve(self.state, request, (kind, f"{owner}/{name}"), revision, "/".join(path))
            case [owner, name, "resolve", revision, *path]:
                return repos.resolve(self.state, request, ("models", f"{owner}/{name}"), revision, "/".join(path))
            case ["_large", sha256]:
                return repos.large(self.state, request, sha256)
        said = bearer(self.state, request)
        if said is not None and said["role"] == "fineGrained":
            raise forbidden()
        return refusal(404, "This route is none of the double's")

    async def _double(self, request: Request) -> Response:
        asked: Any = await request.json() if request.method == "POST" else {}
        match request.method, request.url.path:
            case "POST", "/_double/faults":
                self.faults.waiting += [Fault(**each) for each in asked]
            case "DELETE", "/_double/faults":
                self.faults.waiting.clear()
            case "GET", "/_double/faults":
                return JSONResponse([asdict(each) for each in self.faults.waiting])
            case "GET", "/_double/calls":
                return JSONResponse([asdict(each) for each in self.faults.calls])
            case "POST", "/_double/edit":
                return JSONResponse({"sha": repos.edit(self.state, asked).oid})
            case "POST", "/_double/tokens":
                for value, said in asked.items():
                    self.state.set_token(value, said)
            case _:
                return PlainTextResponse("no such door", 404)
        return JSONResponse({})


class Serving:
    """A server of the double on a port of loopback, from a thread of its own."""

    def __init__(self, root: Path, port: int = 0) -> None:
        self.app: Final = HubApp(root)
        self._listener: Final = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen(128)  # from now on who connects waits for the thread
        self.address: Final = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._server: Final = uvicorn.Server(configuration(self.app))
        self._thread: Final = threading.Thread(target=self._server.run, kwargs={"sockets": [self._listener]}, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop serving."""
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(10)
        self._listener.close()
        self.app.state.close()


def configuration(app: HubApp) -> uvicorn.Config:
    """Return how the double is served: quietly, and without waiting for clients at the end."""
    return uvicorn.Config(app, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)


def _hang_up(send: Send) -> None:
    """End the connection under the server, so that the client sees neither status nor body."""
    cycle: Any = getattr(send, "__self__", None)
    cycle.transport.abort()
