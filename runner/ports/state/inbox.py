"""The inbox: requests that wait until a pass takes them.

Who may put needs no right on the control log. A request is acknowledged when its put is Applied, waits in the order of its
arrival, and is removed only after its `request_taken` stands in a journal. Nothing here judges a request: malformed bytes wait
like any other, so that they can be refused where people see it. Adapters: SQLite and memory (local), a private Dataset (hub).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from runner.ports.state.answers import PutAnswer, RemoveAnswer


@dataclass(frozen=True, slots=True)
class Waiting:
    """One waiting request: its id and its exact bytes (shared/inbox/codec.py reads them)."""

    request_id: str
    data: bytes
    put_ms: int


@dataclass(frozen=True, slots=True)
class Listing:
    """The oldest waiting requests and how many wait in all."""

    requests: tuple[Waiting, ...]
    waiting: int


class Inbox(Protocol):
    """The waiting requests of one installation."""

    def put(self, requests: Sequence[tuple[str, bytes]]) -> PutAnswer:
        """Add (request_id, bytes) pairs, all or none.

        The same id with the same bytes is Applied without effect; with other bytes: Conflict. Full at 500 waiting; a cancel or
        hold is let in even then. After Unknown, putting the same again is safe.
        """
        ...

    def list(self, limit: int) -> Listing:
        """Return up to `limit` waiting requests, oldest first."""
        ...

    def remove(self, request_ids: Sequence[str]) -> RemoveAnswer:
        """Remove requests that were taken; ids that do not wait are ignored, so a second call is safe."""
        ...
