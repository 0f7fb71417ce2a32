"""A revision of a results folder: the immutable, numbered list of its files, and the pointer that says which one holds.

Locally `revisions/<n>.json` is written once, after every file it lists, and creating it is the commit: of two publishers one
creates number n + 1. `current.json` is the only file that is ever rewritten.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from shared import versions
from shared.documents.document import Document
from shared.documents.manifest import Sha256

type Number = Annotated[int, Field(ge=1)]


class RevisionFile(Document):
    """One file of a revision."""

    path: str
    sha256: Sha256
    size: Annotated[int, Field(ge=0)]


class Revision(Document):
    """The content of revisions/<n>.json."""

    error_code: ClassVar[str] = "REVISION_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=versions.REVISION)] = versions.REVISION
    kind: Literal["results", "catalog"]
    number: Number
    previous_sha256: Sha256 | None
    """Digest of the revision before, None for the first: the revisions are a chain."""
    created_at: str
    because: str
    files: tuple[RevisionFile, ...]
    """Sorted by path."""
    runs: dict[str, str]
    """Publication id by run id."""
    rows: Annotated[int, Field(ge=0)]
    """Rows of all tables together; in a catalog the newest sequence."""


class Current(Document):
    """The content of current.json."""

    error_code: ClassVar[str] = "REVISION_INVALID"

    number: Number
    sha256: Sha256
    """Digest of that revision's document."""
