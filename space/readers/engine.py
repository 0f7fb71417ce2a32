"""The locked-down DuckDB behind one mirror: its own files only, bounded memory, two threads, no extension, no visitor's SQL.

Every thread has a cursor of its own: a connection shared between threads mixes answers. A statement runs at most two seconds,
then it is interrupted; at most eight run at once, and who waits longer than three seconds, or whose statement finds no memory
left, is told to come again.

The tables lie in one database file in the folder. It is written once, while the mirror is built, and only read from then on: what
serves visitors holds the blocks that they ask for, and none of what building took.
"""

import glob
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb

from shared.errors import DeadlinePassed, Refused
from space.queries.statement import Statement

STATEMENT_SECONDS: Final = 2.0
BUILD_SECONDS: Final = 300.0
TICK_SECONDS: Final = 0.05
WAIT_SECONDS: Final = 3.0
MAX_RUNNING: Final = 8
MAX_WAITING: Final = 64
SCANNED_ROWS: Final = 1_000
DATABASE: Final = "mirror.duckdb"

type Row = dict[str, Any]


class Engine:
    """One DuckDB instance that can read `folder` and nothing else; it writes the database there only while that is built."""

    def __init__(self, folder: Path, memory_mib: int, *, is_built: bool = True) -> None:
        self._connection = duckdb.connect(str(folder / DATABASE), read_only=is_built)
        self._lock_down(folder, memory_mib)
        self._threads = threading.local()
        self._running = _Turns(MAX_RUNNING)
        self._waiting = threading.BoundedSemaphore(MAX_WAITING)
        self._lock = threading.Lock()
        self._deadlines: dict[object, tuple[float, Any]] = {}
        self._closed = threading.Event()
        threading.Thread(target=self._interrupt_late, name="statements", daemon=True).start()

    def build(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Run one statement while the mirror is built: no limit of time, the builder's own connection."""
        found: list[tuple[Any, ...]] = self._connection.execute(sql, list(values)).fetchall()
        return found

    def scan(self, sql: str) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of one statement while the mirror is built, a batch at a time."""
        cursor = self._connection.execute(sql)
        while batch := cursor.fetchmany(SCANNED_ROWS):
            yield from batch

    def rows(self, statement: Statement, seconds: float = STATEMENT_SECONDS) -> list[Row]:
        """Return the rows of `statement`; raise `query.timeout` or `space.busy`."""
        names, found = self.table(statement, seconds)
        return [dict(zip(names, row, strict=True)) for row in found]

    def table(self, statement: Statement, seconds: float = STATEMENT_SECONDS) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return names and values of the columns of `statement`; raise `query.timeout` or `space.busy`."""
        with self._turn(), self._running_statement(statement, seconds) as cursor:
            return [column[0] for column in cursor.description], cursor.fetchall()

    def each(self, statement: Statement, seconds: float = STATEMENT_SECONDS) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `statement` a batch at a time, for so many that they should not all lie in memory at once."""
        with self._turn(), self._running_statement(statement, seconds) as cursor:
            while batch := cursor.fetchmany(SCANNED_ROWS):
                yield from batch

    def close(self) -> None:
        """End the instance."""
        self._closed.set()
        self._connection.close()

    def _lock_down(self, folder: Path, memory_mib: int) -> None:
        quoted, pattern = (text.replace("'", "''") for text in (str(folder), glob.escape(str(folder))))
        for setting in (
            f"SET memory_limit='{memory_mib}MiB'",
            "SET threads=2",
            "SET enable_progress_bar=false",
            "SET enable_external_file_cache=false",
            f"SET temp_directory='{quoted}/.spill'",
            "SET autoinstall_known_extensions=false",
            "SET autoload_known_extensions=false",
            "SET allow_community_extensions=false",
            f"SET allowed_directories=['{quoted}', '{pattern}']",
            "SET enable_external_access=false",
            "SET lock_configuration=true",
        ):
            self._connection.execute(setting)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        busy = _busy("many visitors are reading at once")
        if not self._waiting.acquire(blocking=False):
            raise busy
        try:
            if not self._running.take(WAIT_SECONDS):
                raise busy
        finally:
            self._waiting.release()
        try:
            yield
        finally:
            self._running.give_back()

    @contextmanager
    def _running_statement(self, statement: Statement, seconds: float) -> Iterator[Any]:
        """Run `statement` and yield its cursor to fetch from; all within `seconds`."""
        cursor = self._cursor()
        ticket = self._watch(cursor, seconds)
        try:
            cursor.execute(statement.sql, list(statement.values))
            yield cursor
        except duckdb.InterruptException:
            raise DeadlinePassed(
                "query.timeout", f"the question took longer than {seconds:g} s", way_out="Ask for less, for example one page."
            ) from None
        except duckdb.OutOfMemoryException:
            raise _busy("too much is asked at once for the memory there is") from None
        finally:
            with self._lock:
                del self._deadlines[ticket]

    def _watch(self, cursor: Any, seconds: float) -> object:
        """Let the watching thread interrupt `cursor` after `seconds`, unless the returned ticket is gone by then."""
        ticket = object()
        with self._lock:
            self._deadlines[ticket] = (time.monotonic() + seconds, cursor)
        return ticket

    def _interrupt_late(self) -> None:
        """Interrupt what runs too long; one thread for all statements, since starting one for each costs more than they do."""
        while not self._closed.wait(TICK_SECONDS):
            with self._lock:
                now = time.monotonic()
                for deadline, cursor in self._deadlines.values():
                    if deadline <= now:
                        cursor.interrupt()

    def _cursor(self) -> Any:
        if not hasattr(self._threads, "cursor"):
            self._threads.cursor = self._connection.cursor()
        return self._threads.cursor


class _Turns:
    """So many at once, the others first come, first served: a semaphore lets late ones go first, and some wait too long."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def take(self, seconds: float) -> bool:
        """Take a turn; False if none came up within `seconds`."""
        mine = threading.Event()
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            self._waiting.append(mine)
        if mine.wait(seconds):
            return True
        with self._lock:
            if mine.is_set():
                return True
            self._waiting.remove(mine)
            return False

    def give_back(self) -> None:
        """End a turn; it is the next one's, if somebody waits."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1


def _busy(why: str) -> Refused:
    return Refused("space.busy", why, way_out="Try again in two seconds, or ask for less.")
