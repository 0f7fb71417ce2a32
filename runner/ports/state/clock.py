"""Time and chance, passed in: the only way that code of the runner learns either.

`now_ms` is this machine's idea of UTC and is evidence only; what expires is judged by the store's clock (`Head.now_ms`) or by
`monotonic_s`. Adapters: the system's clock (local) and the simulator's.
"""

from typing import Protocol
from uuid import UUID


class Clock(Protocol):
    """The time of one process."""

    def now_ms(self) -> int:
        """Return UTC milliseconds since 1970; it may jump."""
        ...

    def monotonic_s(self) -> float:
        """Return seconds that never go back; only differences mean anything."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Chance(Protocol):
    """The randomness of one process."""

    def uuid7(self) -> UUID:
        """Return a fresh version-7 UUID; ids made of them sort by time."""
        ...

    def fraction(self) -> float:
        """Return a number in [0, 1), for jitter."""
        ...
