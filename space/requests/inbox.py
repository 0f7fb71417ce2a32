"""Where requests are put: what an inbox of the Space can do, and what it answers. A put is acknowledged only when it is durable.

Adapters: inbox_sqlite (a file on this machine). An inbox on the Hub has its place behind the same three methods.
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

    def waiting(self) -> Sequence[Request]:
        """Return the requests that wait, oldest first; what cannot be read is left out."""
        ...
