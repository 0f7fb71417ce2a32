"""A ticket: the signed, expiring promise that exactly this request was shown to exactly this person.

It fixes the request's own id, so confirming twice is one request, and it is bound to the person, so no other site can make a
visitor send one.
"""

from typing import Final, NamedTuple

from shared.digests import sha256
from shared.errors import Refused
from shared.ids import RequestId, generate
from shared.inbox.codec import Request, RequestSubject
from space.auth.people import Person
from space.auth.sealed import seal, unseal
from space.requests.desk import Desk

GOOD_FOR_S: Final = 15 * 60


class Draft(NamedTuple):
    """What is asked for, before anybody confirmed it."""

    kind: str
    subject: RequestSubject
    body: str


def issue(desk: Desk, person: Person, draft: Draft) -> str:
    """Return a ticket for `draft`, good for 15 minutes."""
    fields = {
        "user_id": person.user_id,
        "kind": draft.kind,
        "body_sha256": sha256(draft.body.encode()),
        "request_id": generate("req", desk.uuid7()),
        "subject": [draft.subject.type, draft.subject.id],
    }
    return seal(desk.ticket_key, fields, int(desk.clock()) + GOOD_FOR_S)


def redeem(desk: Desk, person: Person, text: str, body: str) -> Request:
    """Return the request that the ticket `text` promises with `body`; raise Refused if it does not."""
    found = unseal(desk.ticket_key, text, desk.clock())
    is_of_this = found is not None and found.fields["user_id"] == person.user_id
    if found is None or not is_of_this or found.fields["body_sha256"] != sha256(body.encode("utf-8", "surrogatepass")):
        raise Refused(
            "request.forged", "this was not shown to you in this form", way_out="Look at a new preview, then confirm it."
        )
    if found.is_expired:
        raise Refused("request.expired", "the preview is more than 15 minutes old", way_out="Look at a new one, then confirm it.")
    fields = found.fields
    return Request(RequestId(fields["request_id"]), fields["kind"], person.actor, RequestSubject(*fields["subject"]), body)
