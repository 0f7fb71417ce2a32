"""The evidence store as a folder of files, the layout of the paths; also how a downloaded copy is verified offline."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Final

from runner.adapters.local.stores.write_once import INCOMING, write_once
from runner.ports.stores.answers import PutAnswer, Unknown
from runner.ports.stores.evidence_store import Source, StoredFile
from runner.ports.stores.full_disk import is_full
from shared.errors import Refused, StoreFault
from shared.paths import check_relative


class LocalEvidenceStore:
    """Write-once files under `root`."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root

    def put(self, path: str, source: Source) -> PutAnswer:
        """Write `source` to `path`, once; a full or failing disk is Unknown."""
        try:
            return write_once(self.root, check_relative(path), source)
        except OSError as error:
            return Unknown(path, f"{type(error).__name__}: {os.strerror(error.errno or 0)}", is_full(error))

    def open(self, path: str) -> AbstractContextManager[BinaryIO]:
        """Open `path` for reading; links are not followed out of the store."""
        try:
            descriptor = os.open(self.root / check_relative(path), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            raise Refused(
                "EVIDENCE_MISSING",
                "the file is not in the evidence store",
                field=path,
                way_out="Restore the evidence folder from a copy; `evidence verify RUN` names everything that is missing.",
            ) from None
        except OSError as error:
            raise StoreFault(
                "EVIDENCE_UNREADABLE",
                f"{type(error).__name__}: {error.strerror}",
                field=path,
                way_out="Check the evidence folder, its disk and its mode.",
            ) from None
        return os.fdopen(descriptor, "rb")

    def stat(self, path: str) -> int | None:
        """Return the size of `path`, or None."""
        try:
            return (self.root / check_relative(path)).stat(follow_symlinks=False).st_size
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """Yield the files under `prefix` in the order of their paths; `prefix` '' means all."""
        start = self.root / check_relative(prefix) if prefix else self.root
        found = []
        for folder, folders, names in os.walk(start):
            folders[:] = [name for name in folders if name != INCOMING]
            for name in names:
                file = Path(folder, name)
                found.append(StoredFile(file.relative_to(self.root).as_posix(), file.lstat().st_size))
        yield from sorted(found)
