"""What handling requests needs: whom to ask, what to read, where to put. Built once by the app."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from shared.inbox.rights import Access
from space.readers.status import Status
from space.requests.inbox import Inbox


class Checked(NamedTuple):
    """The last check of what is published that succeeded, or the start of the Space while none has."""

    at_s: float
    """Seconds since 1970."""
    because: str
    """Why the checks since then failed; empty where none did."""


def _nothing_published() -> Checked | None:
    return None


@dataclass(frozen=True, slots=True)
class Desk:
    """The request form's surroundings."""

    access: Access
    status: Status
    inbox: Inbox
    ticket_key: bytes
    clock: Callable[[], float]
    """Seconds since 1970."""
    uuid7: Callable[[], UUID]
    checked: Callable[[], Checked | None] = _nothing_published
    """Returns the last good check; None where no source is connected."""
