"""What a requester is shown before deciding about a run: the rows that would be published, and the digests of all of them.

The document names the publication that a consent would make. A consent names this document's digest, so nobody can be asked about
one thing and have another published. Written once, when the run has ended; read by the Space for its requester alone.
"""

from typing import ClassVar

from pydantic import JsonValue

from shared.documents.document import Document
from shared.documents.manifest import Sha256


class ShownTable(Document):
    """One table of the publication: how many rows, and the digest that its receipt would state."""

    rows: int
    sha256: Sha256


class ShownRun(Document):
    """Everything that would become public of one run."""

    error_code: ClassVar[str] = "SHOWN_INVALID"

    schema_version: int = 1
    run_id: str
    publication_id: str
    dataset: str
    catalog: str
    run_lock_sha256: Sha256
    evidence_sha256: Sha256
    tables: dict[str, ShownTable]
    """Every table of the publication."""
    runs: tuple[dict[str, JsonValue], ...]
    """The row of table `runs`, column by column."""
    cells: tuple[dict[str, JsonValue], ...]
    """The rows of table `cells`."""
    trials: tuple[dict[str, JsonValue], ...]
    """The first rows of table `trials`, at most MAX_TRIALS."""


MAX_TRIALS = 1_000
