"""The evidence store: write-once files under unique prefixes (shared/paths.py), sealed by checksums and a marker.

Guarantees asked of every adapter: a file becomes visible whole or not at all; a path is written once and never changed; equal
bytes again are no error. A put that timed out or met a server error is `Unknown`; a refusal for good (permission, public store)
is raised as `Refused`. Nothing is deleted through this port.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

from runner.ports.stores.answers import PutAnswer

type Source = bytes | Path


class StoredFile(NamedTuple):
    """One file of a listing."""

    path: str
    size: int


class EvidenceStore(Protocol):
    """Write-once files by path."""

    def put(self, path: str, source: Source) -> PutAnswer:
        """Write `source` to `path`; Conflict when other bytes stand there, Unknown when nobody can say."""
        ...

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Open `path` for reading from its start; raise Refused `EVIDENCE_MISSING` when it is not there."""
        ...

    def stat(self, path: str) -> int | None:
        """Return the size of `path` in bytes, or None when it is not there."""
        ...

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """Yield every file whose path starts with `prefix` + '/', in the order of the paths' code points."""
        ...
