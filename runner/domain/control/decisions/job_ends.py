"""When the job of an action that is no wave's has ended: what the world shows of it, and whether it is tried again."""

from runner.domain import limits
from runner.domain.control.decisions.draft import Cancel, Draft
from runner.domain.control.decisions.seen import SeenJob
from runner.domain.control.projection.state import Action
from shared.states import ActionState


def settle_job(draft: Draft, action: Action, jobs: tuple[SeenJob, ...]) -> None:
    """End an action whose job is gone without having done its work, or try again to start one that never came to be."""
    alive = [job for job in jobs if not job.is_ended]
    if alive:
        draft.cancels.extend(Cancel(job.job_id, is_killed=True) for job in alive if job.is_overdue)
        return
    is_settled = draft.situation.is_settled(action)
    if jobs and (is_settled or action.state is ActionState.CLAIMED):
        draft.end_action(action, "applied", "its job ended without the result")
    elif is_settled and action.tries <= limits.ACTION_RETRIES:
        draft.retry_job(action)
    elif is_settled:
        draft.end_action(action, "absent", "no job ever started")


def open_action(draft: Draft, target: str) -> Action | None:
    """Return the open action that works towards `target`, if there is one."""
    return next((action for action in draft.state.open_actions() if action.target == target), None)
