"""Status documents: what the pass says of each open or just ended subject, for readers that never fold.

A document is replaced as a whole and carries the seq that it describes; an older seq never replaces a newer one, so a slow
writer does no harm. Written by the pass, read by the Space and `run status`. Adapters: SQLite and memory (local), files beside
the journals (hub).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from runner.domain.control.envelope import Subject


@dataclass(frozen=True, slots=True)
class StatusDocument:
    """The newest status of one subject."""

    subject: Subject
    seq: int
    data: bytes


class StatusStore(Protocol):
    """The status documents of one installation."""

    def write(self, subject: Subject, data: bytes, seq: int) -> None:
        """Replace the status of `subject` unless the stored one describes a later seq; raise StoreFault if that fails."""
        ...

    def read(self, subject: Subject) -> StatusDocument | None:
        """Return the status of `subject`, or None."""
        ...

    def list(self) -> Mapping[Subject, StatusDocument]:
        """Return every status document, by subject."""
        ...
