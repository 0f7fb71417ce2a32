"""Confirming: the ticket is redeemed, everything is judged again, and the request is put. `recorded` is said only when it is.

Confirming the same ticket again is safe: same id, same bytes, one request, even after a restart. Quotas and the put happen under
one lock, so that many confirms at once cannot all see the same room; the pass decides in any case.
"""

import threading
from collections import OrderedDict
from typing import Final

from shared.errors import BadInput, Conflict, StoreFault
from shared.inbox.codec import Request
from space.auth.people import Person
from space.requests.decide import require_decidable
from space.requests.desk import Desk
from space.requests.inbox import Put
from space.requests.submit import require_unchanged
from space.requests.ticket import Draft, redeem

MAX_REMEMBERED: Final = 10_000


class Confirming:
    """Confirms requests, one at a time."""

    def __init__(self, desk: Desk) -> None:
        self._desk: Final = desk
        self._lock: Final = threading.Lock()
        self._recorded: OrderedDict[str, None] = OrderedDict()
        """Request ids that this process has recorded: a second confirm of one is answered from here."""

    def confirm(self, person: Person, ticket: str, body: str, *, has_read: bool) -> Request:
        """Return the request once it is recorded; raise Refused, BadInput, Conflict or StoreFault if it is not."""
        request = redeem(self._desk, person, ticket, body)
        if request.kind == "submit" and not has_read:
            raise BadInput("REQUEST_INVALID", "say that you have read who will see it", field="seen", way_out="Preview it again.")
        with self._lock:
            if request.request_id in self._recorded or self._is_known(request):
                return request
            self._judge(person, request)
            self._put(request)
            self._recorded[request.request_id] = None
            if len(self._recorded) > MAX_REMEMBERED:
                self._recorded.popitem(last=False)
        return request

    def _is_known(self, request: Request) -> bool:
        """Tell whether the request waits already, or, a submit, has become a run."""
        if any(each.request_id == request.request_id for each in self._desk.inbox.waiting()):
            return True
        return request.kind == "submit" and self._desk.status.run(request.subject.id) is not None

    def _judge(self, person: Person, request: Request) -> None:
        if request.kind == "submit":
            require_unchanged(self._desk, person, request.body)
        else:
            require_decidable(self._desk, person, Draft(request.kind, request.subject, request.body))

    def _put(self, request: Request) -> None:
        match self._desk.inbox.put(request):
            case Put.RECORDED | Put.CONFLICT:
                # Other bytes under this id differ in the role that the provider named then: the first of them stands.
                return
            case Put.FULL:
                message = "too many requests wait already"
                raise Conflict("INBOX_FULL", message, way_out="Nothing was written. Try again when a pass has taken some.")
            case Put.UNKNOWN:
                message = "writing: not recorded yet"
                raise StoreFault("inbox.unavailable", message, way_out="Confirm the same preview again: it stays one request.")
