"""Sources on this machine: folders beside the manifest, and task packages that the object store keeps.

Datasets, repositories and packages need the network and have adapters of their own; here they are `SOURCE_UNSUPPORTED`.
"""

import errno
import shutil
import tempfile
from pathlib import Path

from pydantic import JsonValue

from runner.adapters.local.stores.folder_reading import read_folder
from runner.ports.stores.answers import Applied, Unknown
from runner.ports.stores.full_disk import store_full
from runner.ports.stores.objects import Objects
from runner.ports.stores.sources import SourceFolder
from shared.digests import Digest, parse_digest
from shared.documents.experiment.benchmark import DirectorySource, Source, TaskPackageSource
from shared.documents.task_package import TaskPackage
from shared.errors import Refused, StoreFault


class LocalSources:
    """Folders and task packages; packages are written out below `scratch` to be read."""

    def __init__(self, objects: Objects, scratch: Path) -> None:
        self._objects = objects
        self._scratch = scratch

    def resolve(self, source: Source, beside: Path) -> SourceFolder:
        """Return the folder itself, locked as it stands; a task package is written out once."""
        if isinstance(source, DirectorySource):
            folder = beside / source.path
            return SourceFolder(_lock(read_folder(folder).digest), folder.resolve())
        if isinstance(source, TaskPackageSource):
            lock = _lock(parse_digest(source.digest))
            folder = self._scratch / source.digest
            if not folder.is_dir():
                self.restore(lock, folder)
            return SourceFolder(lock, folder)
        message = f"sources of type {source.type} cannot be read here."
        way_out = "Check it out and use type directory."
        raise Refused("SOURCE_UNSUPPORTED", message, field="benchmark.source.type", way_out=way_out)

    def keep(self, source: Source, beside: Path) -> SourceFolder:
        """Store every file, read back, and the package's manifest after them."""
        if not isinstance(source, DirectorySource):
            return self.resolve(source, beside)
        folder = beside / source.path
        package = read_folder(folder)
        for file in package.files:
            self._store(folder / file.path, file.sha256, file.path)
        self._store(package.to_bytes(), package.digest, "")
        return SourceFolder(_lock(package.digest), folder.resolve())

    def restore(self, lock: dict[str, JsonValue], into: Path) -> None:
        """Write the package beside `into`, verify it as a folder, and only then give it that name."""
        digest = parse_digest(str(lock.get("digest")))
        package = TaskPackage.from_bytes(b"".join(self._objects.read(digest)))
        into.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{into.name}.", dir=into.parent))
        try:
            self._write_out(package, partial)
            if read_folder(partial).digest != digest:
                way_out = "Restore the object store from a copy."
                raise StoreFault("SOURCE_CORRUPT", "the restored files are not the package.", field=digest, way_out=way_out)
            _give_name(partial, into)
        finally:
            shutil.rmtree(partial, ignore_errors=True)

    def _write_out(self, package: TaskPackage, folder: Path) -> None:
        for file in package.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            self._objects.fetch(file.sha256, target)
            target.chmod(int(file.mode, 8))

    def _store(self, content: bytes | Path, digest: Digest, path: str) -> None:
        answer = self._objects.put(content)
        if isinstance(answer, Unknown) and answer.is_full:
            raise store_full(path)
        if not isinstance(answer, Applied):
            raise StoreFault("SOURCE_NOT_STORED", "it is unknown whether it was stored.", field=path, way_out="Try again.")
        if answer.sha256 != digest:
            way_out = "Let nothing write there, then try again."
            raise Refused("SOURCE_CHANGED", "it changed while it was copied.", field=path, way_out=way_out)


def _give_name(partial: Path, into: Path) -> None:
    """Rename `partial`; another process that restored the same package first is as good."""
    partial.chmod(0o755)
    try:
        partial.rename(into)
    except OSError as error:
        if error.errno not in {errno.EEXIST, errno.ENOTEMPTY}:
            raise


def _lock(digest: Digest) -> dict[str, JsonValue]:
    return {"type": "task_package", "digest": digest}
