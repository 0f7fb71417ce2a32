"""The writer of the inbox on the Hub: what was put waits until its commit is due, and is settled by what the inbox then holds.

    add --due--> head and folder are read --there already: equal--> recorded      --other bytes--> conflict
                    |                     `--no room--> full
                    `--> one commit on that head --Applied--> read back --equal--> recorded
           Moved: read again    Busy, Throttled: later    Unknown: read; not there: later, the same again

A request is `recorded` only when it was read in the inbox. Whatever is doubtful stays and is tried again, the same bytes under
the same name, so it can land once alone. Nothing here sleeps: `step` does what is due by the clock that is passed in.
"""

import logging
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from shared import paths
from shared.errors import SeawallError, StoreFault
from shared.inbox.admission import Crowded, admit
from shared.inbox.codec import URGENT_KINDS, Request, encode_request
from space.hub.answers import ABSENT, FORBIDDEN, REFUSED, SHAPE, Applied, Busy, HubFault, Moved, Throttled, Unknown
from space.hub.dataset import HubDataset, Listed, blob_id
from space.requests.hub.pace import Pace
from space.requests.inbox import Put

MAX_QUEUED: Final = 500
MAX_REMEMBERED: Final = 10_000
MAX_COMMIT_FILES: Final = 64
MAX_COMMIT_BYTES: Final = 4 << 20
CONFLICTS: Final = 8
AGAIN_S: Final = 5.0
AGAIN_MOST_S: Final = 60.0
PUBLIC: Final = "HUB_PUBLIC_STORE"
_log: Final = logging.getLogger(__name__)
type SawInbox = Callable[[str, Mapping[str, Listed]], None]


@dataclass(slots=True)
class _Queued:
    request: Request
    data: bytes
    queued_at: float
    is_doubtful: bool = False
    """It may have landed: until it is read there, nobody is told that it was not written."""

    @property
    def path(self) -> str:
        return paths.request_file(self.request.request_id)

    @property
    def is_urgent(self) -> bool:
        return self.request.kind in URGENT_KINDS


