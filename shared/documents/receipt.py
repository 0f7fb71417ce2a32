"""The receipt of a publication: row counts and table digests, and what they hang on; what a signature will cover."""

from typing import Annotated, ClassVar

from pydantic import Field

from shared import versions
from shared.documents.document import Document
from shared.documents.manifest import Sha256
from shared.ids import RunId


class TableReceipt(Document):
    """One table of a publication."""

    version: Annotated[int, Field(ge=1)]
    rows: Annotated[int, Field(ge=0)]
    sha256: Sha256
    """The table digest (shared/tables/canonical.py)."""
    files: tuple[str, ...]


class Receipt(Document):
    """The content of publications/<id>.json."""

    error_code: ClassVar[str] = "RECEIPT_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=versions.RECEIPT)] = versions.RECEIPT
    contract: Annotated[int, Field(ge=1)]
    publication_id: str
    run_id: RunId
    benchmark: str
    run_lock_sha256: Sha256
    evidence_sha256: Sha256
    """Digest of the run root's checksums.json."""
    control_commit: str
    tables: dict[str, TableReceipt]
    signature: str | None = None
    """None until a key signs; readers print `unsigned`."""
