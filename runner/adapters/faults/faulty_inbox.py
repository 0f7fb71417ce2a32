"""An inbox that fails on a script: quotas, and answers that are lost before or after the effect. Used by tests."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final

from runner.adapters.faults.faulty_control_log import THROTTLE_MS, CommitFault
from runner.ports.state.answers import Busy, PutAnswer, RemoveAnswer, Throttled, Unknown
from runner.ports.state.inbox import Inbox, Listing


class FaultyInbox:
    """`inner` with scripted faults of its puts and removes."""

    def __init__(self, inner: Inbox, faults: Iterable[CommitFault] = ()) -> None:
        self._inner: Final = inner
        self._faults: Final = deque(faults)

    def put(self, requests: Sequence[tuple[str, bytes]]) -> PutAnswer:
        """Put with the next fault of the script."""
        fault = self._next()
        refusal = _refusal(fault)
        if refusal is not None:
            return refusal
        answer = self._inner.put(requests)
        return Unknown("500, landed") if fault is CommitFault.LANDED else answer

    def list(self, limit: int) -> Listing:
        """List from the wrapped inbox."""
        return self._inner.list(limit)

    def remove(self, request_ids: Sequence[str]) -> RemoveAnswer:
        """Remove with the next fault of the script."""
        fault = self._next()
        refusal = _refusal(fault)
        if refusal is not None:
            return refusal
        answer = self._inner.remove(request_ids)
        return Unknown("500, landed") if fault is CommitFault.LANDED else answer

    def _next(self) -> CommitFault:
        return self._faults.popleft() if self._faults else CommitFault.NONE


def _refusal(fault: CommitFault) -> Busy | Throttled | Unknown | None:
    if fault in {CommitFault.CONFLICT, CommitFault.BUSY}:
        return Busy(2.0)
    if fault is CommitFault.THROTTLED:
        return Throttled(THROTTLE_MS)
    return Unknown("500, lost") if fault in {CommitFault.LOST, CommitFault.LATE} else None
