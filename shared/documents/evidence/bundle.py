"""What stands in a sealed bundle beside its files: the marker, and the inventory of an attempt's private artifacts."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, model_validator

from shared import versions
from shared.documents.document import Document
from shared.documents.manifest import Sha256

type Size = Annotated[int, Field(ge=0)]


class Marker(StrEnum):
    """The names of the last-written file, which makes a bundle terminal. A reward of zero is a success."""

    SUCCESS = "_SUCCESS"
    FAILED = "_FAILED"
    CANCELLED = "_CANCELLED"
    PARTIAL = "_PARTIAL"


class MarkerDocument(Document):
    """The bytes of a marker: whose bundle this is, its checksums, and the fencing token of who sealed it."""

    error_code: ClassVar[str] = "MARKER_INVALID"

    subject: str
    checksums_sha256: Sha256
    fence: Size


class InventoryFile(Document):
    """One stored file, as a loose file of the bundle or as a member of its archive."""

    path: str
    kind: str
    size_bytes: Size
    sha256: Sha256
    stored: Literal["loose", "archive"]
    classification: Literal["verbatim", "redacted"]


class LeftOut(Document):
    """One thing that was there and is not stored, and why; an escaped path where the name itself was the reason."""

    path: str
    reason: str
    size_bytes: Size


class Requirement(Document):
    """One path that the attempt had to leave, and whether it is stored."""

    path: str
    is_met: bool


class Inventory(Document):
    """Everything an attempt left behind; its digest is the identity of the evidence, whatever compressed the archive."""

    error_code: ClassVar[str] = "INVENTORY_INVALID"

    schema_version: int = versions.BUNDLE
    subject: str
    files: tuple[InventoryFile, ...]
    requirements: tuple[Requirement, ...]
    left_out: tuple[LeftOut, ...]
    redactions: dict[str, Size]

    @model_validator(mode="after")
    def _is_sorted_and_unique(self) -> Self:
        keys = [(file.path, file.stored) for file in self.files]
        if keys != sorted(set(keys)):
            raise ValueError("files must stand once each, sorted by path and place")
        return self

    @property
    def is_sufficient(self) -> bool:
        """Whether every requirement is met."""
        return all(requirement.is_met for requirement in self.requirements)
