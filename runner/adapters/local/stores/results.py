"""The result store as a folder: one folder a dataset, its layout that of the published repository.

One publisher at a time holds the folder's lock, which the kernel gives back when it dies: so a file that no revision lists was
left by a killed publisher, and may be replaced. Files are written and synced, then `revisions/<n>.json` is created with a hard
link, which fails if its number is taken; that creation is the commit. `current.json` follows; after a kill it may be one step
behind, and the next head rolls it forward.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from runner.adapters.local.stores.write_once import INCOMING, PUBLIC, open_incoming, write_once
from runner.domain.yields import declare, reach
from runner.ports.stores.answers import Applied, Conflict, Unknown
from runner.ports.stores.full_disk import is_full
from runner.ports.stores.result_store import CommitAnswer, DatasetKind
from shared import paths
from shared.digests import Digest, sha256
from shared.documents.document import Document
from shared.documents.revision import Current, Revision, RevisionFile
from shared.errors import BadInput, Refused

LOCK: Final = "lock"
BEFORE_FILE: Final = declare("results.before_file", "publishing, before each file of a revision is written")
BEFORE_REVISION: Final = declare("results.before_revision", "publishing, every file stands, the revision does not")
BEFORE_POINTER: Final = declare("results.before_pointer", "publishing, the revision stands, the pointer is one behind")
AFTER_POINTER: Final = declare("results.after_pointer", "publishing, the pointer names the new revision")


class _Commit(NamedTuple):
    """What a commit says beside its files."""

    dataset: str
    kind: DatasetKind
    runs: Mapping[str, str]
    rows: int
    because: str
    created_at: str


class LocalResults:
    """The port `ResultStore` below `root`."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root

    def names(self) -> list[str]:
        """Return the names of the datasets that stand here, sorted."""
        return sorted(folder.parent.relative_to(self.root).as_posix() for folder in self.root.glob("*/*/revisions"))

    def kind(self, dataset: str) -> DatasetKind:
        """Return what `dataset` is; of one whose newest revision cannot be read, what its files look like."""
        try:
            head = self.head(dataset)
        except Refused:
            head = None
        if head is not None:
            return head.kind
        return "catalog" if (self._folder(dataset) / "locks").is_dir() else "results"

    def head(self, dataset: str) -> Revision | None:
        """Return the newest revision; rolls a pointer forward that a killed publisher left behind."""
        folder = self._folder(dataset)
        pointer = folder / paths.CURRENT
        current = _read(Current, pointer) if pointer.exists() else None
        number = newest = current.number if current else 0
        while (folder / paths.revision_file(newest + 1)).is_file():
            newest += 1
        if newest == 0:
            return None
        revision = self.revision(dataset, newest)
        if current and current.sha256 != (revision if newest == number else self.revision(dataset, number)).digest:
            raise _broken("the pointer names another revision than the one that stands", paths.CURRENT)
        if newest != number:
            with suppress(OSError):  # A copy that may not be written is read all the same.
                self._point(folder, revision)
        return revision

    def revision(self, dataset: str, number: int) -> Revision:
        """Return revision `number`."""
        path = self._folder(dataset) / paths.revision_file(number)
        if not path.is_file():
            raise Refused("REVISION_MISSING", f"{dataset} has no revision {number}", way_out="`results list` shows them.")
        return _read(Revision, path)

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
        """Add `files` and `runs` to `parent` as the next revision."""
        folder = self._folder(dataset)
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            head = self.head(dataset)
            if (head.digest if head else None) != (parent.digest if parent else None):
                return Conflict(dataset, Digest(head.digest if head else ""))
            return self._commit(folder, parent, files, _Commit(dataset, kind, runs, rows, because, created_at))

    def _commit(self, folder: Path, parent: Revision | None, files: Mapping[str, Path | bytes], commit: _Commit) -> CommitAnswer:
        listed = {file.path: file for file in parent.files} if parent else {}
        try:
            for path in sorted(files):
                reach(BEFORE_FILE)
                if path not in listed:
                    (folder / paths.check_relative(path)).unlink(missing_ok=True)
                answer = write_once(folder, paths.check_relative(path), files[path], PUBLIC)
                if isinstance(answer, Conflict):
                    return answer
                listed[path] = RevisionFile(path=path, sha256=answer.sha256, size=answer.size)
            revision = Revision(
                kind=commit.kind,
                number=parent.number + 1 if parent else 1,
                previous_sha256=parent.digest if parent else None,
                created_at=commit.created_at,
                because=commit.because,
                files=tuple(listed[path] for path in sorted(listed)),
                runs={**(parent.runs if parent else {}), **commit.runs},
                rows=(parent.rows if parent else 0) + commit.rows,
            )
            reach(BEFORE_REVISION)
            made = write_once(folder, paths.revision_file(revision.number), revision.to_bytes(), PUBLIC)
        except OSError as error:
            return Unknown(commit.dataset, f"{type(error).__name__}: {os.strerror(error.errno or 0)}", is_full(error))
        if not isinstance(made, Applied):
            return made
        reach(BEFORE_POINTER)
        self._point(folder, revision)
        reach(AFTER_POINTER)
        return revision

    def read(self, dataset: str, revision: Revision, path: str) -> bytes:
        """Return a file of `revision`, checked."""
        entry = next((file for file in revision.files if file.path == path), None)
        if entry is None:
            raise _broken(f"revision {revision.number} of {dataset} does not list this file", path)
        try:
            data = (self._folder(dataset) / paths.check_relative(path)).read_bytes()
        except FileNotFoundError:
            raise _broken("the file is missing", path) from None
        except OSError as error:
            raise _broken(f"the file cannot be read: {error.strerror}", path) from None
        if (sha256(data), len(data)) != (entry.sha256, entry.size):
            raise _broken("the file is not the one that its revision lists", path)
        return data

    def _folder(self, dataset: str) -> Path:
        return self.root / paths.check_relative(dataset)

    def _point(self, folder: Path, revision: Revision) -> None:
        current = Current(number=revision.number, sha256=Digest(revision.digest))
        descriptor, temporary = open_incoming(folder / INCOMING, PUBLIC)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(current.to_bytes())
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(folder / paths.CURRENT)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; a second publisher waits, a dead one holds nothing."""
    (folder / INCOMING).mkdir(exist_ok=True)
    descriptor = os.open(folder / INCOMING / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read[D: Document](kind: type[D], path: Path) -> D:
    try:
        return kind.from_bytes(path.read_bytes())
    except BadInput as error:
        raise _broken(error.message, path.name) from None
    except OSError as error:
        raise _broken(f"the file cannot be read: {error.strerror}", path.name) from None


def _broken(message: str, field: str) -> Refused:
    way_out = "`results audit` names everything that is broken; `results rebuild` makes the tables anew."
    return Refused("RESULT_BROKEN", message, field=field, way_out=way_out)
