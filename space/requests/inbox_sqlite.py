"""The inbox as one SQLite file on this machine, the only file that the Space writes.

The runner makes the file; the Space never does, so that a wrong path is a refusal and no second inbox that nobody reads. One
connection a call: nothing is held while nobody asks.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from shared.errors import BadInput, StoreFault
from shared.inbox import ddl
from shared.inbox.admission import Clash, Crowded, admit
from shared.inbox.codec import Request, decode_request, encode_request
from space.requests.inbox import Put


class SqliteInbox:
    """The inbox in the file at `path`."""

    def __init__(self, path: Path, busy_timeout_s: float = ddl.BUSY_TIMEOUT_S) -> None:
        self._path: Final = path
        self._busy_timeout_s: Final = busy_timeout_s

    def require_writable(self) -> None:
        """Raise StoreFault unless a put would be possible now; writes nothing."""
        with self._opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(ddl.COUNT).fetchone()
            connection.execute("ROLLBACK")

    def put(self, request: Request) -> Put:
        """Put one request, durably."""
        data = encode_request(request)
        with self._opened() as connection:
            connection.execute("BEGIN IMMEDIATE")
            (waiting,) = connection.execute(ddl.COUNT).fetchone()
            fresh = admit([(request.request_id, data)], lambda name: _find(connection, name), waiting)
            if isinstance(fresh, Clash | Crowded):
                connection.execute("ROLLBACK")
                return Put.CONFLICT if isinstance(fresh, Clash) else Put.FULL
            now_ms = time.time_ns() // 1_000_000
            rows = [{"request_id": name, "data": each, "put_ms": now_ms} for name, each in fresh.items()]
            connection.executemany(ddl.PUT, rows)
            try:
                connection.execute("COMMIT")
            except sqlite3.Error:
                return self._look(request.request_id, data)
        return Put.RECORDED

    def waiting(self) -> Sequence[Request]:
        """Return the requests that wait, oldest first."""
        with self._opened() as connection:
            rows = connection.execute(ddl.LIST, {"limit": 2 * ddl.MAX_WAITING}).fetchall()
        return list(_readable(rows))

    def settle(self, request: Request, seconds: float) -> Put:
        """Return whether the file holds the request: a put here is over when it returns."""
        del seconds
        return self._look(request.request_id, encode_request(request))

    def unwritten(self) -> frozenset[str]:
        """Return nothing: every put is written, or refused."""
        return frozenset()

    def due_at(self) -> float:
        """Return 0: nothing is unwritten."""
        return 0.0

    def close(self, seconds: float) -> None:
        """Do nothing: every put is durable when it returns."""

    def _look(self, request_id: str, data: bytes) -> Put:
        """Return what the file says after a commit whose outcome is not known."""
        try:
            with self._opened() as connection:
                return Put.RECORDED if _find(connection, request_id) == data else Put.UNKNOWN
        except StoreFault:
            return Put.UNKNOWN

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            address = f"file:{quote(str(self._path))}?mode=rw"
            with closing(sqlite3.connect(address, uri=True, timeout=self._busy_timeout_s, isolation_level=None)) as connection:
                connection.execute("PRAGMA synchronous=FULL")
                yield connection
        except sqlite3.Error as error:
            message = f"the inbox cannot be written: {error}"
            raise StoreFault(
                "inbox.unavailable", message, way_out="Nothing was written. Try again, or ask a maintainer."
            ) from error


def _find(connection: sqlite3.Connection, request_id: str) -> bytes | None:
    found = connection.execute(ddl.FIND, {"request_id": request_id}).fetchone()
    return None if found is None else bytes(found[0])


def _readable(rows: Sequence[tuple[str, bytes, int]]) -> Iterator[Request]:
    for _, data, _ in rows:
        try:
            yield decode_request(bytes(data))
        except BadInput:
            continue
