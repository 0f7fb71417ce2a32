"""Claiming an action that is not a wave's: one commit decides which job may do it."""

from typing import Final

from runner.domain.control import events
from runner.domain.control.envelope import Subject, derived_event_id
from runner.domain.control.kinds import record
from runner.domain.control.projection.fold import fold_strictly
from runner.domain.yields import declare, reach
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.clock import Chance, Clock
from runner.ports.state.control_log import ControlLog, Head
from runner.usecases.journals.commits import commit_decision
from runner.usecases.journals.loading import load_run, run_subject
from shared.errors import Conflict
from shared.ids import ActionId, RunId
from shared.states import ActionState

BEFORE_CLAIM: Final = declare("job.before_claim", "a sealing or publishing job, just started, nothing is claimed")
AFTER_CLAIM: Final = declare("job.after_claim", "a sealing or publishing job, its claim is in the log, nothing is done")


def claim_action(run_id: RunId, action_id: ActionId, job: str, *, log: ControlLog, clock: Clock, chance: Chance) -> None:
    """Claim `action_id` for `job`; raise Conflict CLAIM_LOST if it is not open or another job has it."""
    reach(BEFORE_CLAIM)

    def decide(head: Head) -> Batch:
        state = load_run(log, run_id, head.version)
        action = state.run.actions.get(action_id)
        if action is None or action.state is not ActionState.RESERVED:
            raise Conflict("CLAIM_LOST", f"action {action_id} is not open for a claim", way_out="Nothing: another job has it.")
        event = record(
            "action_claimed",
            events.ActionClaimed(action_id=action_id, job=job),
            about=Subject("action", action_id),
            event_id=derived_event_id("action_claimed", run_subject(run_id), action_id),
            at_ms=clock.now_ms(),
            producer="job",
            because=(action_id,),
        )
        fold_strictly(state, event)
        return make_batch({run_subject(run_id): [event]}, parent=head.version, nonce=job, commit_class="claim")

    commit_decision(log, decide, clock=clock, chance=chance)
    reach(AFTER_CLAIM)
