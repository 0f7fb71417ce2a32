"""The result store: published tables in numbered, immutable revisions of a dataset.

A commit adds files to the newest revision and makes the next one, all or nothing; two publishers on one parent make one winner.
Nothing that was published is ever rewritten. Adapters: a folder (local), a Dataset repository (hub).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Protocol

from runner.ports.stores.answers import Conflict, Unknown
from runner.ports.stores.full_disk import store_full
from shared.documents.revision import Revision
from shared.errors import StoreFault

type DatasetKind = Literal["results", "catalog"]
type CommitAnswer = Revision | Conflict | Unknown


class ResultStore(Protocol):
    """Datasets by name (`owner/name`)."""

    def head(self, dataset: str) -> Revision | None:
        """Return the newest revision, or None for a dataset without one."""
        ...

    def revision(self, dataset: str, number: int) -> Revision:
        """Return revision `number`; raise Refused REVISION_MISSING."""
        ...

    def commit(
        self,
        dataset: str,
        parent: Revision | None,
        files: Mapping[str, Path | bytes],
        *,
        kind: DatasetKind,
        runs: Mapping[str, str],
        rows: int,
        because: str,
        created_at: str,
    ) -> CommitAnswer:
        """Add `files`, `runs` and `rows` (a count) to `parent` as the next revision; Conflict if `parent` is not newest."""
        ...

    def read(self, dataset: str, revision: Revision, path: str) -> bytes:
        """Return a file of `revision`, checked against its listed size and digest; raise Refused RESULT_BROKEN."""
        ...


def not_committed(dataset: str, answer: CommitAnswer) -> StoreFault:
    """Return the error of a commit that has been tried often enough; `answer` is what the last try was told."""
    way_out = "Publish again: what stands is adopted."
    if not isinstance(answer, Unknown):
        return StoreFault("PUBLISH_CONTENDED", f"{dataset} was changed by others again and again", way_out=way_out)
    if answer.is_full:
        return store_full(dataset)
    return StoreFault("PUBLISH_UNKNOWN", f"it is unknown whether {dataset} has it: {answer.because}", way_out=way_out)
