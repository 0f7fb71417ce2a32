"""log_append: SQLite commits of 100 events each at synchronous=FULL, against a bare SQLite loop inserting the same rows.

The work is the real one: a batch is encoded, keyed and checked, the chain continues, the head moves by compare-and-swap. The
baseline inserts what the work inserted, as read back from its file, by the fastest loop that SQLite has: into tables with the
same keys and indexes, with the same settings and one transaction per commit. Both write new files in one folder.
"""

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmarks.measurement import Measurement, compare
from runner.adapters.local.state.control_tables import CONTROL_DDL
from runner.adapters.local.state.sqlite_control_log import SqliteControlLog
from runner.adapters.local.state.system_time import SystemClock
from runner.domain.control import events
from runner.domain.control.envelope import Event, Subject
from runner.domain.control.kinds import record
from runner.ports.state.answers import Applied
from runner.ports.state.batch import make_batch
from shared.digests import sha256

COMMITS: Final = 200
EVENTS: Final = 100
_RUN: Final = Subject("run", "run-" + "0f" * 16)


def measure() -> Measurement:
    """Return the log's time over the bare loop's."""
    commits = [[_event(commit * EVENTS + place) for place in range(EVENTS)] for commit in range(COMMITS)]
    with tempfile.TemporaryDirectory() as folder:
        fresh = _names(Path(folder))
        first = next(fresh)
        _append(first, commits)
        rows = _rows_by_commit(first)
        return compare("log_append", lambda: _append(next(fresh), commits), lambda: _insert(next(fresh), rows))


def _append(path: Path, commits: list[list[Event]]) -> None:
    log = SqliteControlLog(path, SystemClock())
    parent = log.head().version
    for number, some in enumerate(commits):
        answer = log.commit(parent, None, make_batch({_RUN: some}, parent=parent, nonce=str(number)))
        if not isinstance(answer, Applied):
            raise AssertionError(f"commit {number} answered {answer}")
        parent = answer.version
    log.close()


def _insert(path: Path, commits: list[list[tuple[str, list[tuple[Any, ...]]]]]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.executescript(CONTROL_DDL)
    for rows in commits:
        connection.execute("BEGIN IMMEDIATE")
        for statement, some in rows:
            connection.executemany(statement, some)
        connection.execute("COMMIT")
    connection.close()


def _rows_by_commit(path: Path) -> list[list[tuple[str, list[tuple[Any, ...]]]]]:
    """Return, per commit, the rows that the log holds of it: its append, its events, its batch, the journal's tip, the head."""
    connection = sqlite3.connect(path)
    per_commit = []
    for append in connection.execute("SELECT * FROM append ORDER BY serial").fetchall():
        events_of = connection.execute("SELECT * FROM event WHERE append_id = ? ORDER BY position", append[:1]).fetchall()
        batch = connection.execute("SELECT * FROM batch WHERE serial = ?", append[5:6]).fetchone()
        rows: list[tuple[str, list[tuple[Any, ...]]]] = [("INSERT INTO append VALUES (?, ?, ?, ?, ?, ?, ?, ?)", [append])]
        rows.append(("INSERT INTO event VALUES (?, ?, ?)", events_of))
        rows.append(("INSERT INTO batch VALUES (?, ?, ?, ?, ?)", [batch]))
        tip = (append[1], append[2], append[3] + append[4] - 1, append[6])
        rows.append(("INSERT OR REPLACE INTO journal VALUES (?, ?, ?, ?, 1)", [tip]))
        rows.append(("UPDATE head SET version = ?, serial = ?, moved_ms = ?", [(batch[2], batch[0], batch[4])]))
        per_commit.append(rows)
    connection.close()
    return per_commit


def _event(number: int) -> Event:
    sealed = events.ProgressSealed(wave_id="wave-" + "0a" * 16, k=number + 1, sha256=sha256(b"%d" % number), count=2)
    event_id = f"evt-{sha256(b'%d' % -number)[:32]}"
    about = Subject("wave", sealed.wave_id)
    return record("progress_sealed", sealed, about=about, event_id=event_id, at_ms=1_767_225_600_000, producer="reconciler")


def _names(folder: Path) -> Iterator[Path]:
    number = 0
    while True:
        number += 1
        yield folder / f"{number}.sqlite"
