"""An evidence store that fails on purpose: the n-th put is lost or lands unseen, the n-th read is flipped, cut or refused.

Each passage of an operation is counted from 1; a passage without a planned fault is the real store's. Used by tests and the
simulator, through the same door as the real adapters.
"""

import io
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import BinaryIO

from runner.ports.stores.answers import PutAnswer, Unknown
from runner.ports.stores.evidence_store import EvidenceStore, Source, StoredFile
from shared.errors import StoreFault


class EvidenceFault(StrEnum):
    """What goes wrong with one call."""

    LOST = "lost"
    """The put did nothing; the answer is Unknown."""
    LANDED = "landed"
    """The put was applied; the answer is Unknown."""
    FLIPPED = "flipped"
    """The read gives the file with its middle byte changed."""
    CUT = "cut"
    """The read gives the first half of the file."""
    REFUSED = "refused"
    """The store is down: StoreFault."""


class FaultyEvidenceStore:
    """Wraps `inner`; `plan` says which passage of `put` or `open` meets which fault; passage 0 means each."""

    def __init__(self, inner: EvidenceStore, plan: Mapping[tuple[str, int], EvidenceFault]) -> None:
        self._inner = inner
        self._plan = dict(plan)
        self.passed: Counter[str] = Counter()

    def put(self, path: str, source: Source) -> PutAnswer:
        """Put, unless this passage is lost, lands unseen or is refused."""
        fault = self._next("put", path)
        if fault is EvidenceFault.LOST:
            return Unknown(path, "HTTP 500")
        answer = self._inner.put(path, source)
        return Unknown(path, "HTTP 500") if fault is EvidenceFault.LANDED else answer

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Open, unless this passage is flipped, cut or refused."""
        fault = self._next("open", path)
        if fault is None:
            return self._inner.open(path)
        with self._inner.open(path) as stream:
            data = bytearray(stream.read())
        if fault is EvidenceFault.FLIPPED and data:
            data[len(data) // 2] ^= 1
        return io.BytesIO(data[: len(data) // 2] if fault is EvidenceFault.CUT else data)

    def stat(self, path: str) -> int | None:
        """Ask the inner store."""
        return self._inner.stat(path)

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """Ask the inner store."""
        return self._inner.list(prefix)

    def _next(self, operation: str, path: str) -> EvidenceFault | None:
        self.passed[operation] += 1
        fault = self._plan.get((operation, self.passed[operation])) or self._plan.get((operation, 0))
        if fault is EvidenceFault.REFUSED:
            raise StoreFault("EVIDENCE_DOWN", "the store does not answer", field=path, way_out="Try again later.")
        return fault
