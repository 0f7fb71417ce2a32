"""How a run moves: what each event of kind submitted, cancel_requested, finished and the like does to the whole run.

Every rule first asks whether the tables of shared/states.py allow the event; if not, it notes an anomaly and changes nothing.
Called by the fold.
"""

from typing import Final

from runner.domain.control import events
from runner.domain.control.envelope import Event
from runner.domain.control.projection.state import ASSIGNABLE, Asked, RunProjection, due_outcome
from runner.domain.control.projection.trials import CATEGORIES, PART, TRIAL_CODE, TRIAL_STATES, TrialPart, Trials
from runner.domain.retries import POLICY
from shared.outcomes import Label
from shared.states import RUN_MOVES, RUN_TERMINAL, TRIAL_OPEN, RunState, TrialState

_CODE: Final = TRIAL_CODE
PUBLISH: Final = "publish"
PRIVATE: Final = "private"
"""What a consent decides."""
RETRIABLE: Final = frozenset({TrialState.EXHAUSTED, TrialState.CANCELLED, TrialState.RETRY_WAIT, TrialState.PLANNED})
_END_OF: Final = {
    Label.CLEAN: RunState.COMPLETED,
    Label.DEGRADED: RunState.COMPLETED,
    Label.PARTIAL: RunState.PARTIAL,
    Label.CANCELLED: RunState.CANCELLED,
    Label.FAILED: RunState.FAILED,
}


def end_of(label: Label) -> RunState:
    """Return the terminal state of a run with `label`."""
    return _END_OF[label]


def request_taken(state: RunProjection, payload: events.RequestTaken, event: Event) -> None:
    """A request is in the journal; what it leads to follows."""
    asked = payload.request
    if asked.request_id in state.run.requests:
        state.note(event.kind, f"request {asked.request_id} was taken before")
        return
    state.run.requests[asked.request_id] = Asked(
        request_id=asked.request_id, kind=asked.kind, user_id=asked.user_id, body_sha256=asked.body_sha256, seq=event.seq
    )


def request_refused(state: RunProjection, payload: events.RequestRefused, event: Event) -> None:
    """A taken request ends without effect; a refused submit ends the run."""
    asked = state.run.requests.get(payload.request_id)
    if asked is None or asked.refused:
        state.note(event.kind, f"request {payload.request_id} does not wait")
        return
    asked.refused, asked.message = payload.code, payload.message
    if asked.kind == "submit" and state.run.state in {None, RunState.WAITING_APPROVAL}:
        state.run.state = RunState.REFUSED
        state.run.approval = ""


def approval_requested(state: RunProjection, payload: events.ApprovalRequested, event: Event) -> None:
    """The submit waits for a maintainer."""
    if not _may_become(state, RunState.WAITING_APPROVAL, event):
        return
    run = state.run
    run.state, run.approval, run.approval_expires_at = RunState.WAITING_APPROVAL, payload.body_sha256, payload.expires_at
    run.requested_by, run.owner, run.submitted_ms = payload.requested_by, payload.owner, payload.at_ms
    run.ceiling_usd_micros = payload.ceiling_usd_micros


def approved(state: RunProjection, payload: events.Approved, event: Event) -> None:
    """A maintainer let exactly these bytes in."""
    run = state.run
    if run.state is not RunState.WAITING_APPROVAL or run.approved_by or payload.body_sha256 != run.approval:
        state.note(event.kind, "no such submit waits for approval")
        return
    run.approved_by, run.is_single_approval = payload.approver_user_id, payload.is_single


def submitted(state: RunProjection, payload: events.Submitted, event: Event) -> None:
    """The plan is locked: its trials are planned."""
    if not _may_become(state, RunState.QUEUED, event):
        return
    run = state.run
    if run.state is RunState.WAITING_APPROVAL and not run.approved_by:
        state.note(event.kind, "the submit was not approved")
        return
    if not _covers(payload.shards, payload.trials):
        state.note(event.kind, "the shards do not cover every trial once, in plan order")
        return
    run.state, run.approval = RunState.QUEUED, ""
    run.plan_digest, run.lock_sha256, run.requested_by = payload.plan_digest, payload.lock_sha256, payload.requested_by
    run.trials, run.shards, run.cells, run.policy = payload.trials, payload.shards, payload.cells, payload.policy
    run.ceiling_usd_micros, run.needs_consent = payload.ceiling_usd_micros, payload.needs_consent
    run.owner, run.submitted_ms = payload.owner, payload.at_ms
    state.trials = Trials(payload.trials)


def cancel_requested(state: RunProjection, payload: events.CancelRequested, event: Event) -> None:
    """Nothing more is reserved; trials that no wave holds are cancelled at once, others when their wave closes."""
    if state.run.state is RunState.CANCEL_REQUESTED and payload.now and not state.run.is_cancel_now:
        state.run.is_cancel_now = True  # Asked for again, this time without grace.
        return
    if not _may_become(state, RunState.CANCEL_REQUESTED, event):
        return
    run = state.run
    run.state, run.is_cancel_requested, run.is_cancel_now = RunState.CANCEL_REQUESTED, True, payload.now
    run.cancel_because = payload.reason
    for part, at in _each_unassigned(state, ASSIGNABLE - {TrialState.CANCELLED}):
        part.state[at] = _CODE[TrialState.CANCELLED]


