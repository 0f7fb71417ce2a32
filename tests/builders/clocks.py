"""A clock that stands until a test moves it."""


class StoppedClock:
    """Time as a test says: it passes while somebody sleeps, and it jumps when `at_ms` is set."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self.at_ms = now_ms
        self._passed_ms = now_ms

    def now_ms(self) -> int:
        """Return the time that was set."""
        return self.at_ms

    def monotonic_s(self) -> float:
        """Return the time that has passed in seconds; no jump shows in it."""
        return self._passed_ms / 1000

    def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.at_ms += round(seconds * 1000)
        self._passed_ms += round(seconds * 1000)
