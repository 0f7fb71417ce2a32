"""How a SQLite file of ours is opened, and what SQLite's errors mean.

Every file is WAL with synchronous=FULL, mode 0600, waits 5 s for a lock and refuses a network filesystem, whose locks cannot be
trusted. One transaction at a time (`BEGIN IMMEDIATE`); an error before COMMIT undid everything, an I/O error of COMMIT itself
leaves the outcome unknown. Used by the SQLite adapters of this folder and by nothing else.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from runner.ports.state.answers import Busy, Unknown
from shared.errors import StoreFault

BUSY_TIMEOUT_S: Final = 5.0
BUSY_AFTER_S: Final = 2.0
_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smbfs", "smb3", "afs", "ceph", "glusterfs", "lustre", "beegfs", "gpfs", "fuse.sshfs", "fuse.s3fs"}
)


def open_file(path: Path, ddl: str, *, mounts: str | None = None, busy_timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Return a connection to the file at `path`, created with the tables of `ddl` if need be.

    `mounts` is the text of /proc/self/mounts (read if not given). Raises STORE_UNSUPPORTED or STORE_FAILED.
    """
    path = path.absolute()
    kind = filesystem_of(path, _read_mounts() if mounts is None else mounts)
    if kind in _NETWORK:
        raise _unsupported(path, f"is on a network filesystem ({kind})")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _create(path)
        connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False)
        (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
        if mode != "wal":
            raise _unsupported(path, f"cannot use a write-ahead log (journal mode {mode})")
        connection.execute("PRAGMA synchronous=FULL")
        connection.executescript(ddl)
    except (sqlite3.Error, OSError) as error:
        raise failed(error) from error
    return connection


def _create(path: Path) -> None:
    """Create the file with its mode, and never open one that exists.

    Closing any descriptor of a file gives up every POSIX lock that this process holds on it: SQLite's too, and then another
    process takes itself for the last one and removes the write-ahead log under us.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def filesystem_of(path: Path, mounts: str) -> str:
    """Return the type of the filesystem that holds `path`, by the longest mount point in `mounts`; empty if not known."""
    best, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ")
        if len(point) >= len(best) and path.is_relative_to(point):
            best, kind = point, fields[2]
    return kind


def transact[A](connection: sqlite3.Connection, work: Callable[[], A]) -> A | Busy | Unknown:
    """Return what `work` returns after its writes are durable, Busy if the lock was not free, Unknown if COMMIT broke.

    `work` raises to undo everything. Raises STORE_FULL and STORE_FAILED, after which nothing was written.
    """
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        return _busy_or_raise(error)
    try:
        answer = work()
    except sqlite3.Error as error:
        roll_back(connection)
        return _busy_or_raise(error)
    except BaseException:
        roll_back(connection)
        raise
    try:
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        roll_back(connection)
        if _primary(error) == sqlite3.SQLITE_IOERR:
            return Unknown(f"COMMIT: {error}")
        return _busy_or_raise(error)
    return answer


def roll_back(connection: sqlite3.Connection) -> None:
    """Undo the open transaction, if SQLite has not done it already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def failed(error: Exception) -> StoreFault:
    """Return what a SQLite or operating-system error means to a caller."""
    if isinstance(error, sqlite3.Error) and _primary(error) == sqlite3.SQLITE_FULL:
        return StoreFault("STORE_FULL", "the disk is full; nothing was written", way_out="Free space, then try again.")
    return StoreFault(
        "STORE_FAILED", f"the local store cannot be used: {error}", way_out="Check the file, its disk and its mode."
    )


def _busy_or_raise(error: sqlite3.Error) -> Busy:
    if _primary(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return Busy(BUSY_AFTER_S)
    raise failed(error) from error


def _primary(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _read_mounts() -> str:
    try:
        return Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _unsupported(path: Path, what: str) -> StoreFault:
    way_out = "Put it on a local disk (SEAWALL_HOME)."
    return StoreFault("STORE_UNSUPPORTED", f"{path.name} {what}", way_out=way_out)
