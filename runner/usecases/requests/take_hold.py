"""Taking a hold: new billable work waits in the whole installation, cleanup goes on; the switch stands in its own journal."""

from runner.domain.control import events
from runner.domain.control.envelope import Event, Payload, Subject, derived_event_id
from runner.domain.control.installation import INSTALLATION, Installation, take_event
from runner.domain.control.kinds import record
from runner.usecases.requests.request_body import MAX_TOLD, RequestBody
from shared.errors import SeawallError
from shared.inbox.codec import Request
from shared.inbox.rights import Access, require_right


def take_hold(request: Request, installation: Installation, access: Access, at_ms: int) -> list[Event]:
    """Return what taking `request` says in the installation's journal, which `installation` then knows; once per request."""
    if request.request_id in installation.taken:
        return []
    actor = request.actor
    taken = events.TakenRequest(
        request_id=request.request_id,
        kind=request.kind,
        user_id=actor.user_id,
        org_id=actor.org_id,
        role=actor.role,
        body=request.body,
        body_sha256=request.body_sha256,
    )
    try:
        require_right(access, request.kind, actor)
        body = RequestBody(request.body)
        is_on = body.word("switch", "on", "off") == "on"
        followed: tuple[str, Payload] = (
            "hold_set",
            events.HoldSet(request_id=request.request_id, is_on=is_on, reason=body.text("reason")),
        )
    except SeawallError as error:
        refused = events.RequestRefused(request_id=request.request_id, code=error.code, message=error.told[:MAX_TOLD])
        followed = ("request_refused", refused)
    said = [
        record(
            kind,
            payload,
            about=Subject("request", request.request_id),
            event_id=derived_event_id(kind, INSTALLATION, request.request_id),
            at_ms=at_ms,
            producer="reconciler",
        )
        for kind, payload in (("request_taken", events.RequestTaken(request=taken)), followed)
    ]
    for event in said:
        take_event(installation, event)
    return said
