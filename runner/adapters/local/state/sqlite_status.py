"""Status documents and savepoints in control.sqlite: rows that can be lost without losing truth. Built by bootstrap."""

import sqlite3
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from runner.adapters.local.state.control_tables import CONTROL_DDL
from runner.adapters.local.state.sqlite_files import failed, file_of, open_file, transact
from runner.domain.control.envelope import Subject
from runner.ports.state.answers import Busy, Unknown
from runner.ports.state.status import StatusDocument
from shared.digests import Digest
from shared.errors import StoreFault


class SqliteStatus:
    """The status documents in the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._lock: Final = threading.RLock()
        self._connection: Final = open_file(path, CONTROL_DDL)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def write(self, subject: Subject, data: bytes, seq: int) -> None:
        """Replace the status of `subject` unless the stored one describes a later seq."""
        replace = (
            "INSERT INTO status VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq, data = excluded.data"
            " WHERE excluded.seq >= status.seq"
        )
        _write(self._lock, self._connection, lambda: self._connection.execute(replace, (*subject, seq, data)))

    def read(self, subject: Subject) -> StatusDocument | None:
        """Return the status of `subject`, or None."""
        query = "SELECT seq, data FROM status WHERE subject_type = ? AND subject_id = ?"
        found = _rows(self._lock, self._connection, query, *subject)
        return StatusDocument(subject, *found[0]) if found else None

    def list(self) -> Mapping[Subject, StatusDocument]:
        """Return every status document, by subject."""
        rows = _rows(self._lock, self._connection, "SELECT subject_type, subject_id, seq, data FROM status")
        documents = [StatusDocument(Subject(kind, name), seq, data) for kind, name, seq, data in rows]
        return {document.subject: document for document in documents}


class SqliteSavepoints:
    """The newest savepoint of each subject, in the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._lock: Final = threading.RLock()
        self._connection: Final = open_file(path, CONTROL_DDL)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def save(self, subject: Subject, manifest: bytes, parts: Mapping[Digest, bytes], keep: frozenset[Digest]) -> None:
        """Store new parts, make `manifest` the newest of `subject` and drop parts that it does not keep."""
        _write(self._lock, self._connection, lambda: self._save(subject, manifest, parts, keep))

    def newest(self, subject: Subject) -> bytes | None:
        """Return the newest manifest of `subject`, or None."""
        query = "SELECT manifest FROM savepoint WHERE subject_type = ? AND subject_id = ?"
        found = _rows(self._lock, self._connection, query, *subject)
        return bytes(found[0][0]) if found else None

    def part(self, subject: Subject, digest: Digest) -> bytes | None:
        """Return one part of a savepoint of `subject`, or None."""
        query = "SELECT data FROM savepoint_part WHERE subject_type = ? AND subject_id = ? AND digest = ?"
        found = _rows(self._lock, self._connection, query, *subject, digest)
        return bytes(found[0][0]) if found else None

    def _save(self, subject: Subject, manifest: bytes, parts: Mapping[Digest, bytes], keep: frozenset[Digest]) -> None:
        run, known = self._connection, "SELECT digest FROM savepoint_part WHERE subject_type = ? AND subject_id = ?"
        stale = [(*subject, digest) for (digest,) in run.execute(known, subject).fetchall() if digest not in keep]
        run.executemany("DELETE FROM savepoint_part WHERE subject_type = ? AND subject_id = ? AND digest = ?", stale)
        rows = [(*subject, digest, data) for digest, data in parts.items()]
        run.executemany("INSERT OR REPLACE INTO savepoint_part VALUES (?, ?, ?, ?)", rows)
        run.execute("INSERT OR REPLACE INTO savepoint VALUES (?, ?, ?)", (*subject, manifest))


def _write(lock: threading.RLock, connection: sqlite3.Connection, work: Callable[[], object]) -> None:
    with lock:
        answer = transact(connection, work)
    if isinstance(answer, (Busy, Unknown)):
        message, way_out = "the local store gave no answer to a write", "It is written again next pass."
        raise StoreFault("STORE_FAILED", message, field=file_of(connection), way_out=way_out)


def _rows(lock: threading.RLock, connection: sqlite3.Connection, query: str, *values: object) -> list[tuple[Any, ...]]:
    with lock:
        try:
            return connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise failed(error, file_of(connection)) from error
