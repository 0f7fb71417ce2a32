"""What a place of published tables must offer: a folder, or Datasets on the Hub.

Bytes are always asked for by dataset and immutable revision, never by "newest", and are checked against the size and SHA-256 that
the revision lists, wherever they come from.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Protocol

from shared.digests import Digest
from shared.documents.revision import Revision, RevisionFile
from shared.errors import StoreFault

UNREACHABLE: Final = "source.unreachable"
SCHEMA: Final = "source.schema"
CHECKSUM: Final = "source.checksum"
TOO_LARGE: Final = "source.too_large"
MISSING: Final = "source.missing"
"""What was served is no longer there."""
ROLLED_BACK: Final = "source.rolled_back"
"""The source shows less than was served, or something else in its place."""


class SourceFault(StoreFault):
    """The source cannot be served; the last good mirror stays."""


@dataclass(frozen=True)
class Head:
    """A dataset at one revision."""

    dataset: str
    revision: Revision
    commit: str = ""
    """The commit that holds it on the Hub; empty in a folder."""

    @cached_property
    def digest(self) -> Digest:
        """The digest of the revision: of a long list of files it takes some 50 ms, so it is made once."""
        return self.revision.digest


class Source(Protocol):
    """A root of results datasets, one of which is the catalog."""

    def catalog(self) -> Head | None:
        """Return the newest revision of the catalog, None while nothing was published."""

    def at(self, dataset: str, revision: str) -> Head:
        """Return `dataset` at the revision that a catalog record names."""

    def fetch(self, head: Head, file: RevisionFile, into: Path) -> None:
        """Copy `file` of `head` to `into` and check it; raise SourceFault `source.checksum` or `source.unreachable`."""
