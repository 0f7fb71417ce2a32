"""Savepoints: stored snapshots of a projection at one seq, a shortcut for the fold and never truth.

They are written beside the log, not in its commit, and may vanish at any time: a reader that finds none, or one that it cannot
use, folds the journal from its beginning. Adapters: SQLite and memory (local), objects (hub).
"""

from collections.abc import Mapping
from typing import Protocol

from runner.domain.control.envelope import Subject
from shared.digests import Digest


class SavepointStore(Protocol):
    """The newest savepoint of each subject."""

    def save(self, subject: Subject, manifest: bytes, parts: Mapping[Digest, bytes], keep: frozenset[Digest]) -> None:
        """Store new `parts`, then make `manifest` the newest of `subject`.

        `keep` are all parts that the manifest names; others of the subject may be dropped.
        """
        ...

    def newest(self, subject: Subject) -> bytes | None:
        """Return the newest manifest of `subject`, or None."""
        ...

    def part(self, subject: Subject, digest: Digest) -> bytes | None:
        """Return the part of a savepoint of `subject` with `digest`, or None."""
        ...
