import sqlite3
import stat
from pathlib import Path

import pytest

from runner.adapters.local.state.sqlite_control_log import SqliteControlLog
from runner.adapters.local.state.sqlite_files import filesystem_of, open_file, transact
from runner.adapters.local.state.sqlite_inbox import SqliteInbox
from runner.adapters.local.state.sqlite_status import SqliteStatus
from runner.ports.state.answers import Busy
from shared.errors import StoreFault
from tests.builders.clocks import StoppedClock

DDL = "CREATE TABLE IF NOT EXISTS one (x BLOB)"


def test_a_file_is_private_and_durable(tmp_path: Path) -> None:
    """Mode 0600, a write-ahead log, and a flush with every commit."""
    path = tmp_path / "new" / "a.sqlite"
    connection = open_file(path, DDL)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    connection.close()


def test_a_network_filesystem_is_refused(tmp_path: Path) -> None:
    """Its locks cannot be trusted."""
    mounts = f"server:/x {tmp_path.as_posix()} nfs4 rw 0 0\n"
    with pytest.raises(StoreFault, match="STORE_UNSUPPORTED"):
        open_file(tmp_path / "a.sqlite", DDL, mounts=mounts)


def test_the_longest_mount_point_decides() -> None:
    """A local disk inside a network one is local; a name that only begins alike is another folder."""
    mounts = "a / ext4 rw 0 0\nb /home nfs rw 0 0\nc /home/me\\040too tmpfs rw 0 0\nshort\n"
    assert [filesystem_of(Path(path), mounts) for path in ("/homes/x", "/home/x", "/home/me too/x")] == ["ext4", "nfs", "tmpfs"]


def test_a_file_that_is_no_database_is_a_fault(tmp_path: Path) -> None:
    """Nothing is overwritten, and the error names the file."""
    (tmp_path / "a.sqlite").write_bytes(b"not a database, but long enough to have a header" * 10)
    with pytest.raises(StoreFault, match=r"STORE_FAILED: a\.sqlite: "):
        open_file(tmp_path / "a.sqlite", DDL)


@pytest.mark.parametrize("kind", [SqliteInbox, SqliteControlLog, SqliteStatus])
def test_a_file_that_is_damaged_later_is_named_too(tmp_path: Path, kind: type) -> None:
    """Of the two files of an installation, the one whose tables are gone."""
    path = tmp_path / "some.sqlite"
    store = kind(path) if kind is SqliteStatus else kind(path, StoppedClock())
    with sqlite3.connect(path) as other:
        for table in ("request", "head", "status"):
            other.execute(f"DROP TABLE IF EXISTS {table}")
    other.close()
    with pytest.raises(StoreFault, match=r"STORE_FAILED: some\.sqlite: "):
        store.list(1) if kind is SqliteInbox else store.head() if kind is SqliteControlLog else store.list()
    store.close()


def test_a_write_that_fails_names_its_file(tmp_path: Path) -> None:
    """Inside a transaction as well."""
    connection = open_file(tmp_path / "a.sqlite", DDL)
    with pytest.raises(StoreFault, match=r"STORE_FAILED: a\.sqlite: "):
        transact(connection, lambda: connection.execute("INSERT INTO two VALUES (1)"))
    connection.close()


def test_a_held_lock_is_busy_and_nothing_is_written(tmp_path: Path) -> None:
    """The same call may be made again."""
    other, ours = open_file(tmp_path / "a.sqlite", DDL), open_file(tmp_path / "a.sqlite", DDL, busy_timeout_s=0.01)
    other.execute("BEGIN IMMEDIATE")
    assert transact(ours, lambda: ours.execute("INSERT INTO one VALUES (1)")) == Busy(2.0)
    other.execute("ROLLBACK")
    assert ours.execute("SELECT count(*) FROM one").fetchone() == (0,)
    other.close()
    ours.close()


def test_a_full_disk_undoes_the_transaction(tmp_path: Path) -> None:
    """STORE_FULL, and the store works on when there is room."""
    connection = open_file(tmp_path / "a.sqlite", DDL)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreFault, match="STORE_FULL"):
        transact(connection, lambda: connection.executemany("INSERT INTO one VALUES (?)", [(b"x" * 4096,)] * 10))
    assert connection.execute("SELECT count(*) FROM one").fetchone() == (0,)
    connection.close()


def test_an_error_of_ours_undoes_the_transaction(tmp_path: Path) -> None:
    """A refusal leaves nothing behind."""
    connection = open_file(tmp_path / "a.sqlite", DDL)

    def work() -> sqlite3.Cursor:
        connection.execute("INSERT INTO one VALUES (1)")
        raise ValueError("refused")

    with pytest.raises(ValueError, match="refused"):
        transact(connection, work)
    assert connection.execute("SELECT count(*) FROM one").fetchone() == (0,)
    connection.close()
