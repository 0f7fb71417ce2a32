"""Performing what a commit reserved: ends of jobs first, then starts, each while it may still be performed, and not too many.

What is left over is no loss: an end is decided again by the next pass, a start is tried again once the world shows no job for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from runner.domain import limits
from runner.domain.control.decisions.draft import PUBLISHING_TARGETS, SEAL, Draft, Submit
from runner.domain.pace import Pace
from runner.domain.yields import declare, reach
from runner.ports.compute.jobs import JobKind, JobRefused, Jobs, JobSpec
from runner.ports.state.clock import Clock
from shared.documents.plan import PlanHead
from shared.ids import ActionId

BEFORE_CALL: Final = declare("pass.before_call", "the pass, reserved and committed, the effect is not performed")
AFTER_CALL: Final = declare("pass.after_call", "the pass, the effect is performed, nothing more is")


class Performing(NamedTuple):
    """Where effects go, and since when (monotonic) the reservations count."""

    jobs: Jobs
    clock: Clock
    pace: Pace
    since_s: float


class Refusal(NamedTuple):
    """An action whose job the provider will never start."""

    action_id: ActionId
    answer: JobRefused


@dataclass
class Performed:
    """Jobs that were ended and targets that were started; `refused`, by run, what will never have a job."""

    submitted: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    refused: dict[str, list[Refusal]] = field(default_factory=dict)


def perform_actions(drafts: Mapping[str, Draft], plans: Mapping[str, PlanHead | None], performing: Performing) -> Performed:
    """Perform up to MAX_ACTIONS of what was decided."""
    done, jobs = Performed(), performing.jobs
    for cancel in [each for draft in drafts.values() for each in draft.cancels][: limits.MAX_ACTIONS]:
        reach(BEFORE_CALL)
        (jobs.kill if cancel.is_killed else jobs.cancel)(cancel.job_id)
        reach(AFTER_CALL)
        done.cancelled.append(cancel.job_id)
    starts = [(run_id, submit) for run_id, draft in drafts.items() for submit in draft.submits]
    for run_id, submit in starts[: limits.MAX_ACTIONS - len(done.cancelled)]:
        reach(BEFORE_CALL)
        if performing.clock.monotonic_s() - performing.since_s >= performing.pace.perform_s:
            break  # Too late to act on these promises: a later pass reads the world and goes on.
        answer = jobs.submit(_spec(run_id, submit, plans[run_id]))
        reach(AFTER_CALL)
        done.submitted.append(submit.target)
        if isinstance(answer, JobRefused):
            done.refused.setdefault(run_id, []).append(Refusal(ActionId(submit.action_id), answer))
    return done


def _spec(run_id: str, submit: Submit, plan: PlanHead | None) -> JobSpec:
    is_publishing = submit.target in PUBLISHING_TARGETS
    kind = JobKind.SEALING if submit.target == SEAL else JobKind.PUBLISHING if is_publishing else JobKind.WAVE
    timeout_s = plan.runtime.job.timeout_seconds if plan is not None else limits.CALL_TIMEOUT_S
    return JobSpec(kind, ActionId(submit.action_id), run_id, submit.target, timeout_s)
