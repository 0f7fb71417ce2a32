"""Confirming: the ticket is redeemed, everything is judged again, and the request is put. `recorded` is said only when it is.

Confirming the same ticket again is safe: same id, same bytes, one request, even after a restart. Quotas and the put happen under
one lock, so that many confirms at once cannot all see the same room; the pass decides in any case.
"""

import threading
from collections import OrderedDict
from datetime import UTC, datetime
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
PAGE_WAITS_S: Final = 20.0


class NotRecordedYet(StoreFault):
    """The request waits in this process to be written; its page says when it is."""

    def __init__(self, request: Request, due_at: float) -> None:
        when = datetime.fromtimestamp(due_at, UTC).strftime("%H:%M:%S UTC")
        way_out = f"It is tried next at {when}. Confirm the same preview again, or reload its page: it stays one request."
        super().__init__("request.writing", "writing: not recorded yet", way_out=way_out)
        self.request: Final = request


class Confirming:
    """Confirms requests: judged one at a time, written together where the inbox does so."""

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
            is_writing = request.request_id in self._desk.inbox.unwritten()
            if request.request_id in self._recorded or (not is_writing and self._is_known(request)):
                return request
            if not is_writing:
                self._judge(person, request)
            put = self._desk.inbox.put(request)
        if put is Put.WRITING:
            put = self._desk.inbox.settle(request, PAGE_WAITS_S)
        self._require_recorded(request, put)
        with self._lock:
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

    def _require_recorded(self, request: Request, put: Put) -> None:
        match put:
            case Put.RECORDED | Put.CONFLICT:
                # Other bytes under this id differ in the role that the provider named then: the first of them stands.
                return
            case Put.FULL:
                message = "too many requests wait already"
                raise Conflict("INBOX_FULL", message, way_out="Nothing was written. Try again when a pass has taken some.")
            case Put.WRITING:
                raise NotRecordedYet(request, self._desk.inbox.due_at() or self._desk.clock())
            case Put.UNKNOWN:
                message = "writing: not recorded yet"
                raise StoreFault("inbox.unavailable", message, way_out="Confirm the same preview again: it stays one request.")
