"""The stores that the settings name: what is shown, the inbox, the status; on this machine or on the Hub. Called by the app."""

import time
from collections.abc import Callable
from typing import Final

from shared.errors import Refused, StoreFault
from space.config import Settings
from space.form_settings import FormSettings
from space.hub.answers import HubFault
from space.hub.dataset import HubDataset, is_space_public
from space.hub.place import HubPlace
from space.readers.folder import FolderSource
from space.readers.hub.source import VISIBILITY, HubSource
from space.readers.hub.status import HubStatus
from space.readers.source import Source, SourceFault
from space.readers.status import Status, StatusReader
from space.requests.hub.inbox import HubInbox
from space.requests.inbox import Inbox
from space.requests.inbox_sqlite import SqliteInbox

ASK_AGAIN_S: Final = 600.0


def source_of(settings: Settings) -> Source:
    """Return what is shown; raise Refused `source.visibility` where it is private and anybody can open this Space."""
    if not isinstance(settings.source, HubPlace):
        return FolderSource(settings.source)
    place = settings.source
    source = HubSource(HubDataset(place), _Openness(place.endpoint, settings.space_id))
    try:
        source.require_visible()
    except SourceFault as fault:
        if fault.code == VISIBILITY:
            raise Refused(fault.code, fault.message, field="SEAWALL_SOURCE", way_out=fault.way_out) from None
    return source


def inbox_of(settings: FormSettings, clock: Callable[[], float]) -> Inbox | None:
    """Return the inbox, None where the form is closed or none is named; one on the Hub begins to write what is due."""
    if settings.closed or settings.inbox is None:
        return None
    if not isinstance(settings.inbox, HubPlace):
        return SqliteInbox(settings.inbox)
    inbox = HubInbox(HubDataset(settings.inbox), clock)
    inbox.start()
    return inbox


def status_of(settings: FormSettings, clock: Callable[[], float]) -> Status | None:
    """Return where the pass writes for people, None where nothing is named."""
    if settings.status is None:
        return None
    if isinstance(settings.status, HubPlace):
        return HubStatus(HubDataset(settings.status), clock)
    return StatusReader(settings.status)


def is_wide(inbox: Inbox) -> bool:
    """Tell whether the inbox's token is seen to reach more; one that cannot be asked about is asked about at every use."""
    if not isinstance(inbox, HubInbox):
        return False
    try:
        inbox.require_rights()
    except Refused:
        return True
    except (HubFault, StoreFault):
        return False
    return False


class _Openness:
    """Tells whether anybody can open this Space, asking the Hub once in ten minutes; a machine of one's own is not open."""

    def __init__(self, endpoint: str, space_id: str) -> None:
        self._endpoint: Final = endpoint
        self._space_id: Final = space_id
        self._known: tuple[float, bool] | None = None

    def __call__(self) -> bool:
        if not self._space_id:
            return False
        now = time.monotonic()
        if self._known is None or now - self._known[0] > ASK_AGAIN_S:
            self._known = (now, is_space_public(self._endpoint, self._space_id))
        return self._known[1]
