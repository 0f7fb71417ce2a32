"""Forgetting old jobs: what the jobs port keeps of a job goes some time after it has ended and the log has its outcome.

A job is kept while its action is open in a journal, while it is young enough for a person to read its log, and while nothing is
known of its run. Called at the end of a pass.
"""

from collections.abc import Iterable, Mapping, Sequence

from runner.domain import limits
from runner.domain.control.projection.state import RunProjection
from runner.ports.compute.jobs import TERMINAL_STAGES, Jobs, JobView


def forget_jobs(
    views: Sequence[JobView], states: Mapping[str, RunProjection], opened: Iterable[str], jobs: Jobs, now_ms: int
) -> int:
    """Forget what may go of `views`; `states` are the runs that this pass decided about, `opened` all that are open.

    Returns how many were forgotten, at most MAX_ACTIONS.
    """
    unknown = frozenset(opened) - states.keys()
    busy = {action.action_id for state in states.values() for action in state.open_actions()}
    old = [
        view.job_id
        for view in views
        if view.stage in TERMINAL_STAGES
        and now_ms - view.created_ms > (limits.JOB_KEPT_S + view.timeout_s) * 1000
        and view.run_id not in unknown
        and view.action_id not in busy
    ][: limits.MAX_ACTIONS]
    for job_id in old:
        jobs.forget(job_id)
    return len(old)
