"""The line of requests that wait for their commit: when the next is due, what goes into it, and what became of each.

A request stands here once. It leaves when it is settled, and who waits for that is told. Where the clock is set back, what was
noted before moves with it. The writer alone takes from here; the form adds, from any thread.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from shared import paths
from shared.errors import SeawallError
from shared.inbox.codec import URGENT_KINDS, Request, encode_request
from space.hub.dataset import blob_id
from space.requests.hub.pace import Pace
from space.requests.inbox import Put

MAX_QUEUED: Final = 500
MAX_REMEMBERED: Final = 10_000
MAX_COMMIT_FILES: Final = 64
MAX_COMMIT_BYTES: Final = 4 << 20


@dataclass(slots=True)
class Queued:
    """A request that is not settled, and its canonical bytes."""

    request: Request
    data: bytes
    queued_at: float
    is_doubtful: bool = False
    """It may have landed: until it is read there, nobody is told that it was not written."""

    @property
    def path(self) -> str:
        """Where it stands in the inbox."""
        return paths.request_file(self.request.request_id)

    @property
    def is_urgent(self) -> bool:
        """Tell whether it goes at once."""
        return self.request.kind in URGENT_KINDS


class Queue:
    """The line, by the clock that is passed in."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock: Final = clock
        self._pace: Final = Pace()
        self.changed: Final = threading.Condition()
        """Told when something was added or settled."""
        self._waiting: OrderedDict[str, Queued] = OrderedDict()
        self._outcomes: OrderedDict[str, tuple[str, Put | SeawallError]] = OrderedDict()
        """What became of the bytes of a request, by its id."""
        self._not_before = self._latest = -math.inf
        self._is_hurried = False

    def add(self, request: Request) -> Put:
        """Take a request to be written; WRITING, or why not."""
        data = encode_request(request)
        with self.changed:
            known = self._waiting.get(request.request_id)
            if known is not None:
                return Put.WRITING if known.data == data else Put.CONFLICT
            before, outcome = self._outcomes.get(request.request_id, ("", Put.UNKNOWN))
            if outcome is Put.RECORDED:
                return Put.RECORDED if before == blob_id(data) else Put.CONFLICT
            if len(self._waiting) >= MAX_QUEUED and request.kind not in URGENT_KINDS:
                return Put.FULL
            self._outcomes.pop(request.request_id, None)
            self._waiting[request.request_id] = Queued(request, data, self._now())
            self.changed.notify_all()
            return Put.WRITING

    def outcome(self, request_id: str, seconds: float) -> Put:
        """Return what became of a request, WRITING if that is not known after `seconds`; raise why it was not written."""
        with self.changed:
            self.changed.wait_for(lambda: request_id not in self._waiting, seconds)
            is_waiting = request_id in self._waiting
            _, outcome = ("", Put.WRITING) if is_waiting else self._outcomes.get(request_id, ("", Put.UNKNOWN))
        if isinstance(outcome, SeawallError):
            raise outcome
        return outcome

    def waiting(self) -> list[Request]:
        """Return what is not written yet, oldest first."""
        with self.changed:
            return [each.request for each in self._waiting.values()]

    def due_at(self) -> float:
        """Return when there is something to do, infinity while there is nothing."""
        with self.changed:
            if not self._waiting:
                return math.inf
            now = self._now()
            if self._is_hurried:
                return max(now, self._not_before)
            due = self._pace.due_at(min(each.queued_at for each in self._waiting.values()), now, is_urgent=False)
            urgent = [each.queued_at for each in self._waiting.values() if each.is_urgent]
            if urgent:
                due = min(due, self._pace.due_at(min(urgent), now, is_urgent=True))
            return max(due, self._not_before)

    def is_due(self) -> bool:
        """Tell whether there is something to do now."""
        return self.due_at() <= self._clock()

    def hurry(self) -> None:
        """Let what waits be due at once: the process is about to end."""
        with self.changed:
            self._is_hurried = True
            self.changed.notify_all()

    def pause(self, seconds: float) -> None:
        """Let nothing be due for so long."""
        with self.changed:
            self._not_before = self._now() + seconds

    def batch(self) -> list[Queued]:
        """Return what goes into the next commit: cancels and holds first, then the oldest."""
        with self.changed:
            ordered = sorted(self._waiting.values(), key=lambda each: (not each.is_urgent, each.queued_at))
        taken: list[Queued] = []
        size = 0
        for each in ordered[:MAX_COMMIT_FILES]:
            size += len(each.data)
            if taken and size > MAX_COMMIT_BYTES:
                break
            taken.append(each)
        return taken

    def doubt(self, batch: Sequence[Queued], *, is_urgent: bool) -> None:
        """Note that a commit of `batch` was made, or may have been."""
        with self.changed:
            self._pace.note(self._now(), is_urgent=is_urgent)
            for each in batch:
                each.is_doubtful = True

    def settle(self, each: Queued, outcome: Put | SeawallError) -> None:
        """Take a request out of the line, with what became of it."""
        with self.changed:
            request_id = each.request.request_id
            if self._waiting.pop(request_id, None) is None:
                return
            self._outcomes[request_id] = (blob_id(each.data), outcome)
            while len(self._outcomes) > MAX_REMEMBERED:
                self._outcomes.popitem(last=False)
            self.changed.notify_all()

    def _now(self) -> float:
        """Return the time; where the clock was set back, what was noted before moves with it, or all would wait that long."""
        now = self._clock()
        if now < self._latest:
            back = self._latest - now
            self._not_before -= back
            self._pace.move(-back)
            for each in self._waiting.values():
                each.queued_at -= back
        self._latest = now
        return now
