"""How fast an installation moves: the same rules at two speeds, one for remote services and one for a laptop.

Remote services answer late, list late and bill by the minute; subprocesses on one machine do neither. Everything here is a
bound that correctness holds under, never a delay that it needs. Chosen by runner/config.py, passed to the pass and the workers.
"""

from dataclasses import dataclass
from typing import Final

from runner.domain import limits


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds; see runner/domain/limits.py for what each bound means."""

    cadence_s: float
    """Between two passes of `--watch`."""
    perform_s: float
    """How long the performer of a reservation alone may act on it."""
    settle_s: float
    """Call timeout and visibility together: an effect that is not listed after `perform_s` + this was not applied."""
    heartbeat_s: float
    """Between two progress segments of a worker."""
    silence_s: float
    """A worker that can write no progress for this long stops; one that wrote none for this long is ended."""
    cancel_grace_s: float
    """Between a cancel and the end of the attempts under way."""


REMOTE: Final = Pace(
    cadence_s=limits.PASS_CADENCE_S,
    perform_s=limits.PASS_DEADLINE_S,
    settle_s=limits.CALL_TIMEOUT_S + limits.VISIBILITY_S,
    heartbeat_s=limits.HEARTBEAT_S,
    silence_s=limits.LEASE_TTL_S + limits.LEASE_GRACE_S,
    cancel_grace_s=limits.CANCEL_GRACE_S,
)
LOCAL: Final = Pace(
    cadence_s=limits.PASS_CADENCE_LOCAL_S, perform_s=10, settle_s=2, heartbeat_s=1, silence_s=180, cancel_grace_s=20
)
QUICK: Final = Pace(cadence_s=0.1, perform_s=2, settle_s=0.5, heartbeat_s=0.2, silence_s=15, cancel_grace_s=1)
"""For tests that kill: the same rules, tighter bounds."""
PACES: Final = {"local": LOCAL, "quick": QUICK}
"""What a setting may choose; an installation on remote services moves at REMOTE."""
