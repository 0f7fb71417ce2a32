"""The writer of the inbox on the Hub: what was put waits until its commit is due, and is settled by what the inbox then holds.

    add --due--> head and folder are read --there already: equal--> recorded      --other bytes--> conflict
                    |                     `--no room--> full
                    `--> one commit on that head --Applied--> read back --equal--> recorded
           Moved: read again    Busy, Throttled: later    Unknown: read; not there: later, the same again

A request is `recorded` only when it was read in the inbox. Whatever is doubtful stays and is tried again, the same bytes under
the same name, so it can land once alone. Nothing here sleeps: `step` does what is due in the queue.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from shared import paths
from shared.errors import SeawallError, StoreFault
from shared.inbox.admission import Crowded, admit
from space.hub.answers import ABSENT, FORBIDDEN, REFUSED, SHAPE, Applied, Busy, HubFault, Moved, Throttled, Unknown
from space.hub.dataset import HubDataset, Listed, blob_id
from space.requests.hub.queue import Queue, Queued
from space.requests.inbox import Put

CONFLICTS: Final = 8
AGAIN_S: Final = 5.0
AGAIN_MOST_S: Final = 60.0
PUBLIC: Final = "HUB_PUBLIC_STORE"
_log: Final = logging.getLogger(__name__)
type SawInbox = Callable[[str, Mapping[str, Listed]], None]


class Writer:
    """Writes what is due in `queue` into `dataset`.

    `saw` is told what the inbox holds at a commit, `require_rights` raises if the token is wrong.
    """

    def __init__(self, dataset: HubDataset, queue: Queue, require_rights: Callable[[], None], saw: SawInbox) -> None:
        self._dataset: Final = dataset
        self._queue: Final = queue
        self._require_rights: Final = require_rights
        self._saw: Final = saw
        self._one_at_a_time: Final = threading.Lock()
        self._failures = 0

    def step(self) -> None:
        """Make the commit that is due, if one is."""
        with self._one_at_a_time:
            if not self._queue.is_due():
                return
            batch = self._queue.batch()
            try:
                self._require_rights()
                self._deliver(batch)
                self._failures = 0
            except HubFault as fault:
                self._failed(batch, fault)
            except SeawallError as error:
                self._refuse(batch, error)
            except Exception as error:  # noqa: BLE001 - a thread's last line: nobody else would write what waits
                _log.exception("the inbox could not be written")
                self._queue.doubt(batch, is_urgent=False)
                self._failed(batch, HubFault(SHAPE, type(error).__name__))

    def _deliver(self, batch: Sequence[Queued]) -> None:
        is_urgent, parent = any(each.is_urgent for each in batch), ""
        for _ in range(CONFLICTS):
            sha, held = self._look()
            fresh = self._sort_out(batch, held)
            if not fresh:
                return
            match self._dataset.commit({each.path: each.data for each in fresh}, _title(fresh), sha):
                case Applied(landed):
                    self._queue.doubt(fresh, is_urgent=is_urgent)
                    self._read_back(fresh, landed)
                    return
                case Unknown():
                    self._queue.doubt(fresh, is_urgent=is_urgent)
                    self._read_back(fresh, self._look()[0])
                    return
                case Busy(seconds) | Throttled(seconds):
                    self._queue.pause(seconds)
                    return
                case Moved() if sha == parent:
                    raise HubFault(FORBIDDEN, "the inbox refuses commits on its own head: the token may only propose them")
                case Moved():
                    parent = sha
        self._queue.pause(AGAIN_S)

    def _look(self) -> tuple[str, Mapping[str, Listed]]:
        """Return the head of the inbox and the requests that wait there."""
        seen = self._dataset.head()
        if not seen.is_private:
            name = self._dataset.place.name
            raise StoreFault("inbox.unavailable", f"{name} is open to everybody ({PUBLIC})", way_out="Ask a maintainer.")
        held = self._dataset.folder(paths.REQUESTS, seen.sha)
        self._saw(seen.sha, held)
        return seen.sha, held

    def _sort_out(self, batch: Sequence[Queued], held: Mapping[str, Listed]) -> list[Queued]:
        """Settle what waits there already and what has no room; return the rest."""
        fresh: list[Queued] = []
        for each in batch:
            there = held.get(each.path)
            if there is not None:
                self._queue.settle(each, Put.RECORDED if there.blob_id == blob_id(each.data) else Put.CONFLICT)
                continue
            asked = [(each.request.request_id, each.data)]
            if isinstance(admit(asked, lambda _: None, len(held) + len(fresh)), Crowded):
                self._queue.settle(each, Put.UNKNOWN if each.is_doubtful else Put.FULL)
            else:
                fresh.append(each)
        return fresh

    def _read_back(self, batch: Sequence[Queued], sha: str) -> None:
        """Settle what is there at `sha`; the rest is tried again in a while."""
        held = self._dataset.folder(paths.REQUESTS, sha)
        self._saw(sha, held)
        lost = False
        for each in batch:
            there = held.get(each.path)
            if there is None:
                lost = True
            else:
                self._queue.settle(each, Put.RECORDED if there.blob_id == blob_id(each.data) else Put.CONFLICT)
        if lost:
            self._queue.pause(AGAIN_S)

    def _failed(self, batch: Sequence[Queued], fault: HubFault) -> None:
        """Try again later what the Hub did not answer; what it refused was not written, unless an earlier try landed."""
        if fault.code in {FORBIDDEN, ABSENT, REFUSED}:
            refused = f"the inbox cannot be written: {fault.message}"
            self._refuse(batch, StoreFault("inbox.unavailable", refused, way_out="Nothing was written. Ask a maintainer."))
            return
        self._failures += 1
        self._queue.pause(fault.seconds or min(AGAIN_S * 2 ** (self._failures - 1), AGAIN_MOST_S))

    def _refuse(self, batch: Sequence[Queued], error: SeawallError) -> None:
        for each in batch:
            if not each.is_doubtful:
                self._queue.settle(each, error)
        self._queue.pause(AGAIN_MOST_S if any(each.is_doubtful for each in batch) else 0.0)


def _title(batch: Sequence[Queued]) -> str:
    more = f" and {len(batch) - 1} more" if len(batch) > 1 else ""
    return f"request {batch[0].request.request_id}{more}"
