"""The state machines, as data: what may follow what. Code asks `may_move`; an unlisted move is illegal.

run      (start) -> queued | waiting_approval | refused;  waiting_approval -> queued | refused
         queued -> active | cancel_requested | draining
         active -> draining | cancel_requested;  cancel_requested -> draining;  draining -> active | cancel_requested
         draining -> completed | partial | failed | cancelled                    (these four and refused absorb)

trial    planned -> queued -> active -> verifying -> sealing -> scored | agent_failed
         active | verifying | sealing -> retry_wait -> queued;  queued -> planned (assigned, never touched)
         active .. retry_wait -> exhausted -> queued | benchmark_failed | infrastructure_exhausted
         any open state -> cancelled | infrastructure_exhausted;  cancelled -> queued (a new generation of a live run)

attempt  reserved -> released | started;  started -> succeeded | failed | cancelled | lost;  lost -> succeeded | failed

wave     planned -> acquiring -> provisioning -> ready -> active -> draining -> cleaning -> closed
         any before cleaning -> draining;  cleaning -> cleanup_failed -> closed

action   reserved -> claimed | observed | closed;  claimed -> observed | closed;  observed -> closed
         reserved -> reserved (retried, at most 3 times)
"""

from enum import StrEnum
from typing import Final


class RunState(StrEnum):
    """Where a run is; the label (shared/outcomes.py) says what it was worth."""

    WAITING_APPROVAL = "waiting_approval"
    QUEUED = "queued"
    ACTIVE = "active"
    CANCEL_REQUESTED = "cancel_requested"
    DRAINING = "draining"
    COMPLETED = "completed"
    PARTIAL = "partial"
    FAILED = "failed"
    CANCELLED = "cancelled"
    REFUSED = "refused"


class TrialState(StrEnum):
    """Where a trial is; the last five are its ends."""

    PLANNED = "planned"
    QUEUED = "queued"
    ACTIVE = "active"
    VERIFYING = "verifying"
    SEALING = "sealing"
    RETRY_WAIT = "retry_wait"
    EXHAUSTED = "exhausted"
    SCORED = "scored"
    AGENT_FAILED = "agent_failed"
    BENCHMARK_FAILED = "benchmark_failed"
    INFRASTRUCTURE_EXHAUSTED = "infrastructure_exhausted"
    CANCELLED = "cancelled"


class AttemptState(StrEnum):
    """Where one physical try is."""

    RESERVED = "reserved"
    STARTED = "started"
    RELEASED = "released"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


class WaveState(StrEnum):
    """Where a wave is; closure is monotonic."""

    PLANNED = "planned"
    ACQUIRING = "acquiring"
    PROVISIONING = "provisioning"
    READY = "ready"
    ACTIVE = "active"
    DRAINING = "draining"
    CLEANING = "cleaning"
    CLEANUP_FAILED = "cleanup_failed"
    CLOSED = "closed"


class ActionState(StrEnum):
    """Where a decided side effect is."""

    RESERVED = "reserved"
    CLAIMED = "claimed"
    OBSERVED = "observed"
    CLOSED = "closed"


_R, _T, _A, _W, _X = RunState, TrialState, AttemptState, WaveState, ActionState
_RUN_ENDS = frozenset({_R.COMPLETED, _R.PARTIAL, _R.FAILED, _R.CANCELLED})
_TRIAL_OPEN = frozenset({_T.PLANNED, _T.QUEUED, _T.ACTIVE, _T.VERIFYING, _T.SEALING, _T.RETRY_WAIT, _T.EXHAUSTED})
_WORKED = frozenset({_T.CANCELLED, _T.INFRASTRUCTURE_EXHAUSTED})
_BEFORE_CLEANING = frozenset({_W.PLANNED, _W.ACQUIRING, _W.PROVISIONING, _W.READY, _W.ACTIVE})

RUN_MOVES: Final[dict[RunState | None, frozenset[RunState]]] = {
    None: frozenset({_R.QUEUED, _R.WAITING_APPROVAL, _R.REFUSED}),
    _R.WAITING_APPROVAL: frozenset({_R.QUEUED, _R.REFUSED}),
    _R.QUEUED: frozenset({_R.ACTIVE, _R.CANCEL_REQUESTED, _R.DRAINING}),
    _R.ACTIVE: frozenset({_R.DRAINING, _R.CANCEL_REQUESTED}),
    _R.CANCEL_REQUESTED: frozenset({_R.DRAINING}),
    _R.DRAINING: _RUN_ENDS | {_R.ACTIVE, _R.CANCEL_REQUESTED},
}
TRIAL_MOVES: Final[dict[TrialState, frozenset[TrialState]]] = {
    _T.PLANNED: _WORKED | {_T.QUEUED},
    _T.QUEUED: _WORKED | {_T.ACTIVE, _T.PLANNED},
    _T.ACTIVE: _WORKED | {_T.VERIFYING, _T.SEALING, _T.RETRY_WAIT, _T.EXHAUSTED},
    _T.VERIFYING: _WORKED | {_T.SEALING, _T.RETRY_WAIT, _T.EXHAUSTED},
    _T.SEALING: _WORKED | {_T.SCORED, _T.AGENT_FAILED, _T.RETRY_WAIT, _T.EXHAUSTED},
    _T.RETRY_WAIT: _WORKED | {_T.QUEUED, _T.EXHAUSTED},
    _T.EXHAUSTED: _WORKED | {_T.QUEUED, _T.BENCHMARK_FAILED},
    _T.CANCELLED: frozenset({_T.QUEUED}),
}
ATTEMPT_MOVES: Final[dict[AttemptState, frozenset[AttemptState]]] = {
    _A.RESERVED: frozenset({_A.RELEASED, _A.STARTED}),
    _A.STARTED: frozenset({_A.SUCCEEDED, _A.FAILED, _A.CANCELLED, _A.LOST}),
    _A.LOST: frozenset({_A.SUCCEEDED, _A.FAILED}),
}
WAVE_MOVES: Final[dict[WaveState, frozenset[WaveState]]] = {
    _W.PLANNED: frozenset({_W.ACQUIRING, _W.DRAINING}),
    _W.ACQUIRING: frozenset({_W.PROVISIONING, _W.DRAINING}),
    _W.PROVISIONING: frozenset({_W.READY, _W.DRAINING}),
    _W.READY: frozenset({_W.ACTIVE, _W.DRAINING}),
    _W.ACTIVE: frozenset({_W.DRAINING}),
    _W.DRAINING: frozenset({_W.CLEANING}),
    _W.CLEANING: frozenset({_W.CLOSED, _W.CLEANUP_FAILED}),
    _W.CLEANUP_FAILED: frozenset({_W.CLOSED}),
}
ACTION_MOVES: Final[dict[ActionState, frozenset[ActionState]]] = {
    _X.RESERVED: frozenset({_X.RESERVED, _X.CLAIMED, _X.OBSERVED, _X.CLOSED}),
    _X.CLAIMED: frozenset({_X.OBSERVED, _X.CLOSED}),
    _X.OBSERVED: frozenset({_X.CLOSED}),
}

RUN_TERMINAL: Final = _RUN_ENDS | {RunState.REFUSED}
TRIAL_OPEN: Final = _TRIAL_OPEN
TRIAL_TERMINAL: Final = frozenset(TrialState) - _TRIAL_OPEN


def may_move[S: StrEnum](moves: dict[S, frozenset[S]], before: S, after: S) -> bool:
    """Tell whether the table `moves` lists the step from `before` to `after`."""
    return after in moves.get(before, frozenset())
