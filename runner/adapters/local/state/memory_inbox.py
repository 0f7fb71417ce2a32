"""The inbox in memory: the same answers as the SQLite file, for the simulator and for fast tests."""

import threading
from collections.abc import Sequence
from itertools import islice
from typing import Final

from runner.adapters.local.state.inbox_rules import admit
from runner.ports.state.answers import Applied, PutAnswer, RemoveAnswer, Version
from runner.ports.state.clock import Clock
from runner.ports.state.inbox import Listing, Waiting

_NO_VERSION: Final = Version("")


class MemoryInbox:
    """Waiting requests that are gone with their process."""

    def __init__(self, clock: Clock) -> None:
        self._clock: Final = clock
        self._lock: Final = threading.RLock()
        self._waiting: Final[dict[str, Waiting]] = {}

    def put(self, requests: Sequence[tuple[str, bytes]]) -> PutAnswer:
        """Add (request_id, bytes) pairs, all or none."""
        with self._lock:
            fresh = admit(requests, self._find, len(self._waiting))
            if not isinstance(fresh, dict):
                return fresh
            now_ms = self._clock.now_ms()
            self._waiting.update({request_id: Waiting(request_id, data, now_ms) for request_id, data in fresh.items()})
            return Applied(_NO_VERSION)

    def list(self, limit: int) -> Listing:
        """Return up to `limit` waiting requests, oldest first."""
        with self._lock:
            return Listing(tuple(islice(self._waiting.values(), limit)), len(self._waiting))

    def remove(self, request_ids: Sequence[str]) -> RemoveAnswer:
        """Remove requests that were taken."""
        with self._lock:
            for request_id in request_ids:
                self._waiting.pop(request_id, None)
            return Applied(_NO_VERSION)

    def _find(self, request_id: str) -> bytes | None:
        waiting = self._waiting.get(request_id)
        return waiting.data if waiting else None
