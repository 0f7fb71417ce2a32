"""Taking what is decided about a run that has ended: whether it is published, and whether what was published is withdrawn.

Only its requester lets a requested run out, and only after seeing exactly what would be published. Its requester and any
maintainer may keep it private, or withdraw it later.
"""

from runner.domain.control import events
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.publicity import PUBLISHED_LABELS
from runner.domain.control.projection.run_rules import PRIVATE, PUBLISH
from runner.usecases.requests.request_body import RequestBody
from runner.usecases.requests.taking import Taking
from shared.errors import BadInput, Refused
from shared.inbox.codec import Request
from shared.inbox.rights import require_right

REQUESTER = "requester"
MAINTAINER = "maintainer"
MAX_REASON = 300


def take_consent(draft: Draft, request: Request, taking: Taking) -> None:
    """Record the decision; raise Refused if it is not the actor's, not waited for, or about other rows."""
    run, body = draft.state.run, RequestBody(request.body)
    by = _decider(draft, request, taking)
    decision = body.word("decision", PUBLISH, PRIVATE)
    if decision == PUBLISH and by != REQUESTER:
        raise Refused("request.not_owner", "only its requester publishes a requested run", way_out="Ask its requester.")
    if not run.needs_consent or run.consent or run.label not in PUBLISHED_LABELS:
        what = f"it was decided: {run.consent}" if run.consent else "nothing of this run waits for a consent"
        raise Refused("NOT_WAITING", what, way_out="`run status RUN` says what it waits for.")
    if decision == PUBLISH and (not run.shown_sha256 or body.text("shown_sha256") != run.shown_sha256):
        raise Refused("request.changed", "these are not the rows that would be published", way_out="Look at them again.")
    given = events.ConsentGiven(decision=decision, by=by, request_id=request.request_id, user_id=request.actor.user_id)
    draft.say("consent_given", given, draft.subject)


def take_withdrawal(draft: Draft, request: Request, taking: Taking, publication_id: str) -> None:
    """Record that the publication is to be withdrawn; asking again says nothing."""
    run, body = draft.state.run, RequestBody(request.body)
    by = _decider(draft, request, taking)
    reason = " ".join(taking.redactor.redact_text(body.text("reason")).split())[:MAX_REASON]
    if not reason or not reason.isprintable():
        raise BadInput(
            "REQUEST_INVALID",
            "a withdrawal has a reason, which is published",
            field="body.reason",
            way_out="Say in a line why it is withdrawn.",
        )
    if not publication_id:
        raise Refused("NOT_PUBLISHED", "this run is not published", way_out="`results list` shows what is.")
    if body.text("publication_id") != publication_id:
        raise Refused("request.changed", f"the run is published as {publication_id}", way_out="Look at it again.")
    if run.withdrawal is not None:
        return
    asked = events.WithdrawRequested(
        request_id=request.request_id,
        publication_id=publication_id,
        reason=reason,
        user_id=request.actor.user_id,
        by=by,
        at_ms=draft.situation.now_ms,
    )
    draft.say("withdraw_requested", asked, draft.subject)


def _decider(draft: Draft, request: Request, taking: Taking) -> str:
    run = draft.state.run
    if run.state is None:
        raise Refused("NOT_FOUND", "there is no such run", way_out="`run list` shows the runs.")
    require_right(taking.access, request.kind, request.actor, run.requested_by)
    return REQUESTER if request.actor.user_id == run.requested_by else MAINTAINER
