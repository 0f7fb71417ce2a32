"""The one HTTP client that every request to the Hub leaves by: explicit times, one request a call, no host but those known.

The client library repeats requests on its own where it meets errors of its HTTP library. Ours are none of those: a transport
failure is `Lost`, and an answer that may be worth repeating is `Answered`, so that whoever called decides. A redirect or a next
page that leads to a host we do not know is `Strayed`, and a token goes to the Hub itself alone, never to where it keeps bytes.
"""

import logging
import threading
import time
from collections.abc import Iterator
from typing import Final

import httpx2
from huggingface_hub import set_client_factory

from space.hub.place import HUB

CONNECT_S: Final = 5.0
READ_S: Final = 20.0
BODY_S: Final = 600.0
"""For the whole of an answer: the largest file that is read, at a hundred kilobytes a second."""
MAX_REDIRECTS: Final = 3
MAX_TOLD_BYTES: Final = 4_096
_REPEATABLE: Final = frozenset({408, 409, 412, 429})
_STORES: Final = (".hf.co", ".huggingface.co")
"""Where the platform keeps large files: below its own names."""
_lock: Final = threading.Lock()
_open: Final[dict[str, float]] = {}
"""Seconds to wait for an answer, the least that was asked for, by origin: the doors that were opened."""


class Lost(Exception):
    """No whole answer came; `sent` is false only if nothing can have reached the other side."""

    def __init__(self, *, sent: bool, path: str) -> None:
        super().__init__("the connection was lost" if sent else "no connection")
        self.sent: Final = sent
        self.path: Final = path


class Answered(Exception):
    """An answer that says "not now" or "I failed"."""

    def __init__(self, status: int, headers: httpx2.Headers, text: str, path: str) -> None:
        super().__init__(f"it answered {status}")
        self.status: Final = status
        self.headers: Final = headers
        self.text: Final = text
        self.path: Final = path


class Strayed(Exception):
    """The answer led to a host that is not the Hub's."""


def open_door(endpoint: str, read_s: float = READ_S) -> None:
    """Let requests to `endpoint` through, and make the client library use this doorway for all of its own."""
    with _lock:
        if not _open:
            logging.getLogger("httpx2").setLevel(logging.WARNING)  # it tells every address, signed ones too
            set_client_factory(_client)
        origin = _origin(httpx2.URL(endpoint))
        _open[origin] = min(read_s, _open.get(origin, read_s))


def _client() -> httpx2.Client:
    return httpx2.Client(
        transport=_Transport(),
        follow_redirects=True,
        max_redirects=MAX_REDIRECTS,
        event_hooks={"response": [_raise_if_repeatable]},
    )


class _Transport(httpx2.BaseTransport):
    def __init__(self) -> None:
        self._inner: Final = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        read_s = _open.get(_origin(request.url))
        if read_s is None:
            if HUB not in _open or request.url.scheme != "https" or not request.url.host.endswith(_STORES):
                raise Strayed(f"it leads to {request.url.host}, which is not the Hub")
            read_s = READ_S
            for header in ("authorization", "cookie"):
                request.headers.pop(header, None)
        request.extensions["timeout"] = {"connect": CONNECT_S, "pool": CONNECT_S, "read": read_s, "write": READ_S}
        path = request.url.path
        try:
            response = self._inner.handle_request(request)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            raise Lost(sent=False, path=path) from error
        except httpx2.TransportError as error:
            raise Lost(sent=True, path=path) from error
        response.stream = _Stream(response.stream, path)
        return response

    def close(self) -> None:
        self._inner.close()


class _Stream(httpx2.SyncByteStream):
    """The body of an answer; one that ends early, or does not end, is `Lost` as well."""

    def __init__(self, inner: object, path: str) -> None:
        assert isinstance(inner, httpx2.SyncByteStream)
        self._inner: Final = inner
        self._path: Final = path

    def __iter__(self) -> Iterator[bytes]:
        end = time.monotonic() + BODY_S
        try:
            for chunk in self._inner:
                yield chunk
                if time.monotonic() > end:
                    raise Lost(sent=True, path=self._path)
        except httpx2.TransportError as error:
            raise Lost(sent=True, path=self._path) from error

    def close(self) -> None:
        self._inner.close()


def _raise_if_repeatable(response: httpx2.Response) -> None:
    if response.status_code not in _REPEATABLE and response.status_code < 500:
        return
    told = bytearray()
    for chunk in response.iter_bytes():
        told += chunk
        if len(told) > MAX_TOLD_BYTES:
            break
    text = bytes(told[:MAX_TOLD_BYTES]).decode("utf-8", "replace")
    raise Answered(response.status_code, response.headers, text, response.request.url.path)


def _origin(url: httpx2.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii')}"
