"""The time of a local store: this machine's, kept from going back, and never standing still while somebody looks.

A clock that was set back, or had jumped ahead when something was written, is behind the newest commit. Until it has caught up the
store's time goes on from there at half the pace of the monotonic clock: what is waited for comes late, never early, and the lead
over the clock shrinks all the while. A process that looks only once sees it stand. Used by the control logs of this folder.
"""

from typing import Final

from runner.ports.state.clock import Clock

SLOWER: Final = 2


class StoreTime:
    """The store's time as one process sees it."""

    def __init__(self, clock: Clock) -> None:
        self._clock: Final = clock
        self._from: tuple[int, float] | None = None

    def now_ms(self, moved_ms: int) -> int:
        """Return the time now; `moved_ms` is the store's time of its newest commit."""
        clock_ms, monotonic_s = self._clock.now_ms(), self._clock.monotonic_s()
        if self._from is None:
            self._from = (moved_ms, monotonic_s)
        base_ms, since_s = self._from
        slow_ms = base_ms + int((monotonic_s - since_s) * 1000) // SLOWER
        if clock_ms >= max(slow_ms, moved_ms):
            self._from = None
            return clock_ms
        if moved_ms > slow_ms:
            self._from = (moved_ms, monotonic_s)
        return max(slow_ms, moved_ms)
