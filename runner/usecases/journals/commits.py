"""Committing a decision: re-decide on conflict, wait when busy, resolve before anything else when the answer was lost.

`decide(head)` is called again for every new head, so nothing is written on knowledge that has become old. An Unknown answer is
resolved by reading: applied, or sent again under the same key, or given up as CONTROL_UNKNOWN with nothing else done meanwhile.
"""

from collections.abc import Callable
from typing import Final

from runner.domain import limits
from runner.domain.control.leases import Fence
from runner.domain.yields import declare, reach
from runner.ports.state.answers import Applied, Busy, Conflict, Never, Throttled, Unknown, Version
from runner.ports.state.batch import Batch
from runner.ports.state.clock import Chance, Clock
from runner.ports.state.control_log import ControlLog, Head
from shared.errors import Conflict as ContendedConflict
from shared.errors import StoreFault

BEFORE_COMMIT: Final = declare("control.before_commit", "any writer of the log, a batch is made, it is not sent")
AFTER_COMMIT: Final = declare("control.after_commit", "any writer of the log, the batch's answer is known")
RESOLVE: Final = declare("control.resolve", "any writer of the log, an answer was lost and is about to be resolved")


def commit_decision(
    log: ControlLog,
    decide: Callable[[Head], Batch | None],
    *,
    clock: Clock,
    chance: Chance,
    fence: Fence | None = None,
) -> Version | None:
    """Commit what `decide` returns for the newest head; None if it has nothing to say. Raises CONTROL_CONTENDED or _UNKNOWN."""
    busy = 0
    tries = 0
    while tries < limits.CONFLICT_TRIES:
        head = log.head()
        batch = decide(head)
        if batch is None or batch.is_empty:
            return None
        reach(BEFORE_COMMIT)
        answer = log.commit(head.version, fence, batch)
        reach(AFTER_COMMIT)
        match answer:
            case Applied(version):
                return version
            case Unknown():
                found = _resolve(log, head, fence, batch, clock)
                if found is not None:
                    return found
                tries += 1
            case Busy(after_s):
                busy += 1
                if busy > limits.BUSY_TRIES:
                    raise ContendedConflict("CONTROL_CONTENDED", "the control log stayed busy", way_out="Try again later.")
                clock.sleep(after_s)
            case Throttled(until_ms):
                raise ContendedConflict(
                    "CONTROL_THROTTLED", f"the control log takes nothing before {until_ms}", way_out="Try again after that."
                )
            case Conflict():
                clock.sleep(min(limits.CONFLICT_MAX_S, limits.CONFLICT_BASE_S * 2**tries) * chance.fraction())
                tries += 1
    raise ContendedConflict("CONTROL_CONTENDED", f"{tries} decisions in a row met a newer head", way_out="Try again later.")


def _resolve(log: ControlLog, head: Head, fence: Fence | None, batch: Batch, clock: Clock) -> Version | None:
    """Return the version that has the batch, or None if it can never land."""
    for _ in range(limits.UNKNOWN_RESENDS):
        reach(RESOLVE)
        found = log.resolve(batch.key, head.version)
        if isinstance(found, Applied):
            return found.version
        if isinstance(found, Never):
            return None
        answer = log.commit(head.version, fence, batch)
        if isinstance(answer, Applied):
            return answer.version
        clock.sleep(limits.CONFLICT_BASE_S)
    raise StoreFault("CONTROL_UNKNOWN", "it is unknown whether the log has the batch", way_out="Read the journal before acting.")