class Writer:
    """Writes into `dataset`; `saw` is told what the inbox holds at a commit, `require_rights` raises if the token is wrong."""

    def __init__(
        self, dataset: HubDataset, clock: Callable[[], float], require_rights: Callable[[], None], saw: SawInbox
    ) -> None:
        self._dataset: Final = dataset
        self._clock: Final = clock
        self._require_rights: Final = require_rights
        self._saw: Final = saw
        self._pace: Final = Pace()
        self._one_at_a_time: Final = threading.Lock()
        self.changed: Final = threading.Condition()
        """Told when something was added or settled."""
        self._queue: OrderedDict[str, _Queued] = OrderedDict()
        self._outcomes: OrderedDict[str, tuple[str, Put | SeawallError]] = OrderedDict()
        """What became of the bytes of a request, by its id."""
        self._not_before = self._latest = -math.inf
        self._failures = 0
        self._is_hurried = False

    def add(self, request: Request) -> Put:
        """Take a request to be written; WRITING, or why not."""
        data = encode_request(request)
        with self.changed:
            known = self._queue.get(request.request_id)
            if known is not None:
                return Put.WRITING if known.data == data else Put.CONFLICT
            before, outcome = self._outcomes.get(request.request_id, ("", Put.UNKNOWN))
            if outcome is Put.RECORDED:
                return Put.RECORDED if before == blob_id(data) else Put.CONFLICT
            if len(self._queue) >= MAX_QUEUED and request.kind not in URGENT_KINDS:
                return Put.FULL
            self._outcomes.pop(request.request_id, None)
            self._queue[request.request_id] = _Queued(request, data, self._now())
            self.changed.notify_all()
            return Put.WRITING

    def settle(self, request_id: str, seconds: float) -> Put:
        """Return what became of a request, WRITING if that is not known after `seconds`; raise why it was not written."""
        with self.changed:
            self.changed.wait_for(lambda: request_id not in self._queue, seconds)
            is_queued = request_id in self._queue
            _, outcome = ("", Put.WRITING) if is_queued else self._outcomes.get(request_id, ("", Put.UNKNOWN))
        if isinstance(outcome, SeawallError):
            raise outcome
        return outcome

    def queued(self) -> list[Request]:
        """Return what is not written yet, oldest first."""
        with self.changed:
            return [each.request for each in self._queue.values()]

    def due_at(self) -> float:
        """Return when there is something to do, infinity while there is nothing."""
        with self.changed:
            if not self._queue:
                return math.inf
            now = self._now()
            if self._is_hurried:
                return max(now, self._not_before)
            due = self._pace.due_at(min(each.queued_at for each in self._queue.values()), now, is_urgent=False)
            urgent = [each.queued_at for each in self._queue.values() if each.is_urgent]
            if urgent:
                due = min(due, self._pace.due_at(min(urgent), now, is_urgent=True))
            return max(due, self._not_before)

    def hurry(self) -> None:
        """Let what waits be due at once: the process is about to end."""
        with self.changed:
            self._is_hurried = True
            self.changed.notify_all()

    def step(self) -> None:
        """Make the commit that is due, if one is."""
        with self._one_at_a_time:
            if self.due_at() > self._clock():
                return
            batch = self._batch()
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
                self._doubt(batch, is_urgent=False)
                self._failed(batch, HubFault(SHAPE, type(error).__name__))

    def _batch(self) -> list[_Queued]:
        """Return what goes into the next commit: cancels and holds first, then the oldest."""
        with self.changed:
            ordered = sorted(self._queue.values(), key=lambda each: (not each.is_urgent, each.queued_at))
        taken: list[_Queued] = []
        size = 0
        for each in ordered[:MAX_COMMIT_FILES]:
            size += len(each.data)
            if taken and size > MAX_COMMIT_BYTES:
                break
            taken.append(each)
        return taken

    def _deliver(self, batch: Sequence[_Queued]) -> None:
        is_urgent, parent = any(each.is_urgent for each in batch), ""
        for _ in range(CONFLICTS):
            sha, held = self._look()
            fresh = self._sort_out(batch, held)
            if not fresh:
                return
            match self._dataset.commit({each.path: each.data for each in fresh}, _title(fresh), sha):
                case Applied(landed):
                    self._doubt(fresh, is_urgent=is_urgent)
                    self._read_back(fresh, landed)
                    return
                case Unknown():
                    self._doubt(fresh, is_urgent=is_urgent)
                    self._read_back(fresh, self._look()[0])
                    return
                case Busy(seconds) | Throttled(seconds):
                    self._wait(seconds)
                    return
                case Moved() if sha == parent:
                    raise HubFault(FORBIDDEN, "the inbox refuses commits on its own head: the token may only propose them")
                case Moved():
                    parent = sha
        self._wait(AGAIN_S)

    def _look(self) -> tuple[str, Mapping[str, Listed]]:
        """Return the head of the inbox and the requests that wait there."""
        seen = self._dataset.head()
        if not seen.is_private:
            name = self._dataset.place.name
            raise StoreFault("inbox.unavailable", f"{name} is open to everybody ({PUBLIC})", way_out="Ask a maintainer.")
        held = self._dataset.folder(paths.REQUESTS, seen.sha)
        self._saw(seen.sha, held)
        return seen.sha, held

    def _sort_out(self, batch: Sequence[_Queued], held: Mapping[str, Listed]) -> list[_Queued]:
        """Settle what waits there already and what has no room; return the rest."""
        fresh: list[_Queued] = []
        for each in batch:
            there = held.get(each.path)
            if there is not None:
                self._settle(each, Put.RECORDED if there.blob_id == blob_id(each.data) else Put.CONFLICT)
                continue
            asked = [(each.request.request_id, each.data)]
            if isinstance(admit(asked, lambda _: None, len(held) + len(fresh)), Crowded):
                self._settle(each, Put.UNKNOWN if each.is_doubtful else Put.FULL)
            else:
                fresh.append(each)
        return fresh

    def _read_back(self, batch: Sequence[_Queued], sha: str) -> None:
        """Settle what is there at `sha`; the rest is tried again in a while."""
        held = self._dataset.folder(paths.REQUESTS, sha)
        self._saw(sha, held)
        lost = False
        for each in batch:
            there = held.get(each.path)
            if there is None:
                lost = True
            else:
                self._settle(each, Put.RECORDED if there.blob_id == blob_id(each.data) else Put.CONFLICT)
        if lost:
            self._wait(AGAIN_S)

    def _doubt(self, batch: Sequence[_Queued], *, is_urgent: bool) -> None:
        with self.changed:
            self._pace.note(self._now(), is_urgent=is_urgent)
            for each in batch:
                each.is_doubtful = True

    def _failed(self, batch: Sequence[_Queued], fault: HubFault) -> None:
        """Try again later what the Hub did not answer; what it refused was not written, unless an earlier try landed."""
        if fault.code in {FORBIDDEN, ABSENT, REFUSED}:
            refused = f"the inbox cannot be written: {fault.message}"
            self._refuse(batch, StoreFault("inbox.unavailable", refused, way_out="Nothing was written. Ask a maintainer."))
            return
        self._failures += 1
        self._wait(fault.seconds or min(AGAIN_S * 2 ** (self._failures - 1), AGAIN_MOST_S))

    def _refuse(self, batch: Sequence[_Queued], error: SeawallError) -> None:
        for each in batch:
            if not each.is_doubtful:
                self._settle(each, error)
        self._wait(AGAIN_MOST_S if any(each.is_doubtful for each in batch) else 0.0)

    def _wait(self, seconds: float) -> None:
        with self.changed:
            self._not_before = self._now() + seconds

    def _now(self) -> float:
        """Return the time; where the clock was set back, what was noted before moves with it, or all would wait that long."""
        with self.changed:
            now = self._clock()
            if now < self._latest:
                back = self._latest - now
                self._not_before -= back
                self._pace.move(-back)
                for each in self._queue.values():
                    each.queued_at -= back
            self._latest = now
            return now

    def _settle(self, each: _Queued, outcome: Put | SeawallError) -> None:
        with self.changed:
            request_id = each.request.request_id
            if self._queue.pop(request_id, None) is None:
                return
            self._outcomes[request_id] = (blob_id(each.data), outcome)
            while len(self._outcomes) > MAX_REMEMBERED:
                self._outcomes.popitem(last=False)
            self.changed.notify_all()


def _title(batch: Sequence[_Queued]) -> str:
    more = f" and {len(batch) - 1} more" if len(batch) > 1 else ""
    return f"request {batch[0].request.request_id}{more}"
