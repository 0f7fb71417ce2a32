"""Claiming a wave: one commit decides which worker may start it; everybody else exits 8 before anything was started."""

from dataclasses import dataclass
from typing import Final

from runner.domain.control import events
from runner.domain.control.envelope import Event, Payload, Subject, derived_event_id
from runner.domain.control.kinds import record
from runner.domain.control.projection.fold import fold_strictly
from runner.domain.control.projection.state import RunProjection
from runner.domain.yields import declare, reach
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.control_log import Head
from runner.usecases.journals.commits import commit_decision
from runner.usecases.journals.loading import load_lock, load_plan, load_run, run_subject
from runner.usecases.runs.wave_world import Assigned, WaveClaim, WaveWorld
from shared.errors import Conflict
from shared.ids import ActionId, RunId, WaveId
from shared.states import ActionState

BEFORE_CLAIM: Final = declare("wave.before_claim", "a wave worker, just started, nothing is claimed")
AFTER_CLAIM: Final = declare("wave.after_claim", "a wave worker, its claim is in the log, no attempt has begun")
PRODUCER: Final = "wave"


@dataclass(frozen=True, slots=True)
class _Ids:
    run_id: RunId
    action_id: ActionId
    wave_id: WaveId


def claim_wave(run_id: RunId, action_id: ActionId, wave_id: WaveId, world: WaveWorld) -> WaveClaim:
    """Return the claimed wave; raise Conflict CLAIM_DENIED or CLAIM_LOST."""
    ids = _Ids(run_id, action_id, wave_id)
    reach(BEFORE_CLAIM)

    def decide(head: Head) -> Batch:
        state = load_run(world.log, run_id, head.version)
        _require_claimable(state, ids)
        claim = _claim_events(ids, world)
        for event in claim:
            fold_strictly(state, event)
        return make_batch(
            {run_subject(run_id): claim},
            parent=head.version,
            nonce=world.job_id,
            commit_class="claim",
        )

    commit_decision(world.log, decide, clock=world.clock, chance=world.chance)
    reach(AFTER_CLAIM)
    state = load_run(world.log, run_id, world.log.head().version)
    return _claimed(state, ids, world)


def _require_claimable(state: RunProjection, ids: _Ids) -> None:
    action = state.run.actions.get(ids.action_id)
    wave = state.run.waves.get(ids.wave_id)
    if action is None or wave is None or action.state is not ActionState.RESERVED:
        raise Conflict("CLAIM_LOST", f"action {ids.action_id} is not open for a claim", way_out="Nothing: another job has it.")
    if state.run.is_cancel_requested:
        raise Conflict("CLAIM_DENIED", f"run {ids.run_id} was cancelled", way_out="Nothing: no work is left.")


def _claim_events(ids: _Ids, world: WaveWorld) -> list[Event]:
    action, wave = Subject("action", ids.action_id), Subject("wave", ids.wave_id)
    at_ms, because = world.clock.now_ms(), (ids.action_id,)

    def make(kind: str, payload: Payload, about: Subject) -> Event:
        event_id = derived_event_id(kind, run_subject(ids.run_id), ids.action_id, ids.wave_id)
        return record(kind, payload, about=about, event_id=event_id, at_ms=at_ms, producer=PRODUCER, because=because)

    moved = events.WaveMoved(wave_id=ids.wave_id)
    return [
        make("action_claimed", events.ActionClaimed(action_id=ids.action_id, job=world.job_id), action),
        make("provisioned", moved, wave),
        make("ready", moved, wave),
        make("started", events.WaveStarted(wave_id=ids.wave_id, job=world.job_id), wave),
    ]


def _claimed(state: RunProjection, ids: _Ids, world: WaveWorld) -> WaveClaim:
    run, wave = state.run, state.run.waves[ids.wave_id]
    assigned = [
        Assigned(index, ordinal, allowed, state.trials.trial(index).failures)
        for first, count, ordinal, allowed in wave.ranges
        for index in range(first, first + count)
    ]
    return WaveClaim(
        run_id=ids.run_id,
        wave_id=ids.wave_id,
        action_id=ids.action_id,
        number=wave.number,
        head=load_plan(world.objects, run.plan_digest),
        lock=load_lock(world.log, run.lock_sha256),
        assigned=tuple(assigned),
        max_attempts=run.policy.max_attempts,
    )
