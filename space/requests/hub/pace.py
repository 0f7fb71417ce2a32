"""When the inbox on the Hub may be written: it shares its account's commits with everything else that runs there.

Requests of five seconds share a commit. There is one at most in thirty seconds and twenty in an hour, and of these the second ten
come five minutes apart, so that a busy hour makes nobody wait for the rest of it. Cancels and holds go at once, outside of that;
only after thirty commits of them in an hour one a minute, or one person could use up what the account has. Time is passed in.
"""

from collections import deque
from typing import Final

GATHER_S: Final = 5.0
SPACING_S: Final = 30.0
SLOW_SPACING_S: Final = 300.0
FREELY: Final = 10
AN_HOUR: Final = 20
URGENT_FREELY: Final = 30
URGENT_SPACING_S: Final = 60.0
HOUR_S: Final = 3_600.0


class Pace:
    """The commits of the last hour, and when the next may follow."""

    def __init__(self) -> None:
        self._ordinary: deque[float] = deque()
        self._urgent: deque[float] = deque()

    def due_at(self, oldest: float, now: float, *, is_urgent: bool) -> float:
        """Return when a commit may be made whose oldest request was asked for at `oldest`."""
        made = self._urgent if is_urgent else self._ordinary
        while made and made[0] <= now - HOUR_S:
            made.popleft()
        if is_urgent:
            return made[-1] + URGENT_SPACING_S if len(made) >= URGENT_FREELY else oldest
        due = oldest + GATHER_S
        if made:
            due = max(due, made[-1] + (SPACING_S if len(made) < FREELY else SLOW_SPACING_S))
        return max(due, made[-AN_HOUR] + HOUR_S) if len(made) >= AN_HOUR else due

    def note(self, now: float, *, is_urgent: bool) -> None:
        """Count a commit that was made, or may have been."""
        (self._urgent if is_urgent else self._ordinary).append(now)

    def move(self, seconds: float) -> None:
        """Say that the clock was set by `seconds`."""
        self._ordinary = deque(at + seconds for at in self._ordinary)
        self._urgent = deque(at + seconds for at in self._urgent)
