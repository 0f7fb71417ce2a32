"""The control log in memory: the same answers as the SQLite file, for the simulator and for fast tests.

It lives as long as its object and is shared by everything in one process that holds it. Commits are whole by construction: all
is checked before anything is changed. Built by bootstrap (tests, `--dry-run`) and by the simulator.
"""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from runner.adapters.local.state.store_time import StoreTime
from runner.domain import limits
from runner.domain.control.chain import GENESIS, Segment, StoredSegment, build_segment, verified
from runner.domain.control.envelope import Subject
from runner.domain.control.leases import Fence, Lease, LeaseMove, Move, Pointer, is_fenced_out, objection_to_move
from runner.ports.state.answers import Applied, CommitAnswer, Conflict, Never, ResolveAnswer, Unknown, Version
from runner.ports.state.batch import Batch
from runner.ports.state.clock import Clock
from runner.ports.state.control_log import Head, OpenSubject, Recent
from runner.ports.state.refusals import document_altered, event_id_reused, fenced, tip_missing, version_unknown
from shared.digests import Digest, sha256


class MemoryControlLog:
    """A control log that is gone with its process."""

    def __init__(self, clock: Clock) -> None:
        self._time: Final = StoreTime(clock)
        self._lock: Final = threading.RLock()
        self._versions: Final[dict[Version, int]] = {Version("0"): 0}
        self._version = Version("0")
        self._moved_ms = 0
        self._recent: Final[list[Recent]] = []
        self._keys: Final[dict[str, Version]] = {}
        self._journals: Final[dict[Subject, list[tuple[int, StoredSegment]]]] = {}
        self._tips: Final[dict[Subject, OpenSubject]] = {}
        self._closed: Final[set[Subject]] = set()
        self._events: Final[dict[str, tuple[Subject, bytes]]] = {}
        self._documents: Final[dict[Digest, bytes]] = {}
        self._leases: Final[dict[str, Lease]] = {}
        self._pointers: Final[dict[str, Pointer]] = {}

    def head(self) -> Head:
        """Return the newest version and what stands in it."""
        with self._lock:
            journals = {subject: tip for subject, tip in self._tips.items() if subject not in self._closed}
            recent = tuple(self._recent[-limits.RECENT_COMMITS :])
            serial, leases, pointers = self._versions[self._version], dict(self._leases), dict(self._pointers)
            return Head(self._version, self._now_ms(), serial, recent, journals, leases, pointers)

    def subjects(self) -> frozenset[Subject]:
        """Return every subject that has a journal."""
        with self._lock:
            return frozenset(self._journals)

    def read(self, subject: Subject, after: int, at: Version) -> Iterator[Segment]:
        """Yield the verified segments of `subject` with events after seq `after`, as of version `at`."""
        with self._lock:
            if at not in self._versions:
                raise version_unknown(at)
            serial = self._versions[at]
            stored = [segment for one, segment in self._journals.get(subject, []) if one <= serial]
            tip = self._tips[subject].seq if at == self._version and subject in self._tips else None
        before = [segment for segment in stored if segment.first_seq + segment.count - 1 <= after]
        start, chain = (before[-1].first_seq + before[-1].count - 1, before[-1].chain) if before else (0, GENESIS)
        last = start
        for segment in verified(subject, stored[len(before) :], after=start, chain=chain):
            last = segment.last_seq
            yield segment
        if tip is not None and tip != last:
            raise tip_missing(subject, last, tip)

    def commit(self, parent: Version, fence: Fence | None, batch: Batch) -> CommitAnswer:
        """Write `batch` on `parent`, or nothing."""
        with self._lock:
            if batch.key in self._keys:
                return Applied(self._keys[batch.key])
            if parent != self._version:
                return Conflict(self._version, "the head has moved")
            if fence is not None and is_fenced_out(fence, self._leases):
                raise fenced(fence)
            objections = (objection_to_move(move, self._leases, self._pointers) for move in batch.moves)
            conflict = next(filter(None, objections), None)
            if conflict is not None:
                return Conflict(self._version, conflict)
            fresh = {subject: self._fresh(subject, batch) for subject in batch.appends}
            return self._apply(batch, fresh)

    def resolve(self, key: Digest, parent: Version) -> ResolveAnswer:
        """Say what became of a batch whose answer was lost."""
        with self._lock:
            if key in self._keys:
                return Applied(self._keys[key])
            return Never() if parent != self._version else Unknown("the head has not moved")

    def document(self, digest: Digest) -> bytes | None:
        """Return the document with `digest`, re-hashed."""
        data = self._documents.get(digest)
        if data is not None and sha256(data) != digest:
            raise document_altered(digest)
        return data

    def _apply(self, batch: Batch, fresh: dict[Subject, list[int]]) -> Applied:
        ending = {subject for subject in batch.closes if subject in self._tips or fresh.get(subject)} - self._closed
        documents = {digest: data for digest, data in batch.documents.items() if digest not in self._documents}
        opening = batch.opens & self._closed
        if not (any(fresh.values()) or batch.moves or documents or ending or opening):
            return Applied(self._version)
        serial, now_ms = self._versions[self._version] + 1, self._now_ms()
        for subject, positions in fresh.items():
            self._append(subject, serial, batch, positions)
        for move in batch.moves:
            self._move(move, now_ms)
        self._documents.update(documents)
        self._closed.difference_update(opening)
        self._closed.update(ending)
        self._version = Version(f"{serial}-{batch.key[:16]}")
        self._versions[self._version] = serial
        self._keys[batch.key] = self._version
        self._recent.append(Recent(batch.key, batch.commit_class, now_ms))
        self._moved_ms = now_ms
        return Applied(self._version)

    def _fresh(self, subject: Subject, batch: Batch) -> list[int]:
        """Return the positions of the events that the log does not have; raise EVENT_ID_REUSED for other bytes."""
        fresh: list[int] = []
        seen: dict[str, bytes] = {}
        for index, (event, body) in enumerate(zip(batch.appends[subject], batch.bodies[subject], strict=True)):
            known = self._events.get(event.event_id)
            if known not in {None, (subject, body)} or seen.get(event.event_id, body) != body:
                raise event_id_reused(event.event_id)
            if known is None and event.event_id not in seen:
                seen[event.event_id] = body
                fresh.append(index)
        return fresh

    def _append(self, subject: Subject, serial: int, batch: Batch, positions: Sequence[int]) -> None:
        if not positions:
            return
        tip = self._tips.get(subject, OpenSubject(0, GENESIS))
        bodies = [batch.bodies[subject][index] for index in positions]
        segment = build_segment(bodies, tip.seq + 1, tip.chain)
        self._journals.setdefault(subject, []).append((serial, segment))
        self._tips[subject] = OpenSubject(tip.seq + segment.count, segment.chain)
        self._events.update(
            {batch.appends[subject][index].event_id: (subject, batch.bodies[subject][index]) for index in positions}
        )

    def _move(self, move: Move, now_ms: int) -> None:
        if isinstance(move, LeaseMove):
            after = move.after
            self._leases[after.scope] = replace(after, moved_ms=now_ms)
        else:
            self._pointers[move.name] = Pointer(move.name, move.expected + 1, move.target, move.because, now_ms)

    def _now_ms(self) -> int:
        return self._time.now_ms(self._moved_ms)
