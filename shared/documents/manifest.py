"""The manifest: a set of files by path, SHA-256 and size, with references to other manifests; its digest names the artifact.

A manifest is written only after every file it lists has been read back, so its presence says that all of it is there. Files are
sorted by path and stand once; so do references, by kind and subject.
"""

from typing import Annotated, ClassVar, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from shared import versions
from shared.digests import Digest
from shared.documents.document import Document
from shared.paths import check_relative

type Sha256 = Annotated[Digest, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class ManifestFile(Document):
    """One file: where it lies below the manifest, and exactly which bytes it is."""

    path: str
    sha256: Sha256
    size: Annotated[int, Field(ge=0)]

    @field_validator("path")
    @classmethod
    def _is_safe(cls, path: str) -> str:
        return check_relative(path)


class ManifestRef(Document):
    """Another manifest: of what kind and subject, and its digest."""

    kind: str
    subject: str
    sha256: Sha256


class Manifest(Document):
    """The exact set of files of one artifact."""

    error_code: ClassVar[str] = "MANIFEST_INVALID"

    schema_version: int = versions.MANIFEST
    kind: str
    files: tuple[ManifestFile, ...]
    refs: tuple[ManifestRef, ...] = ()
    meta: dict[str, str | int | bool | None] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _is_sorted_and_unique(self) -> Self:
        paths = [file.path for file in self.files]
        if paths != sorted(set(paths)):
            raise ValueError("files must stand once each, sorted by path")
        refs = [(ref.kind, ref.subject) for ref in self.refs]
        if refs != sorted(set(refs)):
            raise ValueError("refs must stand once each, sorted by kind and subject")
        return self
