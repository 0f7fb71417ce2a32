"""The machine's clock and randomness, behind the ports of runner/ports/state/clock.py. Built by bootstrap."""

import secrets
import time
from uuid import UUID

from shared.ids import uuid7


class SystemClock:
    """The clock of this machine."""

    def now_ms(self) -> int:
        """Return UTC milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        """Return seconds that never go back."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(max(0.0, seconds))


class SystemChance:
    """The randomness of this machine."""

    def uuid7(self) -> UUID:
        """Return a version-7 UUID."""
        return uuid7(time.time_ns() // 1_000_000, secrets.randbits(74))

    def fraction(self) -> float:
        """Return a number in [0, 1)."""
        return secrets.randbits(53) / (1 << 53)
