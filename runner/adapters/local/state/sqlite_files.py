"""How a SQLite file of ours is opened, and what SQLite's errors mean.

Every file is WAL with synchronous=FULL, mode 0600, waits 5 s for a lock and refuses a network filesystem, whose locks cannot be
trusted. One transaction at a time (`BEGIN IMMEDIATE`); an error before COMMIT undid everything, an I/O error of COMMIT itself
leaves the outcome unknown. Used by the SQLite adapters of this folder and by nothing else.
"""

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from runner.ports.state.answers import Busy, Unknown
from runner.ports.stores.full_disk import is_full, store_full
from shared.errors import StoreFault

BUSY_TIMEOUT_S: Final = 5.0
BUSY_AFTER_S: Final = 2.0
_LEAST_ROOM: Final = 1 << 16
"""With less, SQLite cannot make the index of its write-ahead log."""
_NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smbfs", "smb3", "afs", "ceph", "glusterfs", "lustre", "beegfs", "gpfs", "fuse.sshfs", "fuse.s3fs"}
)


def open_file(path: Path, ddl: str, *, mounts: str | None = None, busy_timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Return a connection to the file at `path`, created with the tables of `ddl` if need be.

    `mounts` is the text of /proc/self/mounts (read if not given). In a folder that cannot be written the connection reads what
    stands there and refuses every write. Raises STORE_UNSUPPORTED, STORE_FULL or STORE_FAILED.
    """
    path = path.absolute()
    if path.parent.is_dir() and not os.access(path.parent, os.W_OK):
        return _open_reading(path, ddl)
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
        raise failed(_full_behind(error, path), path.name) from error
    return connection


def _open_reading(path: Path, ddl: str) -> sqlite3.Connection:
    """Return a connection that reads what stands at `path` now; nothing is written beside it.

    SQLite reads a write-ahead log only beside an index file, which it cannot make here: where a living writer has none, the
    files are copied. Without any file there is nothing to read, and that is an answer.
    """
    connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    try:
        if path.exists():
            _read_into(connection, path)
        connection.executescript(ddl)
        connection.execute("PRAGMA query_only = ON")
    except (sqlite3.Error, OSError) as error:
        raise failed(error, path.name) from error
    return connection


def _read_into(connection: sqlite3.Connection, path: Path) -> None:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True)) as source:
            source.backup(connection)
    except sqlite3.OperationalError:
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch) / path.name
            for suffix in ("", "-wal"):
                with suppress(FileNotFoundError):
                    shutil.copyfile(f"{path}{suffix}", f"{copy}{suffix}")
            with closing(sqlite3.connect(copy)) as source:
                source.backup(connection)


def _full_behind(error: Exception, path: Path) -> Exception:
    """Return `error`, or the full disk behind an I/O error of SQLite's own files, which it does not tell apart."""
    if isinstance(error, sqlite3.Error) and _primary(error) == sqlite3.SQLITE_IOERR:
        place = os.statvfs(path.parent)
        if place.f_bavail * place.f_frsize < _LEAST_ROOM:
            return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return error


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
        return _busy_or_raise(error, connection)
    try:
        answer = work()
    except sqlite3.Error as error:
        roll_back(connection)
        return _busy_or_raise(error, connection)
    except BaseException:
        roll_back(connection)
        raise
    try:
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        roll_back(connection)
        if _primary(error) == sqlite3.SQLITE_IOERR:
            return Unknown(f"COMMIT: {error}")
        return _busy_or_raise(error, connection)
    return answer


def roll_back(connection: sqlite3.Connection) -> None:
    """Undo the open transaction, if SQLite has not done it already."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def file_of(connection: sqlite3.Connection) -> str:
    """Return the name of the file behind `connection`; empty for a copy in memory."""
    with suppress(sqlite3.Error):
        return Path(connection.execute("PRAGMA database_list").fetchone()[2]).name
    return ""


def failed(error: Exception, file: str) -> StoreFault:
    """Return what a SQLite or operating-system error means to a caller of the store in `file`."""
    if is_full(error) or (isinstance(error, sqlite3.Error) and _primary(error) == sqlite3.SQLITE_FULL):
        return store_full(file)
    if isinstance(error, sqlite3.Error) and _primary(error) == sqlite3.SQLITE_READONLY:
        message = "the local store can only be read: its folder is not writable"
        return StoreFault("STORE_READ_ONLY", message, field=file, way_out="Make SEAWALL_HOME writable to change anything.")
    message, way_out = f"the local store cannot be used: {error}", "Check the file in SEAWALL_HOME, its disk and its mode."
    return StoreFault("STORE_FAILED", message, field=file, way_out=way_out)


def _busy_or_raise(error: sqlite3.Error, connection: sqlite3.Connection) -> Busy:
    if _primary(error) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return Busy(BUSY_AFTER_S)
    raise failed(error, file_of(connection)) from error


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
