"""Randomness without chance: every id differs, and every run of a test has the same ones."""

from uuid import UUID

_VERSION_7 = 0x7 << 76
_VARIANT = 0x2 << 62


class CountedChance:
    """UUIDs that count up from 1."""

    def __init__(self) -> None:
        self.count = 0

    def uuid7(self) -> UUID:
        """Return the next."""
        self.count += 1
        return UUID(int=_VERSION_7 | _VARIANT | self.count)

    def fraction(self) -> float:
        """Return the middle of the range."""
        return 0.5
