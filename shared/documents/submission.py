"""The body of a submit: the run lock and where the source lies; plan and shards are objects that the lock's digests name."""

from typing import ClassVar

from shared.documents.document import Document
from shared.documents.run_lock import RunLock, Sha256


class Submission(Document):
    """What a submit asks for."""

    error_code: ClassVar[str] = "SUBMISSION_INVALID"

    lock: RunLock
    source_digest: Sha256
    """Digest of the task package's manifest in the object store."""
