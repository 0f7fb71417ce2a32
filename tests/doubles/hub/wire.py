"""The Hub's wire: raw paths with escaped slashes, error answers with their codes in headers, pages by `Link`."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote, urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

PAGE = 1_000
EXPANDED_PAGE = 50


class Answer(Exception):
    """An answer that ends a request early."""

    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


def segments(request: Request) -> list[str]:
    """Return the parts of the path; an escaped slash stays inside its part."""
    raw: bytes = request.scope.get("raw_path") or request.scope["path"].encode()
    return [unquote(part) for part in raw.decode("latin-1").partition("?")[0].strip("/").split("/")]


def refusal(status: int, message: str, code: str = "", **headers: str) -> JSONResponse:
    """Return an error as the Hub says it."""
    named = {"X-Error-Message": message, **({"X-Error-Code": code} if code else {}), **headers}
    return JSONResponse({"error": message}, status, {name.replace("_", "-"): value for name, value in named.items()})


def not_found(what: str) -> Answer:
    """Return the 404 for a Repo, a Revision or an Entry."""
    words = {"Repo": "Repository not found", "Revision": "Invalid rev id", "Entry": "Entry not found"}
    return Answer(refusal(404, words[what], f"{what}NotFound"))


def forbidden() -> Answer:
    """Return the 403 for a token without the right."""
    return Answer(refusal(403, "Forbidden: your token does not have the required permissions"))


def paged(request: Request, items: Sequence[Mapping[str, Any]], size: int) -> JSONResponse:
    """Return one page of `items`, and where the next one is."""
    start = int(request.query_params.get("cursor", "0"))
    headers = {}
    if start + size < len(items):
        query = urlencode({**request.query_params, "cursor": start + size})
        headers["Link"] = f'<{address(request)}{request.url.path}?{query}>; rel="next"'
    return JSONResponse(items[start : start + size], headers=headers)


def address(request: Request) -> str:
    """Return where this server is, as the client named it."""
    return f"{request.url.scheme}://{request.url.netloc}"


def window(request: Request, data: bytes, headers: Mapping[str, str]) -> Response:
    """Return `data`, or the part that a `Range` asks for."""
    named = {**headers, "Accept-Ranges": "bytes"}
    asked = request.headers.get("range", "").removeprefix("bytes=")
    if not asked:
        return Response(data, media_type="application/octet-stream", headers=named)
    first, _, last = asked.partition("-")
    start, end = int(first or 0), min(int(last or len(data) - 1), len(data) - 1)
    if start > end:
        return Response(status_code=416, headers={**named, "Content-Range": f"bytes */{len(data)}"})
    named["Content-Range"] = f"bytes {start}-{end}/{len(data)}"
    return Response(data[start : end + 1], 206, media_type="application/octet-stream", headers=named)
