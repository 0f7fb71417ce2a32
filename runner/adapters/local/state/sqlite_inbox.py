"""The inbox in one SQLite file of its own, the only file that the Space may write. Built by bootstrap.

Others write into this file, so an id may be bytes that are no text: such a row is listed as `bytes:<hex>`, which is no request's
id, and is removed under that name; it hides no request behind it.
"""

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from runner.adapters.local.state.inbox_rules import admit
from runner.adapters.local.state.sqlite_files import failed, file_of, open_file, transact
from runner.ports.state.answers import Applied, PutAnswer, RemoveAnswer, Version
from runner.ports.state.clock import Clock
from runner.ports.state.inbox import Listing, Waiting
from shared.inbox import ddl

_NO_VERSION: Final = Version("")
_BYTES: Final = "bytes:"


class SqliteInbox:
    """The waiting requests in the file at `path`."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock: Final = clock
        self._lock: Final = threading.RLock()
        self._connection: Final = open_file(path, ddl.DDL)
        self._connection.text_factory = _readable

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def put(self, requests: Sequence[tuple[str, bytes]]) -> PutAnswer:
        """Add (request_id, bytes) pairs, all or none."""
        with self._lock:
            return transact(self._connection, lambda: self._put(requests))

    def list(self, limit: int) -> Listing:
        """Return up to `limit` waiting requests, oldest first."""
        with self._lock:
            try:
                rows = self._connection.execute(ddl.LIST, {"limit": limit}).fetchall()
                (waiting,) = self._connection.execute(ddl.COUNT).fetchone()
            except sqlite3.Error as error:
                raise failed(error, file_of(self._connection)) from error
        return Listing(tuple(Waiting(*row) for row in rows), waiting)

    def remove(self, request_ids: Sequence[str]) -> RemoveAnswer:
        """Remove requests that were taken."""
        with self._lock:
            return transact(self._connection, lambda: self._remove(request_ids))

    def _put(self, requests: Sequence[tuple[str, bytes]]) -> PutAnswer:
        (waiting,) = self._connection.execute(ddl.COUNT).fetchone()
        fresh = admit(requests, self._find, waiting)
        if not isinstance(fresh, dict):
            return fresh
        now_ms = self._clock.now_ms()
        rows = [{"request_id": request_id, "data": data, "put_ms": now_ms} for request_id, data in fresh.items()]
        self._connection.executemany(ddl.PUT, rows)
        return Applied(_NO_VERSION)

    def _find(self, request_id: str) -> bytes | None:
        found = self._connection.execute(ddl.FIND, {"request_id": request_id}).fetchone()
        return None if found is None else bytes(found[0])

    def _remove(self, request_ids: Sequence[str]) -> RemoveAnswer:
        strange = [_raw(request_id) for request_id in request_ids if request_id.startswith(_BYTES)]
        self._connection.executemany(ddl.REMOVE, [{"request_id": request_id} for request_id in request_ids])
        self._connection.executemany(ddl.REMOVE_BYTES, [{"request_id": data} for data in strange])
        return Applied(_NO_VERSION)


def _readable(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return f"{_BYTES}{data.hex()}"


def _raw(request_id: str) -> bytes:
    """Return the bytes that `request_id` names; a text of that look that somebody wrote names none."""
    try:
        return bytes.fromhex(request_id.removeprefix(_BYTES))
    except ValueError:
        return b""
