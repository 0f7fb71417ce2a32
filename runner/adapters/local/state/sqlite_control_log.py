"""The control log in one SQLite file: the embedded default.

One transaction per commit moves the row of `head` where the version is the parent; exactly one row must move, so two writers
that decided on one version cannot both win. Readers pin a version by its serial: appended rows never change, so no lock is
held while a journal is read. The store's clock is that of store_time.py. Built by bootstrap.
"""

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from runner.adapters.local.state.control_tables import CONTROL_DDL
from runner.adapters.local.state.sqlite_files import failed, file_of, open_file, transact
from runner.adapters.local.state.store_time import StoreTime
from runner.domain import limits
from runner.domain.control.chain import GENESIS, Segment, StoredSegment, build_segment, verified
from runner.domain.control.envelope import Subject, body_of_line
from runner.domain.control.leases import Fence, Lease, LeaseMove, Move, Pointer, is_fenced_out, objection_to_move
from runner.ports.state.answers import Applied, CommitAnswer, Conflict, Never, ResolveAnswer, Unknown, Version
from runner.ports.state.batch import Batch
from runner.ports.state.clock import Clock
from runner.ports.state.control_log import Head, OpenSubject, Recent
from runner.ports.state.refusals import document_altered, event_id_reused, fenced, tip_missing, version_unknown
from shared.digests import Digest, sha256
from shared.errors import StoreFault

_PAGE: Final = 64


