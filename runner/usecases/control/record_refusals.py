"""Recording that a job was refused: the one outcome that no read would show, so it costs a commit of its own after the calls."""

from collections.abc import Mapping, Sequence

from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.refused_jobs import refuse_job
from runner.domain.control.decisions.seen import Situation
from runner.domain.yields import declare, reach
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.control_log import Head
from runner.usecases.control.pass_world import PassWorld
from runner.usecases.control.perform_actions import Refusal
from runner.usecases.journals.commits import commit_decision
from runner.usecases.journals.loading import load_run

BEFORE_REFUSALS = declare("pass.before_refusals", "the pass, a job was refused, the log does not say so yet")


def record_refusals(
    refused: Mapping[str, Sequence[Refusal]], situations: Mapping[str, Situation], world: PassWorld
) -> dict[str, Draft]:
    """Commit that the jobs of `refused`, by run, will never start; return what was said of each run.

    A pass that dies before it leaves the actions reserved: they are tried again once the world shows no job for them, and
    refused again.
    """
    said: dict[str, Draft] = {}
    if not refused:
        return said
    reach(BEFORE_REFUSALS)

    def decide(head: Head) -> Batch:
        said.clear()
        for run_id, some in refused.items():
            draft = Draft(load_run(world.log, run_id, head.version), situations[run_id])
            for action_id, answer in some:
                refuse_job(draft, action_id, answer.code, answer.message)
            said[run_id] = draft
        appends = {draft.subject: draft.events for draft in said.values()}
        return make_batch(appends, parent=head.version, nonce=world.chance.uuid7().hex)

    commit_decision(world.log, decide, clock=world.clock, chance=world.chance)
    return said
