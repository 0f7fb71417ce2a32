"""The source as a folder: `<root>/<owner>/<name>/`, each with `current.json`, `revisions/<n>.json` and the files they list.

Exactly one dataset is the catalog. The runner writes every file once, then the revision, then the pointer; so whatever the
pointer names is whole, and a reader never has to wait or lock. What was read and checked is not read again while its pointer says
the same and its file is the one that was read: the list of a large dataset takes longer to read than a page to make.
"""

import hashlib
import os
import re
import stat
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from shared import paths
from shared.documents.revision import Current, Revision, RevisionFile
from shared.errors import BadInput
from space.readers.source import CHECKSUM, SCHEMA, TOO_LARGE, UNREACHABLE, Head, SourceFault

MAX_DOCUMENT_BYTES: Final = 32 << 20
_CHUNK: Final = 1 << 20
_DATASET: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)


class FolderSource:
    """The port `Source` below `root`."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root
        self._known: dict[Path, _Known] = {}

    def catalog(self) -> Head | None:
        """Return the newest revision of the one dataset whose kind is catalog."""
        heads = [self._head(pointer.parent) for pointer in sorted(self.root.glob(f"*/*/{paths.CURRENT}"))]
        catalogs = [head for head in heads if head.revision.kind == "catalog"]
        if len(catalogs) > 1:
            names = ", ".join(head.dataset for head in catalogs)
            raise SourceFault(SCHEMA, f"expected one catalog, found {names}", way_out="Keep one catalog below the root.")
        return catalogs[0] if catalogs else None

    def at(self, dataset: str, revision: str) -> Head:
        """Return `dataset` at the numbered `revision`."""
        if not _DATASET.fullmatch(dataset) or ".." in dataset or not revision.isascii() or not revision.isdigit():
            raise SourceFault(SCHEMA, f"a catalog record names {dataset!r} at {revision!r}, which is no dataset at a revision")
        folder = self.root / dataset
        known = self._known.get(folder)
        if known is not None and known.head.revision.number == int(revision):
            file = _File.at(folder, int(revision))
            if file is not None and known.file == file:
                return known.head
        return Head(dataset, self._revision(folder, int(revision)))

    def fetch(self, head: Head, file: RevisionFile, into: Path) -> None:
        """Copy one file, hashing what is written."""
        dataset = head.dataset
        running = hashlib.sha256()
        size = 0
        into.parent.mkdir(parents=True, exist_ok=True)
        try:
            with _opened(self.root / dataset / file.path) as source, into.open("xb") as target:
                while size <= file.size and (chunk := source.read(_CHUNK)):
                    running.update(chunk)
                    size += len(chunk)
                    target.write(chunk)
        except FileExistsError:
            raise SourceFault(SCHEMA, f"two datasets list {file.path}") from None
        except OSError as error:
            raise SourceFault(UNREACHABLE, f"{dataset}/{file.path} cannot be read: {error.strerror}") from None
        if (running.hexdigest(), size) != (file.sha256, file.size):
            raise SourceFault(CHECKSUM, f"{dataset}/{file.path} is not the file that its revision lists")

    def _head(self, folder: Path) -> Head:
        current = _document(Current, folder / paths.CURRENT)
        file = _File.at(folder, current.number)
        known = self._known.get(folder)
        if known is not None and known.shows(current, file):
            return known.head
        head = Head(f"{folder.parent.name}/{folder.name}", self._revision(folder, current.number))
        if head.digest != current.sha256:
            raise SourceFault(CHECKSUM, f"revision {current.number} of {folder.name} is not the one that its pointer names")
        self._known[folder] = _Known(file, head)
        return head

    def _revision(self, folder: Path, number: int) -> Revision:
        revision = _document(Revision, folder / paths.revision_file(number))
        for file in revision.files:
            try:
                paths.check_relative(file.path)
            except ValueError as error:
                raise SourceFault(SCHEMA, f"revision {number} of {folder.name} lists a bad path: {error}") from None
        return revision


class _File(NamedTuple):
    """What says that a file is still the one that was read."""

    inode: int
    size: int
    written_ns: int
    changed_ns: int

    @classmethod
    def at(cls, folder: Path, number: int) -> "_File | None":
        """Return the file of revision `number` in `folder`, None where none can be seen."""
        try:
            found = (folder / paths.revision_file(number)).stat()
        except OSError:
            return None
        return cls(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


class _Known(NamedTuple):
    """What a pointer named, read and checked; `file` as it was before it was read."""

    file: _File | None
    head: Head

    def shows(self, current: Current, file: _File | None) -> bool:
        """Tell whether reading what `current` names, now `file`, would come to the same."""
        seen = (self.head.revision.number, self.head.digest, self.file)
        return file is not None and seen == (current.number, current.sha256, file)


def _document[D: (Current, Revision)](kind: type[D], file: Path) -> D:
    try:
        with _opened(file) as stream:
            data = stream.read(MAX_DOCUMENT_BYTES + 1)
        if len(data) > MAX_DOCUMENT_BYTES:
            raise SourceFault(TOO_LARGE, f"{file.name} is larger than {MAX_DOCUMENT_BYTES >> 20} MiB")
        return kind.from_bytes(data)
    except OSError as error:
        raise SourceFault(UNREACHABLE, f"{file.name} cannot be read: {error.strerror}") from None
    except BadInput as error:
        raise SourceFault(SCHEMA, str(error)) from None


def _opened(file: Path) -> BinaryIO:
    """Open a regular file; a pipe would be waited for, and a device may never end."""
    stream = open(file, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK))  # noqa: SIM115 - a flag
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(0, "it is no regular file")
    return stream