class SqliteControlLog:
    """A control log in the file at `path`; one instance may be shared by threads, each process opens its own."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._time: Final = StoreTime(clock)
        self._lock: Final = threading.RLock()
        self._connection: Final = open_file(path, CONTROL_DDL)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def head(self) -> Head:
        """Return the newest version and what stands in it."""
        with self._reading():
            self._connection.execute("BEGIN")
            try:
                version, serial, moved_ms = self._row("SELECT version, serial, moved_ms FROM head")
                newest = "SELECT key, class, at_ms FROM batch WHERE serial > ? ORDER BY serial"
                recent = tuple(Recent(*row) for row in self._rows(newest, serial - limits.RECENT_COMMITS))
                opened = self._rows("SELECT subject_type, subject_id, seq, chain FROM journal WHERE is_open = 1")
                journals = {Subject(kind, name): OpenSubject(seq, chain) for kind, name, seq, chain in opened}
                leases, pointers = self._leases(), self._pointers()
            finally:
                self._connection.execute("COMMIT")
        return Head(Version(version), self._time.now_ms(moved_ms), serial, recent, journals, leases, pointers)

    def subjects(self) -> frozenset[Subject]:
        """Return every subject that has a journal, by its tip or by what was appended: one of the two may be damaged."""
        known = "SELECT subject_type, subject_id FROM journal UNION SELECT subject_type, subject_id FROM append"
        with self._reading():
            return frozenset(Subject(*row) for row in self._rows(known))

    def read(self, subject: Subject, after: int, at: Version) -> Iterator[Segment]:
        """Yield the verified segments of `subject` with events after seq `after`, as of version `at`."""
        serial = self._serial_of(at)
        start, chain = self._place_before(subject, after)
        last = start
        for segment in verified(subject, self._stored(subject, start, serial), after=start, chain=chain):
            last = segment.last_seq
            yield segment
        self._check_tip(subject, last, at)

    def commit(self, parent: Version, fence: Fence | None, batch: Batch) -> CommitAnswer:
        """Write `batch` on `parent` in one transaction, or nothing."""
        with self._lock:
            return transact(self._connection, lambda: self._write(parent, fence, batch))

    def resolve(self, key: Digest, parent: Version) -> ResolveAnswer:
        """Say what became of a batch whose answer was lost."""
        with self._reading():
            found = self._rows("SELECT version FROM batch WHERE key = ?", key)
            if found:
                return Applied(Version(found[0][0]))
            (version,) = self._row("SELECT version FROM head")
        return Never() if version != parent else Unknown("the head has not moved")

    def document(self, digest: Digest) -> bytes | None:
        """Return the document with `digest`, re-hashed."""
        with self._reading():
            found = self._rows("SELECT data FROM document WHERE digest = ?", digest)
        if found and sha256(found[0][0]) != digest:
            raise document_altered(digest)
        return bytes(found[0][0]) if found else None

    def _write(self, parent: Version, fence: Fence | None, batch: Batch) -> CommitAnswer:
        version, serial, moved_ms = self._row("SELECT version, serial, moved_ms FROM head")
        landed = self._rows("SELECT version FROM batch WHERE key = ?", batch.key)
        if landed:
            return Applied(Version(landed[0][0]))
        if version != parent:
            return Conflict(Version(version), "the head has moved")
        conflict = self._check_moves(fence, batch.moves)
        if conflict is not None:
            return Conflict(Version(version), conflict)
        now_ms = self._time.now_ms(moved_ms)
        written = sum(self._append(subject, serial + 1, bodies, batch) for subject, bodies in batch.bodies.items())
        for move in batch.moves:
            self._move(move, now_ms)
        written += len(batch.moves) + self._store_documents(batch.documents)
        written += self._mark_journals(batch.opens, is_open=1) + self._mark_journals(batch.closes, is_open=0)
        if not written:
            return Applied(parent)
        return self._move_head(parent, serial + 1, batch, now_ms)

    def _move_head(self, parent: Version, serial: int, batch: Batch, now_ms: int) -> Applied:
        version = Version(f"{serial}-{batch.key[:16]}")
        moved = self._connection.execute(
            "UPDATE head SET version = ?, serial = ?, moved_ms = ? WHERE version = ? AND serial = ?",
            (version, serial, now_ms, parent, serial - 1),
        ).rowcount
        if moved != 1:
            message = "the head did not move by exactly one row; nothing was written"
            way_out = "Run the command again; `run reconcile --all` reads the log anew."
            raise StoreFault("STORE_FAILED", message, field=file_of(self._connection), way_out=way_out)
        self._connection.execute(
            "INSERT INTO batch VALUES (?, ?, ?, ?, ?)", (serial, batch.key, version, batch.commit_class, now_ms)
        )
        return Applied(version)

    def _check_moves(self, fence: Fence | None, moves: Sequence[Move]) -> str | None:
        if fence is None and not moves:
            return None
        leases, pointers = self._leases(), self._pointers()
        if fence is not None and is_fenced_out(fence, leases):
            raise fenced(fence)
        return next(filter(None, (objection_to_move(move, leases, pointers) for move in moves)), None)

    def _append(self, subject: Subject, serial: int, bodies: Sequence[bytes], batch: Batch) -> int:
        """Append `bodies` to the journal of `subject`; return how many were new."""
        tip = self._rows("SELECT seq, chain FROM journal WHERE subject_type = ? AND subject_id = ?", *subject)
        seq, chain = tip[0] if tip else (0, GENESIS)
        ids = [event.event_id for event in batch.appends[subject]]
        fresh = self._fresh(subject, ids, bodies)
        if not fresh:
            return 0
        segment = build_segment([bodies[index] for index in fresh], seq + 1, chain)
        append_id = self._connection.execute(
            "INSERT INTO append (subject_type, subject_id, first_seq, count, serial, chain, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (*subject, segment.first_seq, segment.count, serial, segment.chain, segment.data),
        ).lastrowid
        rows = [(ids[index], append_id, position) for position, index in enumerate(fresh)]
        self._connection.executemany("INSERT INTO event VALUES (?, ?, ?)", rows)
        self._connection.execute(
            "INSERT INTO journal VALUES (?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET seq = excluded.seq, chain = excluded.chain",
            (*subject, seq + segment.count, segment.chain),
        )
        return len(fresh)

    def _fresh(self, subject: Subject, ids: Sequence[str], bodies: Sequence[bytes]) -> Sequence[int]:
        """Return the positions of the events that the log does not have; raise EVENT_ID_REUSED for other bytes."""
        known = self._known_lines(subject, ids)
        if not known and len(set(ids)) == len(ids):
            return range(len(ids))
        fresh: list[int] = []
        for index, (event_id, body) in enumerate(zip(ids, bodies, strict=True)):
            if event_id not in known:
                known[event_id] = body
                fresh.append(index)
            elif known[event_id] != body:
                raise event_id_reused(event_id)
        return fresh

    def _known_lines(self, subject: Subject, ids: Sequence[str]) -> dict[str, bytes]:
        query = (
            "SELECT event.event_id, event.position, append.subject_type, append.subject_id, append.data FROM event"
            " JOIN append ON append.id = event.append_id WHERE event.event_id IN (SELECT value FROM json_each(?))"
        )
        found = self._rows(query, json.dumps(ids))
        known: dict[str, bytes] = {}
        for event_id, position, subject_type, subject_id, data in found:
            is_here = (subject_type, subject_id) == subject
            known[event_id] = body_of_line(data.splitlines()[position]) if is_here else b""
        return known

    def _move(self, move: Move, now_ms: int) -> None:
        if isinstance(move, LeaseMove):
            after = move.after
            fields = (after.scope, after.generation, after.holder, after.ttl_s, after.renewal, after.because, now_ms)
            self._connection.execute("INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?, ?, ?)", fields)
        else:
            row = (move.name, move.expected + 1, move.target, move.because, now_ms)
            self._connection.execute("INSERT OR REPLACE INTO pointer VALUES (?, ?, ?, ?, ?)", row)

    def _store_documents(self, documents: Mapping[Digest, bytes]) -> int:
        insert = "INSERT OR IGNORE INTO document VALUES (?, ?)"
        return sum(self._connection.execute(insert, pair).rowcount for pair in documents.items())

    def _mark_journals(self, subjects: frozenset[Subject], is_open: int) -> int:
        update = "UPDATE journal SET is_open = ? WHERE subject_type = ? AND subject_id = ? AND is_open = ?"
        rows = [(is_open, *subject, 1 - is_open) for subject in sorted(subjects)]
        return sum(self._connection.execute(update, row).rowcount for row in rows)

    def _stored(self, subject: Subject, after: int, serial: int) -> Iterator[StoredSegment]:
        query = (
            "SELECT first_seq, count, data, chain FROM append WHERE subject_type = ? AND subject_id = ?"
            " AND first_seq > ? AND serial <= ? ORDER BY first_seq LIMIT ?"
        )
        while True:
            with self._reading():
                page = [StoredSegment(*row) for row in self._rows(query, *subject, after, serial, _PAGE)]
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].first_seq

    def _place_before(self, subject: Subject, after: int) -> tuple[int, str]:
        """Return seq and chain where the segment that holds the event after `after` begins."""
        if not after:
            return 0, GENESIS
        query = (
            "SELECT first_seq + count - 1, chain FROM append WHERE subject_type = ? AND subject_id = ?"
            " AND first_seq <= ? ORDER BY first_seq DESC LIMIT 2"
        )
        with self._reading():
            found = self._rows(query, *subject, after)
        return next(((last, chain) for last, chain in found if last <= after), (0, GENESIS))

    def _check_tip(self, subject: Subject, last: int, at: Version) -> None:
        """A journal whose newest segment is missing ends before its tip."""
        with self._reading():
            (version,) = self._row("SELECT version FROM head")
            tip = self._rows("SELECT seq FROM journal WHERE subject_type = ? AND subject_id = ?", *subject)
        if version == at and tip and tip[0][0] != last:
            raise tip_missing(subject, last, tip[0][0])

    def _serial_of(self, version: Version) -> int:
        if version == "0":
            return 0
        with self._reading():
            found = self._rows("SELECT serial FROM batch WHERE version = ?", version)
        if not found:
            raise version_unknown(version)
        return int(found[0][0])

    def _leases(self) -> dict[str, Lease]:
        rows = self._rows("SELECT scope, generation, holder, ttl_s, renewal, because, moved_ms FROM lease")
        return {row[0]: Lease(*row) for row in rows}

    def _pointers(self) -> dict[str, Pointer]:
        return {row[0]: Pointer(*row) for row in self._rows("SELECT name, generation, target, because, moved_ms FROM pointer")}

    def _row(self, query: str, *values: object) -> tuple[Any, ...]:
        return self._rows(query, *values)[0]

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                raise failed(error, file_of(self._connection)) from error
