"""Side effects as promises: reserve, perform, observe, close; and who may act when.

An action's id follows from its subject, verb, target and generation, so the same decision is the same action however often it is
made. Its performer acts only until `perform_by`; everybody else holds the outcome unknown until then plus the time that a call
and a listing may take, reads the world, and only then commits the next try. Called by decisions, workers and the pass.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from runner.domain import limits
from runner.domain.control.envelope import Subject
from runner.domain.control.events import ActionReserved
from runner.domain.control.projection.state import Action, Run
from shared.errors import Conflict
from shared.ids import action_id
from shared.states import ActionState, RunState

BILLABLE_VERBS: Final = frozenset({"endpoint_create", "endpoint_resume", "job_submit"})
CLEANUP_VERBS: Final = frozenset({"endpoint_pause", "endpoint_delete", "job_cancel"})
VERBS: Final = BILLABLE_VERBS | CLEANUP_VERBS | {"publish"}


class Promise(NamedTuple):
    """What a decision wants done."""

    verb: str
    target: str
    ceiling_usd_micros: int = 0
    owner: str = ""
    wave_id: str = ""


def reserve(
    subject: Subject,
    generations: dict[str, int],
    wanted: Promise,
    *,
    performer: str,
    now_ms: int,
    perform_s: float = limits.PASS_DEADLINE_S,
    lease_generation: int = 0,
) -> ActionReserved:
    """Return the reservation of the next generation of `wanted`; `now_ms` is the store's time."""
    if wanted.verb not in VERBS:
        raise ValueError(f"unknown verb {wanted.verb!r}; it is one of {', '.join(sorted(VERBS))}")
    generation = generations.get(f"{wanted.verb} {wanted.target}", 0) + 1
    return ActionReserved(
        action_id=action_id(subject.id, wanted.verb, wanted.target, generation),
        verb=wanted.verb,
        target=wanted.target,
        generation=generation,
        performer=performer,
        perform_by_ms=now_ms + int(perform_s * 1000),
        ceiling_usd_micros=wanted.ceiling_usd_micros,
        lease_generation=lease_generation,
        wave_id=wanted.wave_id,
        owner=wanted.owner,
    )


def is_readable(action: Action, now_ms: int) -> bool:
    """Tell whether what the action led to can be read by now: nothing of its performer can still be on its way.

    Before that, an effect that is not seen is unknown, not absent.
    """
    settle_s = limits.CALL_TIMEOUT_S + limits.VISIBILITY_S
    return now_ms >= action.perform_by_ms + settle_s * 1000


def may_retry(action: Action) -> bool:
    """Tell whether one more try may be committed after the world was read."""
    return action.state is ActionState.RESERVED and action.tries <= limits.ACTION_RETRIES


def is_current(action: Action, run: Run) -> bool:
    """Tell whether no later generation of the same verb and target was reserved."""
    return run.generations.get(f"{action.verb} {action.target}") == action.generation


def check_claim(run: Run, wanted: str, job: str) -> Action:
    """Return the action `wanted` if `job` may claim it now.

    Raises CLAIM_LOST if another job holds it, CLAIM_DENIED if it is closed, superseded or its run was cancelled. A job that holds
    the claim already gets it again.
    """
    action = run.actions.get(wanted)
    if action is None or action.state in {ActionState.OBSERVED, ActionState.CLOSED} or not is_current(action, run):
        raise Conflict("CLAIM_DENIED", f"action {wanted} is not open", way_out="This job ends; nothing was started.")
    if run.is_cancel_requested or run.state not in {RunState.QUEUED, RunState.ACTIVE}:
        raise Conflict("CLAIM_DENIED", f"the run is {run.state}", way_out="This job ends; nothing was started.")
    if action.state is ActionState.CLAIMED and action.job != job:
        raise Conflict("CLAIM_LOST", f"job {action.job} holds action {wanted}", way_out="This job ends; the other works.")
    return action


def starts_in_last_hour(reserved_ms: Iterable[int], now_ms: int) -> int:
    """Return how many of the job starts at `reserved_ms` count against the hourly limit now."""
    return sum(now_ms - at_ms < 3_600_000 for at_ms in reserved_ms)
