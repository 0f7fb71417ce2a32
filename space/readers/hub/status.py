"""The status documents in a control Dataset on the Hub: read at a pinned head, never written, by a token that only reads.

Below `status/` of the Dataset lie the documents, `<kind>/<name>.json`, and `index.json`, which lists runs and offers. The head is
asked for at most once in ten seconds; what was read at a commit is remembered, because it never changes.
"""

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final

from shared import paths
from shared.documents.document import Document
from shared.documents.installation_status import InstallationStatus
from shared.documents.reviewed.offer import Offer
from shared.documents.shown import ShownRun
from shared.documents.status import RunStatus
from shared.documents.status_index import StatusIndex, StatusLine
from shared.ids import is_id
from shared.inbox.offers import OFFER
from space.hub.answers import ABSENT, HubFault
from space.hub.dataset import HubDataset
from space.readers.status import MAX_LISTED, parsed, unavailable

LOOK_S: Final = 10.0
MAX_BYTES: Final = 4 << 20
MAX_REMEMBERED: Final = 64
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class HubStatus:
    """The port `Status` over one control Dataset."""

    def __init__(self, control: HubDataset, clock: Callable[[], float]) -> None:
        self._control: Final = control
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._looked: tuple[float, str] | None = None
        self._read: OrderedDict[tuple[str, str], bytes | None] = OrderedDict()

    def run(self, run_id: str) -> RunStatus | None:
        """Return the status of a run, None while no pass has written one."""
        return self._document(RunStatus, "run", run_id) if is_id(run_id, "run") else None

    def shown(self, run_id: str) -> ShownRun | None:
        """Return the rows that would become public of a run."""
        return self._document(ShownRun, "shown", run_id) if is_id(run_id, "run") else None

    def installation(self) -> InstallationStatus:
        """Return what is in use and the limits; raise StoreFault while no pass has written it."""
        found = self._document(InstallationStatus, "installation", "installation")
        if found is None:
            raise unavailable("no pass has written it yet")
        return found

    def offers(self) -> tuple[Offer, ...]:
        """Return what may be chosen from, by name."""
        return tuple(offer for name in self._index().offers if (offer := self.offer(name)) is not None)

    def offer(self, name: str) -> Offer | None:
        """Return one offer, None where it does not stand."""
        return self._document(Offer, OFFER, name) if _NAME.fullmatch(name) else None

    def runs_of(self, user_id: str) -> Sequence[StatusLine]:
        """Return the newest runs that `user_id` asked for."""
        return [line for line in self._index().runs if user_id and line.requested_by == user_id][:MAX_LISTED]

    def runs_waiting(self) -> Sequence[StatusLine]:
        """Return the newest runs whose submit waits for a maintainer."""
        return [line for line in self._index().runs if line.request_state == "waiting_approval"][:MAX_LISTED]

    def _index(self) -> StatusIndex:
        data = self._bytes(paths.STATUS_INDEX)
        return StatusIndex(offers=(), runs=()) if data is None else parsed(StatusIndex, data)

    def _document[D: Document](self, kind: type[D], subject: str, name: str) -> D | None:
        data = self._bytes(paths.status_file(subject, name))
        return parsed(kind, data) if data else None

    def _bytes(self, path: str) -> bytes | None:
        """Return a file at the head, None where there is none."""
        with self._lock:
            try:
                key = (self._head(), path)
                if key not in self._read:
                    self._read[key] = self._file(path, key[0])
            except HubFault as fault:
                raise unavailable(fault.message) from None
            self._read.move_to_end(key)
            while len(self._read) > MAX_REMEMBERED:
                self._read.popitem(last=False)
            return self._read[key]

    def _head(self) -> str:
        now = self._clock()
        if self._looked is None or not 0 <= now - self._looked[0] < LOOK_S:
            seen = self._control.head()
            if not seen.is_private:
                raise unavailable(f"{self._control.place.name} is open to everybody, and must be private (HUB_PUBLIC_STORE)")
            self._looked = (now, seen.sha)
        return self._looked[1]

    def _file(self, path: str, sha: str) -> bytes | None:
        try:
            return self._control.read(path, sha, MAX_BYTES)
        except HubFault as fault:
            if fault.code == ABSENT:
                return None
            raise
