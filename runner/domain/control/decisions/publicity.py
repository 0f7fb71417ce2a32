"""What becomes public of a run that has ended: its rows, a record that it was kept private, and later that it was withdrawn.

A maintainer's own run is published once it is complete. A requested one ends private: its requester is shown what would be
published, and nothing is before a consent; without an answer in time it stays private. Only complete runs (clean or degraded)
have anything to publish. Each step is a job, decided from what the results show, so a repeat finds its work done.
"""

from typing import Final

from runner.domain import limits
from runner.domain.control import events
from runner.domain.control.decisions.draft import KEEP_PRIVATE, PUBLISH, SHOW, WITHDRAW, Draft
from runner.domain.control.decisions.job_ends import open_action, settle_job
from runner.domain.control.decisions.seen import SeenRun
from runner.domain.control.envelope import utc_ms, utc_text
from runner.domain.control.projection.run_rules import PRIVATE
from shared.outcomes import Label

PUBLISHED_LABELS: Final = frozenset({Label.CLEAN, Label.DEGRADED})
BY_TIME: Final = "time"


def make_public(draft: Draft, seen: SeenRun) -> None:
    """Take a run that has ended as far as its requester and what was seen allow; close its journal when nothing is left."""
    run = draft.state.run
    if run.label not in PUBLISHED_LABELS:
        draft.is_closed = not draft.state.open_actions()
        return
    if run.needs_consent and not run.consent and not _is_decided(draft, seen):
        return
    if run.consent == PRIVATE:
        is_done = _do(draft, seen, KEEP_PRIVATE, is_done=seen.is_kept_private)
    else:
        is_done = _do(draft, seen, PUBLISH, is_done=bool(seen.publication_id), detail=seen.publication_id)
    if is_done and run.withdrawal is not None:
        is_done = _do(draft, seen, WITHDRAW, is_done=seen.is_withdrawn, detail=run.withdrawal.publication_id)
    draft.is_closed = draft.is_closed or is_done


def _is_decided(draft: Draft, seen: SeenRun) -> bool:
    """Show the requester what would be published and wait for an answer; time answers in the end."""
    run, now_ms = draft.state.run, draft.situation.now_ms
    if not run.shown_sha256:
        shown = seen.shown
        if _do(draft, seen, SHOW, is_done=shown is not None) and shown is not None:
            expires_at = utc_text(now_ms + limits.CONSENT_WAIT_S * 1000)
            asked = events.ConsentRequested(shown_sha256=shown.sha256, publication_id=shown.publication_id, expires_at=expires_at)
            draft.say("consent_requested", asked, draft.subject)
        return False
    if now_ms < utc_ms(run.consent_expires_at):
        return False
    draft.say("consent_given", events.ConsentGiven(decision=PRIVATE, by=BY_TIME), draft.subject)
    return True


def _do(draft: Draft, seen: SeenRun, target: str, *, is_done: bool, detail: str = "") -> bool:
    """Have the job `target` done, once; tell whether the results show its work and its action is closed."""
    action = open_action(draft, target)
    if is_done:
        if action is not None:
            draft.end_action(action, "applied", detail)
        return True
    if action is not None:
        settle_job(draft, action, seen.jobs.get(action.action_id, ()))
    elif draft.state.run.generations.get(f"job_submit {target}", 0) <= limits.ACTION_RETRIES:
        draft.reserve_job(target)
    else:
        draft.ask_attention(f"{target}_failed", f"the job {target} ended without its result; its log says why")
        draft.is_closed = target != SHOW
    return False
