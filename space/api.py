"""The read API and the exports over HTTP: GET alone, no account; each answer names its mirror and is good for a minute.

Asked again with its ETag an answer is 304 while neither the mirror nor the question changed. An error is {error: {code, message,
field, way_out}}. Any origin may read, none with credentials. What is answered, space/exports decides.
"""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.digests import Json, digest_of
from shared.errors import Refused, SeawallError
from space.config import Settings
from space.exports.answers import later_records
from space.exports.formats import LIST_VERSION, Exported
from space.exports.openapi import openapi
from space.exports.problems import Problem, problem_of, unexpected
from space.exports.routes import Plan, plan_for_api, plan_for_page
from space.pages.page import Page, discover, told
from space.queries.view import address
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh

ROOT: Final = "/api"
OPENAPI: Final = "/openapi.json"
MAX_AGE: Final = 60
MAX_EXPORTS: Final = 2
"""Whole lists that are made at once: one of 50,000 rows takes some 100 MB while it is written."""
EXPORT_WAIT_SECONDS: Final = 3.0
_OPEN: Final = {"access-control-allow-origin": "*", "access-control-expose-headers": "ETag, Link, X-Seawall-Mirror, Retry-After"}
_FRESH: Final = {"cache-control": f"public, max-age={MAX_AGE}"}
_DESCRIBED: Final = {"link": f'<{OPENAPI}>; rel="describedby"'}
"""Where the columns of a file are described, with their units: a CSV has no place of its own for that."""
_METHODS: Final = "GET, HEAD, OPTIONS"


def add_api(app: FastAPI, refresh: Refresh, settings: Settings) -> None:
    """Serve the API from `app`, and a page's list in another format where its address asks for one."""
    api = Api(refresh, settings)
    app.router.routes.extend([Route(f"{ROOT}/{{path:path}}", api), Route(OPENAPI, api)])
    app.add_middleware(PageFiles, api=api)


class Api:
    """The ASGI app below /api."""

    def __init__(self, refresh: Refresh, settings: Settings) -> None:
        self._refresh = refresh
        self._settings = settings
        self._exports = threading.BoundedSemaphore(MAX_EXPORTS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope)
        answer = await run_in_threadpool(self.answer, request, None)
        await answer(scope, receive, send)

    def answer(self, request: Request, page: Page | None) -> Response:
        """Return the answer to `request`, which asks the API, or `page` for a file; never raises."""
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={**_OPEN, "access-control-allow-methods": _METHODS, "allow": _METHODS})
        path = request.url.path
        try:
            return self._answer(request, page, path)
        except SeawallError as error:
            return _refused(problem_of(error))
        except Exception as error:  # noqa: BLE001 - a program gets a code, the log gets the traceback
            return _refused(unexpected(error, path))

    def _answer(self, request: Request, page: Page | None, path: str) -> Response:
        if request.method not in {"GET", "HEAD"}:
            raise Refused("route.read_only", "nothing is written here", way_out=f"Use {_METHODS}.")
        if path == OPENAPI:
            return _json(openapi(), _FRESH)
        query = request.scope.get("query_string", b"")
        return self._carry_out(
            plan_for_page(told(page, self._settings.form.keeper), query) if page else plan_for_api(path, query), request
        )

    def _carry_out(self, plan: Plan, request: Request) -> Response:
        revision = plan.asked.view.number("revision")
        with self._refresh.lease(revision) as mirror:
            later = self._later(revision, mirror)
            headers = {**_FRESH, "x-seawall-mirror": mirror.identity}
            if plan.is_lasting:
                headers["etag"] = _tag(plan, mirror, [self._space(request), str(later)])
                if headers["etag"] in request.headers.get("if-none-match", "").replace("W/", "").replace(" ", "").split(","):
                    return Response(status_code=304, headers={**_OPEN, **headers})
            with self._turn(is_heavy=plan.is_heavy):
                made = plan.make(mirror, self._refresh, self._space(request))
        return _file(made, headers) if isinstance(made, Exported) else _json({**made, **later}, headers)

    def _later(self, revision: int, mirror: Mirror) -> Mapping[str, Any]:
        """Return what became later of the cells of an earlier revision."""
        if not revision:
            return {}
        with self._refresh.lease() as newest:
            return {"later": later_records(mirror, newest)}

    def _space(self, request: Request) -> str:
        """Return the address of this Space: as it is set, else as it was asked."""
        return self._settings.reached_at(request.url.scheme, request.url.netloc)

    @contextmanager
    def _turn(self, *, is_heavy: bool) -> Iterator[None]:
        if not is_heavy:
            yield
            return
        if not self._exports.acquire(timeout=EXPORT_WAIT_SECONDS):
            raise Refused("space.busy", "other lists are being written", way_out="Try again in two seconds.")
        try:
            yield
        finally:
            self._exports.release()


class PageFiles:
    """ASGI middleware: a page whose address asks for a format is answered with its list, every other request passes."""

    def __init__(self, app: ASGIApp, api: Api) -> None:
        self._app = app
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file or pass on."""
        page = page_of_file(scope)
        if page is None:
            await self._app(scope, receive, send)
            return
        answer = await run_in_threadpool(self._api.answer, Request(scope), page)
        await answer(scope, receive, send)


def page_of_file(scope: Scope) -> Page | None:
    """Return the page that a request asks for a file, None for every other request."""
    if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"} or b"format=" not in scope["query_string"]:
        return None
    named = any(pair.partition(b"=")[0] == b"format" for pair in scope["query_string"].split(b"&"))
    return next((page for page in discover() if named and page.path == scope["path"]), None)


def _tag(plan: Plan, mirror: Mirror, others: Sequence[str]) -> str:
    """Return the ETag of an answer: a digest over everything that it depends on."""
    asked = plan.asked
    said = [str(LIST_VERSION), mirror.identity, address(asked.view), asked.format, ",".join(asked.ignored), *others]
    return f'"{digest_of(list[Json](said))[:32]}"'


def _file(made: Exported, headers: Mapping[str, str]) -> Response:
    how = "inline" if made.media_type.startswith(("text/markdown", "text/plain")) else "attachment"
    named = {"content-disposition": f'{how}; filename="{made.name}"'} if made.name else {}
    return Response(made.data, media_type=made.media_type, headers={**_OPEN, **headers, **_DESCRIBED, **named})


def _json(document: Mapping[str, Any], headers: Mapping[str, str], status: int = 200) -> Response:
    data = json.dumps(document, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    return Response(data, status, media_type="application/json", headers={**_OPEN, **headers})


def _refused(problem: Problem) -> Response:
    headers = {"cache-control": "no-store"}
    if problem.retry_after:
        headers["retry-after"] = str(problem.retry_after)
    if problem.status == 405:
        headers["allow"] = _METHODS
    return _json(problem.document, headers, problem.status)
