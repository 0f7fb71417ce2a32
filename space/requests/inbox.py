"""Where requests are put: what an inbox of the Space can do, and what it answers. A put is acknowledged only when it is durable.

Adapters: inbox_sqlite (a file on this machine), hub/inbox (a private Dataset, whose commits are few: what is put waits for one).
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from shared.inbox.codec import Request


class Put(StrEnum):
    """What became of a put."""

    RECORDED = "recorded"
    """It waits there, durably; the same bytes before count as well."""
    CONFLICT = "conflict"
    """The id waits with other bytes."""
    FULL = "full"
    WRITING = "writing"
    """It waits in this process to be written; `settle` waits for what becomes of it. Lost if the process ends before."""
    UNKNOWN = "unknown"
    """Neither seen there nor known to be absent: putting the same again is safe."""


class Inbox(Protocol):
    """The inbox that this Space may write, and nothing else."""

    def require_writable(self) -> None:
        """Raise StoreFault `inbox.unavailable` unless a put would be possible now; writes nothing."""
        ...

    def put(self, request: Request) -> Put:
        """Put one request; raise StoreFault `inbox.unavailable` if it certainly was not written."""
        ...

    def settle(self, request: Request, seconds: float) -> Put:
        """Return what became of a put that is being written, WRITING if that is not known after `seconds`; raise as `put`."""
        ...

    def waiting(self) -> Sequence[Request]:
        """Return the requests that wait, written or not, oldest first; what cannot be read is left out."""
        ...

    def unwritten(self) -> frozenset[str]:
        """Return the ids of those that are not written yet."""
        ...

    def due_at(self) -> float:
        """Return when what is unwritten will be tried next, in seconds since 1970; 0 where nothing is."""
        ...

    def close(self, seconds: float) -> None:
        """Write what is unwritten, for at most `seconds`, and stop."""
        ...
