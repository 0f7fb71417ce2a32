"""What people ask about a run that exists, and a hold: cancel, approve, consent, withdraw, hold.

Each is drafted from what stands now and checked again when it is confirmed. The pass that takes it judges anew.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from shared.documents.document import read_json
from shared.errors import Refused
from shared.inbox.codec import RequestSubject
from shared.inbox.rights import require_right
from shared.states import RUN_TERMINAL
from space.auth.people import Person
from space.requests.desk import Desk
from space.requests.fields import Fields
from space.requests.run_seen import RunSeen, see_run
from space.requests.ticket import Draft

KINDS: Final = ("cancel", "approve", "consent", "withdraw", "hold")
FIELDS: Final = frozenset({"kind", "run_id", "reason", "verdict", "decision", "switch", "now"})
INSTALLATION: Final = RequestSubject("installation", "installation")
_TERMINAL: Final = frozenset(state.value for state in RUN_TERMINAL)


def draft_decision(desk: Desk, person: Person, fields: Fields) -> Draft:
    """Return the request that the form asks for, checked; raise BadInput or Refused with what stands in the way."""
    kind = fields.word("kind", *KINDS)
    reason = " ".join(fields.text("reason").split())
    if kind == "hold":
        draft = _draft(kind, INSTALLATION, {"switch": fields.word("switch", "on", "off"), "reason": reason})
    else:
        seen = see_run(desk, person, fields.text("run_id"))
        draft = _draft(kind, RequestSubject("run", seen.run_id), _BODIES[kind](seen, fields, reason))
    require_decidable(desk, person, draft)
    return draft


def require_decidable(desk: Desk, person: Person, draft: Draft) -> None:
    """Raise Refused if `person` may not ask this, or if it is about something else than what stands now."""
    body: dict[str, Any] = read_json(draft.body.encode(), what="the body", code="REQUEST_INVALID")
    if draft.kind == "hold":
        require_right(desk.access, draft.kind, person.actor)
        return
    seen = see_run(desk, person, draft.subject.id)
    require_right(desk.access, draft.kind, person.actor, person.user_id if seen.is_own else "")
    _CHECKS[draft.kind](desk, person, seen, body)


def _draft(kind: str, subject: RequestSubject, body: dict[str, Any]) -> Draft:
    return Draft(kind, subject, json.dumps(body, sort_keys=True, separators=(",", ":")))


def _cancel_body(_seen: RunSeen, fields: Fields, reason: str) -> dict[str, Any]:
    return {"reason": reason, "now": fields.text("now") == "yes"}


def _approve_body(seen: RunSeen, fields: Fields, reason: str) -> dict[str, Any]:
    waiting = seen.status.waiting_approval if seen.status else None
    verdict = fields.word("verdict", "approve", "refuse")
    named = {"request_id": waiting.request_id, "body_sha256": waiting.body_sha256} if waiting else {}
    return {**named, "verdict": verdict, "reason": reason}


def _consent_body(seen: RunSeen, fields: Fields, _reason: str) -> dict[str, Any]:
    consent = seen.status.consent if seen.status else None
    decision = fields.word("decision", "publish", "private")
    return {"decision": decision, "shown_sha256": consent.shown_sha256 if consent else ""}


def _withdraw_body(seen: RunSeen, _fields: Fields, reason: str) -> dict[str, Any]:
    return {"publication_id": seen.status.publication_id if seen.status else "", "reason": reason}


def _check_cancel(_desk: Desk, _person: Person, seen: RunSeen, _body: dict[str, Any]) -> None:
    if seen.status is not None and seen.status.state in _TERMINAL:
        raise Refused("RUN_TERMINAL", f"the run has ended as {seen.status.state}", way_out="Nothing is left to cancel.")


def _check_approve(desk: Desk, person: Person, seen: RunSeen, body: dict[str, Any]) -> None:
    waiting = seen.status.waiting_approval if seen.status else None
    if waiting is None:
        raise Refused("NOT_WAITING", "no submit of this run waits for approval")
    if (body.get("request_id"), body.get("body_sha256")) != (waiting.request_id, waiting.body_sha256):
        raise Refused("request.changed", "another request waits than the one that was looked at", way_out="Look at it again.")
    is_single = desk.status.installation().limits.approvals == "single"
    if seen.is_own and body.get("verdict") == "approve" and not is_single:
        raise Refused("SELF_APPROVAL", "another maintainer has to approve it", way_out="Ask one.")
    del person


def _check_consent(desk: Desk, _person: Person, seen: RunSeen, body: dict[str, Any]) -> None:
    consent = seen.status.consent if seen.status else None
    if body.get("decision") == "publish" and not seen.is_own:
        raise Refused("request.not_owner", "only its requester publishes a requested run", way_out="Ask its requester.")
    if consent is None or consent.decision:
        raise Refused("NOT_WAITING", f"it was decided: {consent.decision}" if consent else "nothing waits for a consent")
    shown = desk.status.shown(seen.run_id)
    is_shown = shown is not None and shown.digest == consent.shown_sha256 == body.get("shown_sha256")
    if body.get("decision") == "publish" and not is_shown:
        raise Refused("request.changed", "these are not the rows that would be published", way_out="Look at them again.")


def _check_withdraw(_desk: Desk, _person: Person, seen: RunSeen, body: dict[str, Any]) -> None:
    publication = seen.status.publication_id if seen.status else ""
    if not publication:
        raise Refused("NOT_PUBLISHED", "this run is not published")
    if body.get("publication_id") != publication:
        raise Refused("request.changed", f"the run is published as {publication}", way_out="Look at it again.")
    if not body.get("reason"):
        raise Refused("REQUEST_INVALID", "a withdrawal has a reason, which is published", field="reason")


_BODIES: Final[dict[str, Callable[[RunSeen, Fields, str], dict[str, Any]]]] = {
    "cancel": _cancel_body,
    "approve": _approve_body,
    "consent": _consent_body,
    "withdraw": _withdraw_body,
}
_CHECKS: Final[dict[str, Callable[[Desk, Person, RunSeen, dict[str, Any]], None]]] = {
    "cancel": _check_cancel,
    "approve": _check_approve,
    "consent": _check_consent,
    "withdraw": _check_withdraw,
}
