"""A control log that fails as real ones do, on a script: conflicts, quotas, answers that are lost, heads that are stale.

Each call of `commit` and `head` takes the next fault of its script (none left: no fault). A commit whose answer is lost may have
landed, may never land, or lands late, just before a later call. Wraps any adapter; used by tests and the simulator.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Subject
from runner.domain.control.leases import Fence
from runner.ports.state.answers import Busy, CommitAnswer, Conflict, ResolveAnswer, Throttled, Unknown, Version
from runner.ports.state.batch import Batch
from runner.ports.state.control_log import ControlLog, Head
from shared.digests import Digest
from shared.errors import StoreFault

THROTTLE_MS: Final = 3_600_000


class CommitFault(StrEnum):
    """What goes wrong with one commit."""

    NONE = "none"
    CONFLICT = "412"
    BUSY = "409"
    THROTTLED = "429"
    LOST = "500 lost"
    LANDED = "500 landed"
    LATE = "late landing"


class HeadFault(StrEnum):
    """What goes wrong with one reading of the head."""

    NONE = "none"
    STALE = "stale head"
    TORN = "torn read"


class FaultyControlLog:
    """`inner` with scripted faults."""

    def __init__(self, inner: ControlLog, commits: Iterable[CommitFault] = (), heads: Iterable[HeadFault] = ()) -> None:
        self._inner: Final = inner
        self._commits: Final = deque(commits)
        self._heads: Final = deque(heads)
        self._late: Final[deque[tuple[Version, Fence | None, Batch]]] = deque()
        self._seen: Head | None = None
        self.calls: Final[list[str]] = []
        """Every commit's fault, in order, for tests to look at."""

    def head(self) -> Head:
        """Return the head, or the one seen before."""
        fault = self._heads.popleft() if self._heads else HeadFault.NONE
        if fault is HeadFault.TORN:
            raise StoreFault("STORE_FAILED", "the head was read in part", way_out="Read it again.")
        if fault is HeadFault.STALE and self._seen is not None:
            return self._seen
        self.land_late()
        self._seen = self._inner.head()
        return self._seen

    def subjects(self) -> frozenset[Subject]:
        """Ask the wrapped log."""
        return self._inner.subjects()

    def read(self, subject: Subject, after: int, at: Version) -> Iterator[Segment]:
        """Read from the wrapped log."""
        return self._inner.read(subject, after, at)

    def commit(self, parent: Version, fence: Fence | None, batch: Batch) -> CommitAnswer:
        """Commit with the next fault of the script."""
        fault = self._commits.popleft() if self._commits else CommitFault.NONE
        self.calls.append(fault)
        if fault is CommitFault.CONFLICT:
            return Conflict(parent, "412")
        if fault is CommitFault.BUSY:
            return Busy(2.0)
        if fault is CommitFault.THROTTLED:
            return Throttled(self._inner.head().now_ms + THROTTLE_MS)
        if fault is CommitFault.LOST:
            return Unknown("500, lost")
        if fault is CommitFault.LATE:
            self._late.append((parent, fence, batch))
            return Unknown("500, lands late")
        answer = self._inner.commit(parent, fence, batch)
        return Unknown("500, landed") if fault is CommitFault.LANDED else answer

    def resolve(self, key: Digest, parent: Version) -> ResolveAnswer:
        """Ask the wrapped log."""
        return self._inner.resolve(key, parent)

    def document(self, digest: Digest) -> bytes | None:
        """Read from the wrapped log."""
        return self._inner.document(digest)

    def land_late(self) -> None:
        """Let every commit that was under way arrive; it lands only on the parent that it was sent on."""
        while self._late:
            self._inner.commit(*self._late.popleft())
