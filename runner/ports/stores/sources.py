"""Benchmark sources: whatever an experiment names, pinned to bytes in a folder that Harbor can read.

Every adapter gives a lock in which no operator's path stands. A source that is gone after planning is a failure of
infrastructure, never answered with another revision.
"""

from pathlib import Path
from typing import NamedTuple, Protocol

from pydantic import JsonValue

from shared.documents.experiment.benchmark import Source


class SourceFolder(NamedTuple):
    """A source that is readable now: its lock and the folder that holds one folder a task."""

    lock: dict[str, JsonValue]
    folder: Path


class Sources(Protocol):
    """Benchmark sources by what a manifest says of them."""

    def resolve(self, source: Source, beside: Path) -> SourceFolder:
        """Pin `source` (a folder relative to `beside`) and return where its bytes are; stores nothing that outlives the caller.

        Raises Refused `SOURCE_UNSAFE`, `SOURCE_SECRET`, `SOURCE_TOO_LARGE`, `SOURCE_CHANGED`, `SOURCE_MISSING` or
        `SOURCE_UNSUPPORTED`, naming the file. The same source twice gives the same lock.
        """
        ...

    def keep(self, source: Source, beside: Path) -> SourceFolder:
        """Resolve `source` and store its bytes for later, objects first, manifest last; safe to repeat."""
        ...

    def restore(self, lock: dict[str, JsonValue], into: Path) -> None:
        """Write the files of a kept source into the new folder `into`, every byte verified; raises StoreFault otherwise."""
        ...
