"""Writing a file that appears whole or not at all and is never replaced: temporary file, fsync, hard link, fsync of the folder.

A hard link fails when its name is taken, so two writers of one path cannot both win and no reader sees half a file. A process
killed between the steps leaves at most a file in `.incoming`, which no listing shows.
"""

import hashlib
import itertools
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from runner.ports.stores.answers import Applied, Conflict
from runner.ports.stores.evidence_store import Source
from shared.digests import CHUNK_BYTES, Digest, sha256, sha256_stream

INCOMING: Final = ".incoming"
PRIVATE: Final = 0o600
PUBLIC: Final = 0o666
"""For what is published: whoever the umask lets may read it."""
_numbers: Final = itertools.count()


def write_once(root: Path, path: str, source: Source, mode: int = PRIVATE) -> Applied | Conflict:
    """Write `source` to `root`/`path`; equal bytes there are Applied, other bytes Conflict.

    A new file has `mode`, less what the process's umask takes away. The answer says what was written: who must know what
    stands there reads it, as sealing does.
    """
    target = root / path
    descriptor, temporary = open_incoming(root / INCOMING, mode)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            written = _copy(source, stream)
            stream.flush()
            os.fsync(stream.fileno())
        is_new = _link(temporary, target)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)  # noqa: PTH108 - one of nine files an attempt; pathlib costs more than the call
    if not is_new and (found := _hash(target)) != written:
        return Conflict(path, found[0])
    return Applied(*written, is_new)


def open_incoming(incoming: Path, mode: int = PRIVATE) -> tuple[int, str]:
    """Open a new file of nobody else's, and return it with its path; a name that a killed process left is passed over."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    while True:
        temporary = f"{incoming}/{os.getpid()}-{next(_numbers)}"
        try:
            return os.open(temporary, flags, mode), temporary
        except FileExistsError:
            continue
        except FileNotFoundError:
            incoming.mkdir(parents=True, exist_ok=True)


def _copy(source: Source, stream: BinaryIO) -> tuple[Digest, int]:
    """Write `source` to `stream` and return digest and size of what was written."""
    if isinstance(source, bytes):
        stream.write(source)
        return sha256(source), len(source)
    running, size = hashlib.sha256(), 0
    with source.open("rb") as reader:
        while chunk := reader.read(CHUNK_BYTES):
            running.update(chunk)
            stream.write(chunk)
            size += len(chunk)
    return Digest(running.hexdigest()), size


def _link(temporary: str, target: Path) -> bool:
    try:
        try:
            os.link(temporary, target)
        except FileNotFoundError:
            _make_folders(target.parent)
            os.link(temporary, target)
    except FileExistsError:
        return False
    _sync_folder(target.parent)
    return True


def _make_folders(folder: Path) -> None:
    """Make `folder` and what is missing above it, each name on disk before anything is put in it."""
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _hash(file: Path) -> tuple[Digest, int]:
    with file.open("rb") as stream:
        return sha256_stream(stream)
