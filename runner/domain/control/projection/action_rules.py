"""How an action moves, and what it holds: a slot until it is closed, its ceiling until its cost is settled.

A generation rises only after a recorded end, so one target has at most one open action per verb; a claim is won once. Called by
the fold.
"""

from typing import Final

from runner.domain import limits
from runner.domain.control import events
from runner.domain.control.envelope import Event
from runner.domain.control.projection.state import Action, RunProjection
from shared.states import ACTION_MOVES, ActionState

JOB_SUBMIT: Final = "job_submit"
HOUR_MS: Final = 3_600_000
_RESULTS = frozenset({"applied", "refused", "absent"})


def reserved(state: RunProjection, payload: events.ActionReserved, event: Event) -> None:
    """The action may be performed."""
    run, target = state.run, f"{payload.verb} {payload.target}"
    newest = run.generations.get(target, 0)
    is_open = any(
        (action.verb, action.target) == (payload.verb, payload.target) and action.state is not ActionState.CLOSED
        for action in run.actions.values()
    )
    if payload.generation != newest + 1 or payload.action_id in run.actions or is_open:
        state.note(event.kind, f"generation {payload.generation} of {target} does not follow the end of {newest}")
        return
    run.generations[target] = payload.generation
    run.actions[payload.action_id] = Action(
        action_id=payload.action_id,
        verb=payload.verb,
        target=payload.target,
        generation=payload.generation,
        state=ActionState.RESERVED,
        performer=payload.performer,
        perform_by_ms=payload.perform_by_ms,
        reserved_on=event.observed_at[:10],
        ceiling_usd_micros=payload.ceiling_usd_micros,
        is_settled=payload.ceiling_usd_micros == 0,
        owner=payload.owner,
        wave_id=payload.wave_id,
        lease_generation=payload.lease_generation,
    )
    _count_start(state, payload.verb, payload.perform_by_ms)


def retried(state: RunProjection, payload: events.ActionRetried, event: Event) -> None:
    """The next try at a reserved action."""
    action = _action(state, payload.action_id, ActionState.RESERVED, event)
    if action is None:
        return
    if payload.try_number != action.tries + 1 or action.tries > limits.ACTION_RETRIES:
        state.note(event.kind, f"try {payload.try_number} does not follow {action.tries} of at most {limits.ACTION_RETRIES + 1}")
        return
    action.tries = payload.try_number
    action.performer, action.perform_by_ms = payload.performer, payload.perform_by_ms
    _count_start(state, action.verb, payload.perform_by_ms)


def claimed(state: RunProjection, payload: events.ActionClaimed, event: Event) -> None:
    """One worker won the right to start; after a cancel no wave starts, while sealing and publishing end what is left."""
    action = _action(state, payload.action_id, ActionState.CLAIMED, event)
    if action is None:
        return
    if state.run.is_cancel_requested and action.wave_id:
        state.note(event.kind, "the run was cancelled before the claim")
        return
    action.state, action.job = ActionState.CLAIMED, payload.job


def observed(state: RunProjection, payload: events.ActionObserved, event: Event) -> None:
    """Reading the world told how the action ended."""
    action = _action(state, payload.action_id, ActionState.OBSERVED, event)
    if action is None:
        return
    if payload.result not in _RESULTS:
        state.note(event.kind, f"unknown result {payload.result!r}")
        return
    action.state, action.result, action.detail = ActionState.OBSERVED, payload.result, payload.detail


def closed(state: RunProjection, payload: events.ActionClosed, event: Event) -> None:
    """The slot is free."""
    action = _action(state, payload.action_id, ActionState.CLOSED, event)
    if action is None:
        return
    action.state = ActionState.CLOSED
    _forget(state, action)


def spend_settled(state: RunProjection, payload: events.SpendSettled, event: Event) -> None:
    """The cost takes the ceiling's place."""
    action = state.run.actions.get(payload.action_id)
    if action is None or action.is_settled:
        state.note(event.kind, f"action {payload.action_id} has no ceiling to settle")
        return
    key = f"{action.owner} {action.reserved_on}"
    state.run.settled[key] = state.run.settled.get(key, 0) + payload.settled_usd_micros
    action.is_settled = True
    _forget(state, action)


def spend_overrun(state: RunProjection, payload: events.SpendOverrun, _event: Event) -> None:
    """The run admits no more."""
    state.run.is_overrun = True
    state.run.attention["spend_overrun"] = f"{payload.action_id}: {payload.settled_usd_micros} of {payload.ceiling_usd_micros}"


def _action(state: RunProjection, action_id: str, after: ActionState, event: Event) -> Action | None:
    action = state.run.actions.get(action_id)
    if action is None:
        state.note(event.kind, f"action {action_id} is not open")
    elif after not in ACTION_MOVES.get(action.state, frozenset()):
        state.note(event.kind, f"an action that is {action.state} does not become {after}")
    else:
        return action
    return None


def _count_start(state: RunProjection, verb: str, at_ms: int) -> None:
    """Remember a job start while it counts against the hourly limit."""
    if verb == JOB_SUBMIT:
        state.run.starts = (*(each for each in state.run.starts if at_ms - each < HOUR_MS), at_ms)


def _forget(state: RunProjection, action: Action) -> None:
    if action.state is ActionState.CLOSED and action.is_settled:
        del state.run.actions[action.action_id]
