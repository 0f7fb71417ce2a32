"""Taking a submit, and the approval that it may wait for.

A submit becomes a run at once if its actor may ask, its size and cost are within what is left of every quota, and it is small
enough to need nobody's approval. A larger one waits for a maintainer; the approval names the exact body, and everything is
resolved and judged again when it comes. What waits too long is refused.
"""

from runner.domain import limits
from runner.domain.control import events
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.envelope import Subject, utc_ms, utc_text
from runner.domain.control.events import Policy, TakenRequest
from runner.domain.control.projection.state import Asked as TakenBefore
from runner.usecases.journals.loading import run_subject
from runner.usecases.requests.request_body import RequestBody
from runner.usecases.requests.submissions import Resolved, resolve_submit
from runner.usecases.requests.taking import Taking
from shared.errors import Refused, StoreFault
from shared.ids import cell_id
from shared.inbox.codec import Actor, Request
from shared.inbox.quotas import limits_of, needs_approval, require_quota
from shared.inbox.rights import Standing, owner_of, require_right, standing_of
from shared.states import RunState

APPROVE = "approve"
REFUSE = "refuse"


def take_submit(draft: Draft, request: Request, taking: Taking) -> None:
    """Let the run in, or let it wait for approval; raise Refused with the reason why neither."""
    run, now_ms = draft.state.run, draft.situation.now_ms
    if run.state is not None or len(run.requests) > 1:
        # A journal that began with a refused request is closed; nothing would ever move the run on.
        raise Refused("RUN_EXISTS", "this run was submitted, or asked about, before", way_out="Submit again for a new run.")
    require_right(taking.access, "submit", request.actor)
    resolved = resolve_submit(draft.situation.run_id, request.actor, request.body, now_ms, taking)
    _require_room(draft, request.actor, resolved, taking)
    is_member = standing_of(taking.access, request.actor) is not Standing.ANYONE
    if not needs_approval(taking.limits, resolved.asked, is_member=is_member):
        _let_in(draft, request.actor, resolved, taking)
        return
    waits = events.ApprovalRequested(
        request_id=request.request_id,
        body_sha256=request.body_sha256,
        ceiling_usd_micros=resolved.asked.ceiling_usd_micros,
        trials=resolved.asked.trials,
        expires_at=utc_text(now_ms + limits.APPROVAL_WAIT_S * 1000),
        requested_by=request.actor.user_id,
        owner=owner_of(taking.access, request.actor),
        at_ms=now_ms,
    )
    draft.say("approval_requested", waits, draft.subject, request.request_id)


def take_approval(draft: Draft, request: Request, taking: Taking) -> None:
    """Let a waiting submit in, or end it, as a maintainer says; raise Refused with the reason why not."""
    run, body = draft.state.run, RequestBody(request.body)
    require_right(taking.access, "approve", request.actor)
    waiting = waiting_submit(draft)
    if waiting is None:
        raise Refused("NOT_WAITING", "no submit of this run waits for approval", way_out="`request list` shows what waits.")
    if (body.text("request_id"), body.text("body_sha256")) != (waiting.request_id, run.approval):
        raise Refused("REQUEST_CHANGED", "another request waits than the one that was looked at", way_out="Look at it again.")
    if body.word("verdict", APPROVE, REFUSE) == REFUSE:
        refuse_waiting(draft, "APPROVAL_REFUSED", body.text("reason") or "a maintainer refused it")
        return
    is_own = request.actor.user_id == run.requested_by
    if is_own and taking.limits.approvals != "single":
        raise Refused("SELF_APPROVAL", "another maintainer has to approve it", way_out="Ask one, or withdraw the request.")
    taken = _taken(draft, waiting.request_id, taking)
    actor = Actor(taken.user_id, taken.org_id, taken.role)
    require_right(taking.access, "submit", actor)
    resolved = resolve_submit(draft.situation.run_id, actor, taken.body, draft.situation.now_ms, taking)
    _require_room(draft, actor, resolved, taking)
    approved = events.Approved(
        request_id=waiting.request_id, body_sha256=run.approval, approver_user_id=request.actor.user_id, is_single=is_own
    )
    draft.say("approved", approved, draft.subject, request.request_id)
    _let_in(draft, actor, resolved, taking)


def waiting_submit(draft: Draft) -> TakenBefore | None:
    """Return the submit that waits for approval, if one does."""
    run = draft.state.run
    if run.state is not RunState.WAITING_APPROVAL:
        return None
    return next((asked for asked in run.requests.values() if asked.kind == "submit" and asked.body_sha256 == run.approval), None)


def refuse_waiting(draft: Draft, code: str, message: str) -> None:
    """End the submit that waits for approval."""
    waiting = waiting_submit(draft)
    if waiting is not None:
        refused = events.RequestRefused(request_id=waiting.request_id, code=code, message=message)
        draft.say("request_refused", refused, Subject("request", waiting.request_id), waiting.request_id)


def expire_waiting(draft: Draft) -> None:
    """End the submit whose time to be approved is over."""
    run = draft.state.run
    if waiting_submit(draft) is not None and draft.situation.now_ms >= utc_ms(run.approval_expires_at):
        refuse_waiting(draft, "APPROVAL_EXPIRED", "nobody approved it in time")


def _require_room(draft: Draft, actor: Actor, resolved: Resolved, taking: Taking) -> None:
    owner = owner_of(taking.access, actor)
    is_member = standing_of(taking.access, actor) is not Standing.ANYONE
    # Of an approval the run's own account is left out: it is judged as if it were asked for now.
    is_known = bool(draft.state.run.requested_by)
    others = taking.accounts.without({draft.situation.run_id}) if is_known else taking.accounts
    used = others.used(actor.user_id, owner, draft.situation.now_ms)
    require_quota(limits_of(taking.limits, is_member=is_member), used, resolved.asked)


def _let_in(draft: Draft, actor: Actor, resolved: Resolved, taking: Taking) -> None:
    head, lock, run_id = resolved.head, resolved.lock, draft.situation.run_id
    submitted = events.Submitted(
        plan_digest=lock.plan_digest,
        lock_sha256=lock.digest,
        trials=head.arithmetic.trials,
        shards=tuple((shard.cell, shard.first, shard.count) for shard in resolved.shards),
        policy=Policy(max_attempts=head.policy.max_attempts, hold_hours=draft.situation.hold_hours),
        requested_by=actor.user_id,
        cells=tuple(cell_id(run_id, cell.cell_digest) for cell in head.cells),
        ceiling_usd_micros=head.policy.max_spend_usd_micros,
        owner=owner_of(taking.access, actor),
        at_ms=draft.situation.now_ms,
        needs_consent=standing_of(taking.access, actor) is not Standing.MAINTAINER,
    )
    draft.say("submitted", submitted, draft.subject)
    draft.documents.append(lock.to_bytes())


def _taken(draft: Draft, request_id: str, taking: Taking) -> TakenRequest:
    """Return the submit as it was taken, from this pass or from the journal."""
    stored = (
        event for segment in taking.log.read(run_subject(draft.situation.run_id), 0, taking.version) for event in segment.events
    )
    for event in (*draft.events, *stored):
        if isinstance(event.payload, events.RequestTaken) and event.payload.request.request_id == request_id:
            return event.payload.request
    raise StoreFault("JOURNAL_GAP", f"the journal does not have request {request_id}", way_out="Restore the log from a copy.")
