"""A run as one person may see it: its requester and maintainers do, for everybody else it is not there."""

from typing import NamedTuple

from shared.documents.status import RunStatus
from shared.errors import Refused
from shared.ids import is_id
from shared.inbox.codec import Request
from space.auth.people import Person
from space.requests.desk import Desk


class RunSeen(NamedTuple):
    """What is known of a run: its status, and the requests about it that no pass has taken yet."""

    run_id: str
    status: RunStatus | None
    waiting: tuple[Request, ...]
    is_own: bool
    writing: tuple[Request, ...] = ()
    """Those that were confirmed and are not recorded yet."""
    due_at: float = 0.0
    """When these are written, in seconds since 1970."""

    @property
    def submit(self) -> Request | None:
        """Return the submit that still waits."""
        return next((request for request in (*self.waiting, *self.writing) if request.kind == "submit"), None)


def see_run(desk: Desk, person: Person, run_id: str) -> RunSeen:
    """Return the run; raise Refused `view.not_published` in the same words for what is not there and what is not theirs."""
    unknown = Refused(
        "view.not_published",
        "there is no such request of yours",
        way_out="A request that was confirmed a moment ago shows within a few seconds: reload the page.",
    )
    if not is_id(run_id, "run"):
        raise unknown
    asked = tuple(request for request in desk.inbox.waiting() if (request.subject.type, request.subject.id) == ("run", run_id))
    status = desk.status.run(run_id)
    if status is None and not asked:
        raise unknown
    is_own = is_owner(person, status, asked)
    if not (is_own or person.is_maintainer):
        raise unknown
    unwritten = desk.inbox.unwritten()
    waiting = tuple(request for request in asked if request.request_id not in unwritten)
    writing = tuple(request for request in asked if request.request_id in unwritten)
    return RunSeen(run_id, status, waiting, is_own, writing, desk.inbox.due_at() if writing else 0.0)


def is_owner(person: Person, status: RunStatus | None, waiting: tuple[Request, ...]) -> bool:
    """Tell whether `person` asked for the run: as its status says, or before there is one, its waiting submit."""
    if status is not None:
        return bool(status.requested_by) and status.requested_by == person.user_id
    return any(request.kind == "submit" and request.actor.user_id == person.user_id for request in waiting)
