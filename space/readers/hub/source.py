"""Results on the Hub: one Dataset a benchmark and one for the catalog, each revision a commit; every byte is read by commit.

A Dataset holds what a results folder holds, without its pointer: the commit is the pointer, and the highest number in revisions/
is the revision that it shows. A catalog record names a commit in full, or the number of a revision, as in an uploaded folder. The
rows of a private Dataset are not for everybody, so a Space that anybody can open does not show one.
"""

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

from shared import paths
from shared.documents.revision import Revision, RevisionFile
from shared.errors import BadInput
from space.hub.answers import ABSENT, SHAPE, SIZE, HubFault
from space.hub.dataset import HubDataset, Listed, Seen, is_sha
from space.hub.place import is_dataset
from space.readers.hub.kept import KeptFiles
from space.readers.source import CHECKSUM, SCHEMA, TOO_LARGE, UNREACHABLE, Head, SourceFault
from space.readers.workspace import Workspace

VISIBILITY: Final = "source.visibility"
MAX_REVISION_BYTES: Final = 32 << 20
MAX_REMEMBERED: Final = 512
AT_ONCE: Final = 50
"""Earlier revisions whose commits are asked for together."""


class HubSource:
    """The port `Source` whose catalog is `catalog`; `is_open_to_all` says whether anybody may see what this Space shows."""

    def __init__(self, catalog: HubDataset, is_open_to_all: Callable[[], bool], below: Path | None = None) -> None:
        self._catalog: Final = catalog
        self._is_open_to_all: Final = is_open_to_all
        self._workspace: Final = Workspace(below)
        self._kept: Final = KeptFiles(self._workspace.folder / "kept")
        self._lock: Final = threading.Lock()
        self._heads: dict[tuple[str, str], Head] = {}
        """What a dataset shows at a commit: it never changes."""
        self._commits: dict[tuple[str, int], str] = {}
        self._newest: dict[str, str] = {}
        """The newest commit that was seen of a dataset."""

    def catalog(self) -> Head | None:
        """Return the newest revision of the catalog, None while it shows none."""
        name = self._catalog.place.name
        sha = self._look(self._catalog).sha
        if self._newest.get(name) != sha:
            self._kept.sweep()
        head = self._shown(self._catalog, sha)
        with self._lock:
            self._newest[name] = sha
        if head is not None and head.revision.kind != "catalog":
            raise SourceFault(SCHEMA, f"{name} is no catalog", way_out="Name the Dataset that is.")
        return head

    def require_visible(self) -> None:
        """Raise SourceFault `source.visibility` where the catalog is private and this Space is not."""
        self._look(self._catalog)

    def at(self, dataset: str, revision: str) -> Head:
        """Return `dataset` at a commit, or at a numbered revision of what was last seen of it."""
        if not is_dataset(dataset) or not (
            is_sha(revision) or (revision.isascii() and revision.isdigit() and len(revision) < 10)
        ):
            raise SourceFault(SCHEMA, f"a catalog record names {dataset!r} at {revision!r}, which is no dataset at a revision")
        place = self._catalog.beside(dataset)
        if not is_sha(revision):
            return self._numbered(place, int(revision))
        if (dataset, revision) not in self._heads:
            self._look(place)
        head = self._shown(place, revision)
        if head is None:
            raise SourceFault(SCHEMA, f"{dataset} shows no revision at {revision}")
        return head

    def fetch(self, head: Head, file: RevisionFile, into: Path) -> None:
        """Download one file of `head`, hashing what is written; what was downloaded before is not asked for again."""
        into.parent.mkdir(parents=True, exist_ok=True)
        what = f"{head.dataset}/{file.path}"
        try:
            if self._kept.take(file, into):
                return
            self._download(head, file, into, what)
        except FileExistsError:
            raise SourceFault(SCHEMA, f"two datasets list {file.path}") from None
        except HubFault as fault:
            raise _fault(fault) from None
        except OSError as error:
            raise SourceFault(UNREACHABLE, f"{what} cannot be kept: {error.strerror}") from None
        self._kept.keep(file, into)

    def close(self) -> None:
        """Delete what was kept."""
        self._workspace.close()

    def _download(self, head: Head, file: RevisionFile, into: Path, what: str) -> None:
        running, size = hashlib.sha256(), 0
        with self._catalog.beside(head.dataset).opened(file.path, head.commit) as chunks, into.open("xb") as target:
            for chunk in chunks:
                running.update(chunk)
                size += len(chunk)
                if size > file.size:
                    break
                target.write(chunk)
        if (running.hexdigest(), size) != (file.sha256, file.size):
            raise SourceFault(CHECKSUM, f"{what} is not the file that its revision lists")

    def _look(self, dataset: HubDataset) -> Seen:
        """Return the head of a dataset that may be shown here."""
        try:
            seen = dataset.head()
            if seen.is_private and self._is_open_to_all():
                raise SourceFault(
                    VISIBILITY,
                    f"{dataset.place.name} is private, and anybody can open this Space",
                    way_out="Make the Space private, or the Dataset public.",
                )
        except HubFault as fault:
            raise _fault(fault) from None
        return seen

    def _shown(self, dataset: HubDataset, sha: str) -> Head | None:
        """Return what a dataset shows at a commit, None where it holds no revision."""
        name = dataset.place.name
        with self._lock:
            known = self._heads.get((name, sha))
        if known is not None:
            return known
        try:
            numbers = [number for path in dataset.folder("revisions", sha) if (number := _number(path))]
            if not numbers:
                return None
            head = Head(name, self._revision(dataset, max(numbers), sha), sha)
        except HubFault as fault:
            raise _fault(fault) from None
        with self._lock:
            if len(self._heads) >= MAX_REMEMBERED:
                self._heads.clear()
            self._heads[name, sha] = head
        return head

    def _numbered(self, dataset: HubDataset, number: int) -> Head:
        """Return a dataset at the commit that made its revision `number`."""
        name = dataset.place.name
        with self._lock:
            newest = self._newest.get(name, "") if name == self._catalog.place.name else ""
        sha = newest or self._look(dataset).sha
        try:
            commit = self._commit_of(dataset, number, sha)
            return Head(name, self._revision(dataset, number, commit), commit)
        except HubFault as fault:
            raise _fault(fault) from None

    def _commit_of(self, dataset: HubDataset, number: int, sha: str) -> str:
        """Return the commit that last changed the list of revision `number`, seen from `sha`."""
        name = dataset.place.name
        with self._lock:
            if self._commits.get((name, 0)) != sha:
                self._commits = {key: commit for key, commit in self._commits.items() if key[0] != name}
                self._commits[name, 0] = sha
            known = self._commits.get((name, number))
        if known is not None:
            return known
        window = [paths.revision_file(each) for each in range(max(1, number - AT_ONCE + 1), number + 1)]
        found = dataset.changed(window, sha)
        with self._lock:
            self._commits |= {(name, _number(path)): each.commit for path, each in found.items() if is_sha(each.commit)}
        if not _is_dated(found.get(paths.revision_file(number))):
            raise HubFault(ABSENT, f"{name} holds no revision {number}")
        return found[paths.revision_file(number)].commit

    def _revision(self, dataset: HubDataset, number: int, sha: str) -> Revision:
        name = dataset.place.name
        data = dataset.read(paths.revision_file(number), sha, MAX_REVISION_BYTES)
        try:
            revision = Revision.from_bytes(data)
            for file in revision.files:
                paths.check_relative(file.path)
        except (BadInput, ValueError) as error:
            raise SourceFault(SCHEMA, f"revision {number} of {name}: {error}") from None
        if revision.number != number:
            raise SourceFault(SCHEMA, f"revision {number} of {name} calls itself {revision.number}")
        return revision


def _is_dated(found: Listed | None) -> bool:
    return found is not None and is_sha(found.commit)


def _number(path: str) -> int:
    """Return the number in `revisions/<n>.json`, 0 for any other file."""
    stem = path.removeprefix("revisions/").removesuffix(".json")
    is_number = stem.isascii() and stem.isdigit() and 0 < len(stem) < 10
    return int(stem) if is_number and paths.revision_file(int(stem)) == path else 0


def _fault(fault: HubFault) -> SourceFault:
    return SourceFault({SIZE: TOO_LARGE, SHAPE: SCHEMA}.get(fault.code, UNREACHABLE), fault.message)