def retry_requested(state: RunProjection, payload: events.RetryRequested, event: Event) -> None:
    """Trials without a valid result wait for a new generation, with a fresh budget."""
    run, trials = state.run, state.trials
    if run.state not in {RunState.ACTIVE, RunState.DRAINING} or run.is_cancel_requested:
        state.note(event.kind, f"a run that is {run.state} takes no retry")
        return
    if not payload.trials or not all(0 <= index < trials.count for index in payload.trials):
        state.note(event.kind, "names no trial, or one that the plan does not have")
        return
    places = [(trials.part(index // PART), index % PART) for index in payload.trials]
    if any(part.wave[at] or TRIAL_STATES[part.state[at]] not in RETRIABLE for part, at in places):
        state.note(event.kind, "names a trial that is under way or has its result")
        return
    for part, at in places:
        part.state[at], part.failed[at], part.category[at] = _CODE[TrialState.QUEUED], 0, 0
    run.state, run.drains_since = RunState.ACTIVE, ""


def seal_requested(state: RunProjection, payload: events.SealRequested, event: Event) -> None:
    """Open trials get the outcome infrastructure_exhausted by hand."""
    run = state.run
    if run.state not in {RunState.ACTIVE, RunState.DRAINING, RunState.QUEUED} or state.open_waves():
        state.note(event.kind, f"a run that is {run.state} with {len(state.open_waves())} open waves cannot be sealed")
        return
    run.is_hand_sealed = True
    run.attention["hand_sealed"] = payload.reason
    for part, at in _each_unassigned(state, TRIAL_OPEN | {TrialState.CANCELLED}):
        part.state[at] = _CODE[_due(part, at)] if part.state[at] == _CODE[TrialState.EXHAUSTED] else _EXHAUSTED


def draining(state: RunProjection, _payload: events.Draining, event: Event) -> None:
    """No admissible work is left."""
    if not _may_become(state, RunState.DRAINING, event):
        return
    state.run.state, state.run.drains_since = RunState.DRAINING, event.observed_at


def attention(state: RunProjection, payload: events.Attention, _event: Event) -> None:
    """A person is needed, or no longer."""
    if payload.message:
        state.run.attention[payload.code] = payload.message
    else:
        state.run.attention.pop(payload.code, None)


def finished(state: RunProjection, payload: events.Finished, event: Event) -> None:
    """The run ends: exhausted trials get their outcome, open ones are cancelled."""
    label = state.label()
    if not _may_become(state, end_of(label), event):
        return
    if (payload.label, payload.state) != (label, end_of(label)):
        state.note(event.kind, f"says {payload.state} and {payload.label}; the trials say {end_of(label)} and {label}")
        return
    if state.open_waves() or state.open_actions():
        state.note(event.kind, "a wave or an action is still open")
        return
    state.run.state, state.run.label = end_of(label), label
    for part, at in _each_unassigned(state, TRIAL_OPEN):
        is_exhausted = part.state[at] == _CODE[TrialState.EXHAUSTED]
        part.state[at] = _CODE[_due(part, at) if is_exhausted else TrialState.CANCELLED]


def consent_requested(state: RunProjection, payload: events.ConsentRequested, event: Event) -> None:
    """The requester is shown what would be published."""
    run = state.run
    if run.state not in RUN_TERMINAL or not run.needs_consent or run.shown_sha256:
        state.note(event.kind, f"a run that is {run.state} asks for no consent now")
        return
    run.shown_sha256, run.shown_publication = payload.shown_sha256, payload.publication_id
    run.consent_expires_at = payload.expires_at


def consent_given(state: RunProjection, payload: events.ConsentGiven, event: Event) -> None:
    """It is decided, once."""
    run = state.run
    is_waited_for = run.state in RUN_TERMINAL and run.needs_consent and not run.consent
    if not is_waited_for or payload.decision not in ({PUBLISH, PRIVATE} if run.shown_sha256 else {PRIVATE}):
        state.note(event.kind, "no consent is waited for")
        return
    run.consent, run.consent_by = payload.decision, payload.by


def withdraw_requested(state: RunProjection, payload: events.WithdrawRequested, event: Event) -> None:
    """What was published is to leave the ranking, once."""
    run = state.run
    if run.state not in RUN_TERMINAL or run.consent == PRIVATE or run.withdrawal is not None:
        state.note(event.kind, f"a run that is {run.state} has nothing to withdraw")
        return
    run.withdrawal = payload


_EXHAUSTED: Final = _CODE[TrialState.INFRASTRUCTURE_EXHAUSTED]


def _may_become(state: RunProjection, after: RunState, event: Event) -> bool:
    before = state.run.state
    if after in RUN_MOVES.get(before, frozenset()):
        return True
    state.note(event.kind, f"a run that is {before} does not become {after}")
    return False


def _covers(shards: tuple[tuple[int, int, int], ...], trials: int) -> bool:
    end = 0
    for cell, first, count in shards:
        if cell < 0 or first != end or count < 1:
            return False
        end += count
    return end == trials


def _each_unassigned(state: RunProjection, states: frozenset[TrialState]) -> list[tuple[TrialPart, int]]:
    return [(state.trials.part(index // PART), index % PART) for index in state.trials.unassigned(states)]


def _due(part: TrialPart, at: int) -> TrialState:
    category = part.category[at]
    return due_outcome(POLICY[CATEGORIES[category - 1]].outcome if category else None)
