"""The end of a run: drain when no work is left, seal its evidence, finish; what becomes public of it then is publicity's.

Sealing is a job like waves: reserved, started, read from the world. A run is finished only when its root is sealed.
"""

from typing import Final

from runner.domain import limits
from runner.domain.control import events
from runner.domain.control.decisions.draft import SEAL, Draft
from runner.domain.control.decisions.job_ends import open_action, settle_job
from runner.domain.control.decisions.publicity import make_public
from runner.domain.control.decisions.seen import SeenRun
from runner.domain.control.decisions.waves import is_blocked
from runner.domain.control.envelope import utc_ms
from runner.domain.control.projection.run_rules import end_of
from runner.domain.control.projection.state import ASSIGNABLE
from shared.states import RUN_TERMINAL, RunState, TrialState

HOUR_MS: Final = 3_600_000


def end_run(draft: Draft, seen: SeenRun) -> None:
    """Take the run as far towards its end as what was seen allows."""
    run = draft.state.run
    if run.state in {RunState.QUEUED, RunState.ACTIVE, RunState.CANCEL_REQUESTED} and not _has_work(draft):
        draft.say("draining", events.Draining(), draft.subject, run.seq)
    if run.state is RunState.DRAINING and not _is_on_hold(draft):
        _seal(draft, seen)
    if run.state in RUN_TERMINAL:
        make_public(draft, seen)


def _has_work(draft: Draft) -> bool:
    if draft.state.open_waves():
        return True
    if draft.state.run.is_cancel_requested or is_blocked(draft):
        return False
    return next(draft.state.trials.unassigned(ASSIGNABLE), None) is not None


def _is_on_hold(draft: Draft) -> bool:
    """Tell whether exhausted or unstarted trials still wait for a person to retry them."""
    run = draft.state.run
    counts = draft.state.trials.counts()
    is_incomplete = counts[TrialState.EXHAUSTED] or any(counts[state] for state in ASSIGNABLE)
    if run.is_cancel_requested or not is_incomplete:
        return False
    return draft.situation.now_ms < utc_ms(run.drains_since) + draft.situation.hold_hours * HOUR_MS


def _seal(draft: Draft, seen: SeenRun) -> None:
    action = open_action(draft, SEAL)
    if action is None:
        if draft.state.run.generations.get(f"job_submit {SEAL}", 0) <= limits.ACTION_RETRIES:
            draft.reserve_job(SEAL)
        else:
            draft.ask_attention("seal_failed", "the run's evidence could not be sealed; the log of its job says why")
        return
    if seen.is_root_sealed:
        draft.end_action(action, "applied")
        _finish(draft)
    else:
        settle_job(draft, action, seen.jobs.get(action.action_id, ()))


def _finish(draft: Draft) -> None:
    label = draft.state.label()
    counts = {state.value: count for state, count in draft.state.trials.counts().items() if count}
    finished = events.Finished(state=end_of(label).value, label=label.value, counts=counts)
    draft.say("finished", finished, draft.subject)
