"""The control log: the journals of all subjects, the pointers and the leases, behind one compare-and-swap.

One commit carries the appends of many subjects, the moves of pointers and leases and the immutable documents that they name:
all of it or nothing. Who commits says on which version the decision was made; if the log has moved on, the answer is Conflict
and the decision is made again. Adapters: SQLite and memory (local), a private Dataset (hub), and the fault wrapper of the tests.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Subject
from runner.domain.control.leases import Fence, Lease, Pointer
from runner.ports.state.answers import CommitAnswer, ResolveAnswer, Version
from runner.ports.state.batch import Batch
from shared.digests import Digest


@dataclass(frozen=True, slots=True)
class OpenSubject:
    """Where the journal of a subject that has not ended stands."""

    seq: int
    chain: str


@dataclass(frozen=True, slots=True)
class Recent:
    """One of the last commits: its key, its class of the commit budget and the store's time."""

    key: str
    commit_class: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Head:
    """The newest state of the log, at one version."""

    version: Version
    now_ms: int
    """The store's clock: leases are judged by it alone."""
    serial: int
    recent: tuple[Recent, ...]
    open: Mapping[Subject, OpenSubject]
    leases: Mapping[str, Lease]
    pointers: Mapping[str, Pointer]


class ControlLog(Protocol):
    """The journals, pointers and leases of one installation."""

    def head(self) -> Head:
        """Return the newest version and what stands in it; raise StoreFault if the store cannot be read."""
        ...

    def subjects(self) -> frozenset[Subject]:
        """Return every subject that has a journal, open or closed; raise StoreFault if the store cannot be read."""
        ...

    def read(self, subject: Subject, after: int, at: Version) -> Iterator[Segment]:
        """Yield the segments of `subject` that hold events after seq `after`, as of version `at`, chain verified.

        The first segment may begin at or before `after`. Nothing for an unknown subject. Raises JOURNAL_GAP, JOURNAL_FORKED,
        JOURNAL_DIGEST or EVENT_UNSUPPORTED, which concern this subject alone, and VERSION_UNKNOWN for a version that is not
        in the log's history.
        """
        ...

    def commit(self, parent: Version, fence: Fence | None, batch: Batch) -> CommitAnswer:
        """Append, move and store all of `batch` on `parent`, or nothing.

        Conflict if the head is not `parent` or a pointer or lease is not as expected. An event whose id is in the log with the
        same bytes is skipped; with other bytes: EVENT_ID_REUSED. Raises FENCED, BATCH_TOO_LARGE, STORE_FULL. A second call
        with the same key after Unknown is safe: resolve first.
        """
        ...

    def resolve(self, key: Digest, parent: Version) -> ResolveAnswer:
        """Say what became of the batch `key` that was sent on `parent`; Unknown while the head has not moved and it may land."""
        ...

    def document(self, digest: Digest) -> bytes | None:
        """Return the immutable document with `digest` (re-hashed), or None if the log does not have it."""
        ...
