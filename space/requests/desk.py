"""What handling requests needs: whom to ask, what to read, where to put. Built once by the app."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from shared.inbox.rights import Access
from space.readers.status import StatusReader
from space.requests.inbox import Inbox


@dataclass(frozen=True, slots=True)
class Desk:
    """The request form's surroundings."""

    access: Access
    status: StatusReader
    inbox: Inbox
    ticket_key: bytes
    clock: Callable[[], float]
    """Seconds since 1970."""
    uuid7: Callable[[], UUID]
