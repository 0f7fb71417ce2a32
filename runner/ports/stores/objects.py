"""The object store: bytes named by their SHA-256, written once, verified on every read, never listed for meaning."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from runner.ports.stores.answers import PutAnswer
from runner.ports.stores.evidence_store import Source
from shared.digests import Digest


class Objects(Protocol):
    """Bytes by digest."""

    def put(self, source: Source) -> PutAnswer:
        """Store `source` under its digest, which the answer carries; storing it again is no effect."""
        ...

    def has(self, digest: Digest) -> bool:
        """Tell whether the object is readable, without reading it."""
        ...

    def read(self, digest: Digest) -> Iterator[bytes]:
        """Yield the object in chunks; raise StoreFault `OBJECT_CORRUPT` after the last one when they do not hash to `digest`."""
        ...

    def fetch(self, digest: Digest, into: Path) -> None:
        """Write the object to the new file `into`, which appears only once its bytes have verified."""
        ...
