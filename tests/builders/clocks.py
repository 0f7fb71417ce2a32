"""A clock that stands until a test moves it."""


class StoppedClock:
    """Time as a test says."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self.at_ms = now_ms

    def now_ms(self) -> int:
        """Return the time that was set."""
        return self.at_ms

    def monotonic_s(self) -> float:
        """Return the same in seconds."""
        return self.at_ms / 1000

    def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        self.at_ms += round(seconds * 1000)
