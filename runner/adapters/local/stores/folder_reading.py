"""Reading a folder of benchmark tasks as a task package: every file by digest, nothing followed, nothing half-read.

Refused, with the path: links (symbolic and hard), devices and pipes, `.git`, paths that shared/paths.py refuses or that
differ only in case, text that looks like a credential, sizes beyond the limits, and a file that changes while it is read.
Each file is opened relative to an open folder and without following links. Called by the local adapter of the sources port.
"""

import hashlib
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal, NoReturn

from runner.evidence.redaction import Redactor
from shared.digests import CHUNK_BYTES, Digest
from shared.documents.task_package import PackagedFile, TaskPackage
from shared.errors import Refused
from shared.paths import check_relative

MAX_FILE_BYTES: Final = 8 * 1024**3
MAX_TOTAL_BYTES: Final = 32 * 1024**3
MAX_ENTRIES: Final = 1_000_000
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SHAPES: Final = Redactor({})

type Reader = Callable[[str, int, Digest], None]


def read_folder(folder: Path) -> TaskPackage:
    """Return the package that the files below `folder` make; raise Refused naming the first file that may not be in one."""
    if folder.is_symlink() or not folder.is_dir():
        _refuse("SOURCE_MISSING", "the source is no folder.", "", "Name a folder beside the manifest.")
    files: list[PackagedFile] = []
    entries = total = 0
    for parent, folders, names, descriptor in os.fwalk(folder, follow_symlinks=False):
        folders.sort()
        below = Path(parent).relative_to(folder).as_posix()
        entries += len(folders) + len(names)
        if entries > MAX_ENTRIES:
            _refuse("SOURCE_TOO_LARGE", f"more than {MAX_ENTRIES} entries.", below, "Select fewer tasks into the folder.")
        for name in folders:
            _check_folder(name, _join(below, name), descriptor)
        for name in names:
            file = _read_file(name, _join(below, name), descriptor)
            total += file.size
            if total > MAX_TOTAL_BYTES:
                _refuse("SOURCE_TOO_LARGE", f"more than {MAX_TOTAL_BYTES} bytes.", file.path, "Move large data to the image.")
            files.append(file)
    return _package(files)


def _package(files: list[PackagedFile]) -> TaskPackage:
    seen: dict[str, str] = {}
    for file in files:
        twin = seen.setdefault(file.path.casefold(), file.path)
        if twin != file.path:
            _refuse("SOURCE_UNSAFE", f"it differs only in case from {twin!r}.", file.path, "Rename one of them.")
    if not files:
        _refuse("SOURCE_MISSING", "the source has no file.", "", "Put one folder a task into it.")
    return TaskPackage(files=tuple(sorted(files, key=lambda file: file.path)))


def _join(below: str, name: str) -> str:
    return name if below == "." else f"{below}/{name}"


def _check_folder(name: str, path: str, descriptor: int) -> None:
    _check_name(name, path)
    if not stat.S_ISDIR(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode):
        _refuse("SOURCE_UNSAFE", "it is a link.", path, "Copy what it points to.")


def _check_name(name: str, path: str) -> None:
    if name.casefold() == ".git":
        _refuse("SOURCE_UNSAFE", "version control data may not be in a source.", path, "Export the files, or use a git source.")
    try:
        check_relative(path)
    except ValueError as error:
        _refuse("SOURCE_UNSAFE", f"{error}.", path.encode("utf-8", "backslashreplace").decode(), "Rename it.")


def _read_file(name: str, path: str, parent: int) -> PackagedFile:
    _check_name(name, path)
    try:
        descriptor = os.open(name, _FILE_FLAGS, dir_fd=parent)
    except FileNotFoundError:
        _refuse("SOURCE_CHANGED", "it went away while the folder was read.", path, "Let nothing write there, then try again.")
    except OSError:
        _refuse("SOURCE_UNSAFE", "it is a link or a device, or cannot be read.", path, "Copy the file itself.")
    with os.fdopen(descriptor, "rb", buffering=0) as stream:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            _refuse("SOURCE_UNSAFE", "it is no regular file.", path, "Remove it.")
        if before.st_nlink != 1:
            _refuse("SOURCE_UNSAFE", "it has a second hard link.", path, "Copy the folder without links.")
        if before.st_size > MAX_FILE_BYTES:
            _refuse("SOURCE_TOO_LARGE", f"more than {MAX_FILE_BYTES} bytes.", path, "Move large data to the image.")
        running, size, tail = hashlib.sha256(), 0, b""
        while chunk := stream.read(CHUNK_BYTES):
            running.update(chunk)
            size += len(chunk)
            _refuse_secrets(tail + chunk, path)
            tail = chunk[-_SHAPES.overlap :]
        after = os.fstat(descriptor)
    if size != before.st_size or _moment(before) != _moment(after):
        _refuse("SOURCE_CHANGED", "it changed while it was read.", path, "Let nothing write there, then try again.")
    mode: Literal["0644", "0755"] = "0755" if before.st_mode & stat.S_IXUSR else "0644"
    return PackagedFile(path=path, mode=mode, sha256=Digest(running.hexdigest()), size=size)


def _refuse_secrets(data: bytes, path: str) -> None:
    hits = _SHAPES.redact(data).hits
    if hits:
        rules = ", ".join(sorted(hits))
        _refuse("SOURCE_SECRET", f"it holds what looks like a secret ({rules}).", path, "Remove and revoke it.")


def _moment(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


def _refuse(code: str, message: str, path: str, way_out: str) -> NoReturn:
    raise Refused(code, message, field=path or "benchmark.source.path", way_out=way_out)
