"""The inbox as a private Dataset on the Hub, the only repository that the Space's token can write.

Each request is a file of its canonical bytes. What is put waits in this process (queue.py) for its commit (writer.py); what waits
there is read at most once in ten seconds. A token that reaches anything else is not used at all: whoever steals it could reach it
too.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from shared import paths
from shared.errors import BadInput, StoreFault
from shared.inbox.codec import MAX_BYTES, Request, decode_request
from space.hub.answers import ABSENT, HubFault
from space.hub.dataset import HubDataset, Listed
from space.hub.rights import require_inbox_alone
from space.requests.hub.queue import MAX_QUEUED, Queue
from space.requests.hub.writer import PUBLIC, Writer
from space.requests.inbox import Put

LOOK_S: Final = 10.0
TRUSTED_S: Final = 3_600.0
MAX_REMEMBERED: Final = 1_200
IDLE_S: Final = 60.0


class HubInbox:
    """The port `Inbox` over one Dataset; `start` lets a thread of its own write what is due."""

    def __init__(self, dataset: HubDataset, clock: Callable[[], float]) -> None:
        self._dataset: Final = dataset
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._trusted_at = -math.inf
        self._seen: tuple[float, str, tuple[Listed, ...]] | None = None
        self._known: OrderedDict[tuple[str, str], Request | None] = OrderedDict()
        """What was read, by path and bytes: a copy that lies elsewhere is no request."""
        self._is_closed = False
        self._thread: threading.Thread | None = None
        self._queue: Final = Queue(clock)
        self.writer: Final = Writer(dataset, self._queue, self.require_rights, self._saw)

    def start(self) -> None:
        """Write what is due, from now on, in a thread that ends with `close`."""
        self._thread = threading.Thread(target=self._write, name="inbox writer", daemon=True)
        self._thread.start()

    def require_rights(self) -> None:
        """Raise Refused HUB_TOKEN_WIDE if the token reaches more than the inbox, HubFault if that cannot be asked."""
        if not 0 <= self._clock() - self._trusted_at < TRUSTED_S:
            require_inbox_alone(self._dataset.whoami(), self._dataset.place.name)
            self._trusted_at = self._clock()

    def require_writable(self) -> None:
        """Raise unless a put would be possible now; writes nothing."""
        try:
            self.require_rights()
            self._look()
        except HubFault as fault:
            raise _unavailable(fault.message) from None
        if len(self._queue.waiting()) >= MAX_QUEUED:
            raise _unavailable("too much waits to be written already")

    def put(self, request: Request) -> Put:
        """Take one request to be written."""
        return self._queue.add(request)

    def settle(self, request: Request, seconds: float) -> Put:
        """Return what became of a put, WRITING if that is not known after `seconds`."""
        return self._queue.outcome(request.request_id, seconds)

    def waiting(self) -> Sequence[Request]:
        """Return what waits there and what is not written yet, oldest first."""
        try:
            there = self._look()
        except HubFault as fault:
            raise _unavailable(fault.message) from None
        found = {request.request_id: request for request in there}
        for request in self._queue.waiting():
            found.setdefault(request.request_id, request)
        return sorted(found.values(), key=lambda request: request.request_id)

    def unwritten(self) -> frozenset[str]:
        """Return the ids of what is not written yet."""
        return frozenset(request.request_id for request in self._queue.waiting())

    def due_at(self) -> float:
        """Return when what is not written will be tried next, 0 where everything is."""
        due = self._queue.due_at()
        return 0.0 if math.isinf(due) else due

    def hurry(self) -> None:
        """Let what waits be written at once: the process is about to end."""
        self._queue.hurry()

    def close(self, seconds: float) -> None:
        """Write what is not written, for at most `seconds`, and stop."""
        self._is_closed = True
        self.hurry()
        if self._thread is not None:
            self._thread.join(seconds)

    def _write(self) -> None:
        while not (self._is_closed and not self._queue.waiting()):
            self.writer.step()
            with self._queue.changed:
                left = self._queue.due_at() - self._clock()
                if left > 0 and not (self._is_closed and not self._queue.waiting()):
                    self._queue.changed.wait(min(left, IDLE_S))

    def _look(self) -> list[Request]:
        """Return the requests that waited there at the newest look."""
        with self._lock:
            seen = self._seen
            if seen is None or not 0 <= self._clock() - seen[0] < LOOK_S:
                head = self._dataset.head()
                if not head.is_private:
                    raise _unavailable(f"{self._dataset.place.name} is open to everybody ({PUBLIC})")
                if seen is not None and seen[1] == head.sha:
                    listed = seen[2]
                else:
                    listed = tuple(self._dataset.folder(paths.REQUESTS, head.sha).values())
                seen = self._seen = (self._clock(), head.sha, listed)
            return [request for each in seen[2] if (request := self._read(each, seen[1])) is not None]

    def _saw(self, sha: str, held: Mapping[str, Listed]) -> None:
        """Take up what the writer has read."""
        with self._lock:
            self._seen = (self._clock(), sha, tuple(held.values()))

    def _read(self, listed: Listed, sha: str) -> Request | None:
        """Return a request that waits there, None for what is none."""
        key = (listed.path, listed.blob_id)
        if key not in self._known:
            self._known[key] = self._decoded(listed, sha)
            while len(self._known) > MAX_REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]

    def _decoded(self, listed: Listed, sha: str) -> Request | None:
        if listed.size > MAX_BYTES:
            return None
        try:
            request = decode_request(self._dataset.read(listed.path, sha, MAX_BYTES))
        except BadInput:
            return None
        except HubFault as fault:
            if fault.code == ABSENT:
                return None
            raise
        return request if paths.request_file(request.request_id) == listed.path else None


def _unavailable(why: str) -> StoreFault:
    message = f"the inbox cannot be reached: {why}"
    return StoreFault("inbox.unavailable", message, way_out="Nothing was written. Try again, or ask a maintainer.")
