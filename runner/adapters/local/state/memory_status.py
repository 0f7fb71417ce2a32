"""Status documents and savepoints in memory, for the simulator and for fast tests."""

from collections.abc import Mapping
from typing import Final

from runner.domain.control.envelope import Subject
from runner.ports.state.status import StatusDocument
from shared.digests import Digest


class MemoryStatus:
    """Status documents that are gone with their process."""

    def __init__(self) -> None:
        self._documents: Final[dict[Subject, StatusDocument]] = {}

    def write(self, subject: Subject, data: bytes, seq: int) -> None:
        """Replace the status of `subject` unless the stored one describes a later seq."""
        known = self._documents.get(subject)
        if known is None or known.seq <= seq:
            self._documents[subject] = StatusDocument(subject, seq, data)

    def read(self, subject: Subject) -> StatusDocument | None:
        """Return the status of `subject`, or None."""
        return self._documents.get(subject)

    def list(self) -> Mapping[Subject, StatusDocument]:
        """Return every status document, by subject."""
        return dict(self._documents)


class MemorySavepoints:
    """Savepoints that are gone with their process."""

    def __init__(self) -> None:
        self._manifests: Final[dict[Subject, bytes]] = {}
        self._parts: Final[dict[Subject, dict[Digest, bytes]]] = {}

    def save(self, subject: Subject, manifest: bytes, parts: Mapping[Digest, bytes], keep: frozenset[Digest]) -> None:
        """Store new parts, make `manifest` the newest of `subject` and drop parts that it does not keep."""
        known = self._parts.get(subject, {})
        self._parts[subject] = {digest: data for digest, data in (known | dict(parts)).items() if digest in keep}
        self._manifests[subject] = manifest

    def newest(self, subject: Subject) -> bytes | None:
        """Return the newest manifest of `subject`, or None."""
        return self._manifests.get(subject)

    def part(self, subject: Subject, digest: Digest) -> bytes | None:
        """Return one part of a savepoint of `subject`, or None."""
        return self._parts.get(subject, {}).get(digest)
