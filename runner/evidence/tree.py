"""Walking and opening a tree that an untrusted process wrote: nothing is followed, everything that is not kept gets a reason.

Kept are regular files with one link, at a safe path, opened relative to folders that were themselves opened without following
links. Symbolic links, devices, sockets, pipes, hard links, paths that shared/paths.py refuses, folders that are too deep or too
full come back as left out. The order depends on names alone, never on the file system. Called by runner/evidence/staging.py.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, NamedTuple, Self

from shared.paths import MAX_PATH_PARTS, check_relative

MAX_FOLDER_ENTRIES: Final = 100_000
MAX_TREE_ENTRIES: Final = 100_000
_FOLDER_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Found(NamedTuple):
    """One thing in the tree: a file to keep when `reason` is empty, else something to leave out."""

    path: str
    size: int
    reason: str


@dataclass(frozen=True)
class OpenFile:
    """An open regular file with one link."""

    descriptor: int
    size: int
    is_executable: bool


class Tree:
    """An open folder; use it as a context manager."""

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, _FOLDER_FLAGS)
        self._parent = ""
        self._parent_descriptor = os.dup(self._root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._parent_descriptor)
        os.close(self._root)

    def walk(self) -> Iterator[Found]:
        """Yield everything below the root; after 100,000 entries only what folder the rest lies in."""
        left = MAX_TREE_ENTRIES
        for found in self._walk(os.dup(self._root), ""):
            if not left:
                yield Found(found.path, 0, "too_many_entries")
                return
            left -= 1
            yield found

    def open(self, path: str) -> OpenFile | str:
        """Open the regular file at `path` without following anything, or return the reason why not."""
        parent, _, name = path.rpartition("/")
        try:
            if parent != self._parent:
                self._enter(parent)
            descriptor = os.open(name, _FILE_FLAGS, dir_fd=self._parent_descriptor)
        except FileNotFoundError:
            return "missing"
        except OSError:
            return "unreadable"
        facts = os.fstat(descriptor)
        reason = _reason(facts)
        if reason:
            os.close(descriptor)
            return reason
        return OpenFile(descriptor, facts.st_size, bool(facts.st_mode & 0o100))

    def _enter(self, parent: str) -> None:
        descriptor = os.dup(self._root)
        try:
            for part in parent.split("/") if parent else ():
                below = os.open(part, _FOLDER_FLAGS, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
        except OSError:
            os.close(descriptor)
            raise
        os.close(self._parent_descriptor)
        self._parent, self._parent_descriptor = parent, descriptor

    def _walk(self, descriptor: int, prefix: str) -> Iterator[Found]:
        """Yield what lies in one folder, by name; takes over `descriptor`."""
        with closing(_Owned(descriptor)):
            names = _names(descriptor)
            if names is None:
                yield Found(prefix.rstrip("/"), 0, "folder_too_full")
                return
            for name in names:
                yield from self._look(descriptor, prefix, name)

    def _look(self, folder: int, prefix: str, name: str) -> Iterator[Found]:
        path = prefix + name
        try:
            facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            yield Found(path, 0, "unreadable")
            return
        if not stat.S_ISDIR(facts.st_mode):
            yield Found(path, facts.st_size, _reason(facts) or _path_reason(path))
            return
        if path.count("/") + 2 > MAX_PATH_PARTS:
            yield Found(path, 0, "folder_too_deep")
            return
        try:
            below = os.open(name, _FOLDER_FLAGS, dir_fd=folder)
        except OSError:
            yield Found(path, 0, "unreadable")
            return
        yield from self._walk(below, f"{path}/")


class _Owned:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        os.close(self._descriptor)


def _names(descriptor: int) -> list[str] | None:
    names: list[str] = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if len(names) == MAX_FOLDER_ENTRIES:
                return None
            names.append(entry.name)
    return sorted(names)


def _reason(facts: os.stat_result) -> str:
    if stat.S_ISLNK(facts.st_mode):
        return "symbolic_link"
    if not stat.S_ISREG(facts.st_mode):
        return "not_a_regular_file"
    return "hard_link" if facts.st_nlink != 1 else ""


def _path_reason(path: str) -> str:
    try:
        check_relative(path)
    except ValueError:
        return "unsafe_path"
    return ""
