"""Files into and out of a local sandbox, always through a process inside it.

The host never walks the sandbox's folder itself: a link that an agent plants there is followed inside, where it leads nowhere
else. What comes out is a tar stream of folders, links that stay inside, and files that evidence could hold; whatever else was
there is told by name, reason and size (`LeftBehind`). No file, and no copy as a whole, is larger than its bound. Called by
`local_sandbox.py`; imports no Harbor.
"""

import asyncio
import contextlib
import os
import signal
import stat
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final

from runner.evidence.left_behind import LeftBehind
from runner.harness.environments.bubblewrap import PATH
from runner.harness.environments.sandbox import LocalHolder

MAX_FILE_BYTES: Final = 64 << 20
"""A larger file stays in the sandbox; evidence holds none that is larger."""
MAX_COPY_BYTES: Final = 1 << 30
MAX_COPY_ENTRIES: Final = 100_000
_ENVIRONMENT: Final = {"PATH": PATH, "LC_ALL": "C.UTF-8"}
_UNPACK: Final = 'mkdir -p -- "$1" && exec tar -xf - -C "$1" --no-same-owner --keep-directory-symlink'
_STORE: Final = (
    'target=$1; [ -d "$target" ] || [ "${target%/}" != "$target" ] && target=${target%/}/$2; '
    'mkdir -p -- "$(dirname -- "$target")" && cat > "$target" && chmod "$3" -- "$target"'
)
_PACK: Final = (
    'size=$1; cd -- "$2" || exit 2; shift 2; '
    "find \"$@\" ! -type d ! -type l ! '(' -type f -size \"-${size}c\" ')' -printf '%y %s %p\\0' 3>&2 2>/dev/null >&3; "
    "printf '\\0' >&2; "
    "find \"$@\" '(' -type d -o -type l -o -type f -size \"-${size}c\" ')' -print0 2>/dev/null | "
    "exec tar --create --file=- --hard-dereference --null --no-recursion --files-from=-"
)
"""Tells on stderr what stays behind, an empty record, then tar's own words; the archive of the rest goes to stdout."""
_TAKE: Final = '[ -e "$1" ] || exit 4; [ -f "$1" ] || exit 3; exec cat -- "$1"'
_NO_FILE: Final = {3: "not_a_regular_file", 4: "missing"}
_SHELL: Final = ("/bin/sh", "-c")
_TOO_LONG: Final = frozenset({-signal.SIGXFSZ, 128 + signal.SIGXFSZ})
_PARTIAL: Final = frozenset({0, 1, 2})
"""tar's words for: all, some changed while it read, some could not be read."""


class NotCopied(RuntimeError):
    """A call that copies files failed, although the sandbox is up; `reason` is evidence's word for it, or empty."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


async def send_folder(holder: LocalHolder, source: Path, target: str) -> None:
    """Copy what lies in the host folder `source` into the folder `target` of the sandbox."""
    with tempfile.TemporaryFile() as archive:
        _pack(source, archive)
        await _call(holder, [*_SHELL, _UNPACK, "send", target], f"copy {source.name}/ to {target}", stdin=archive)


async def send_file(holder: LocalHolder, source: Path, target: str) -> None:
    """Copy the host file `source` to `target`, or into it if it is a folder."""
    with source.open("rb") as content:
        mode = f"{stat.S_IMODE(os.fstat(content.fileno()).st_mode):o}"
        command = [*_SHELL, _STORE, "send", target, source.name, mode]
        await _call(holder, command, f"copy {source.name} to {target}", stdin=content)


async def fetch_folder(holder: LocalHolder, source: str, target: Path) -> list[LeftBehind]:
    """Copy what lies in the sandbox's folder `source` into the host folder `target`; return what stayed, by path below it."""
    return await _fetch(holder, source, [".", "-mindepth", "1"], target, f"copy {source} out")


async def fetch_paths(holder: LocalHolder, paths: Iterable[str], into: Path) -> list[LeftBehind]:
    """Copy those of the absolute `paths` that exist to the same places below `into`, while commands go on."""
    names = [f"./{PurePosixPath(path).relative_to('/')}" for path in paths]
    return await _fetch(holder, "/", names, into, "take a snapshot")


async def fetch_file(holder: LocalHolder, source: str, target: Path) -> None:
    """Copy the sandbox's file `source` to the host file `target`; NotCopied if it is no file or is too large."""
    command = [*_SHELL, _TAKE, "take", source]
    with _kept_if_whole(target) as content:
        output = await holder.run(command, environment=_ENVIRONMENT, stdout=content, file_bytes=MAX_FILE_BYTES + 1)
        is_too_big = output.exit_code in _TOO_LONG or os.fstat(content.fileno()).st_size > MAX_FILE_BYTES
        if is_too_big or output.exit_code != 0:
            reason = "file_too_big" if is_too_big else _NO_FILE.get(output.exit_code, "")
            raise NotCopied(f"cannot copy {source} out: {reason or _words(output.exit_code, output.stderr)}", reason)


async def _fetch(holder: LocalHolder, folder: str, what: list[str], target: Path, purpose: str) -> list[LeftBehind]:
    with tempfile.TemporaryFile() as archive:
        command = [*_SHELL, _PACK, "pack", str(MAX_FILE_BYTES + 1), folder, *what]
        output = await holder.run(command, environment=_ENVIRONMENT, stdout=archive, file_bytes=MAX_COPY_BYTES)
        told, is_whole, words = _told(output.stderr)
        if not is_whole or output.exit_code not in _PARTIAL | _TOO_LONG:
            raise NotCopied(f"cannot {purpose}: {_words(output.exit_code, words)}")
        archive.seek(0)
        return told + await asyncio.to_thread(_unpack, archive, target)


def _told(text: bytes) -> tuple[list[LeftBehind], bool, bytes]:
    """Return what stays behind, whether the list is whole, and what was said after it."""
    listed, end, words = (b"\0" + text).partition(b"\0\0")
    if not end:
        return [], False, text
    records = [record.decode(errors="replace").split(" ", 2) for record in listed.split(b"\0") if record]
    return [
        LeftBehind(path.removeprefix("./"), "file_too_big" if kind == "f" else "not_a_regular_file", int(size))
        for kind, size, path in records
    ], True, words  # fmt: skip


@contextlib.contextmanager
def _kept_if_whole(target: Path) -> Iterator[IO[bytes]]:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("wb") as content:
            yield content
    except BaseException:
        target.unlink(missing_ok=True)
        raise


async def _call(holder: LocalHolder, command: list[str], purpose: str, *, stdin: IO[bytes]) -> None:
    output = await holder.run(command, environment=_ENVIRONMENT, stdin=stdin)
    if output.exit_code != 0:
        raise NotCopied(f"cannot {purpose}: {_words(output.exit_code, output.stderr)}")


def _words(exit_code: int, stderr: bytes) -> str:
    return stderr[-2000:].decode(errors="replace").strip() or f"exit code {exit_code}"


def _pack(source: Path, archive: IO[bytes]) -> None:
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path in sorted(source.iterdir()):
            tar.add(path, arcname=path.name, filter=_owned_by_root)
    archive.seek(0)


def _unpack(archive: IO[bytes], target: Path) -> list[LeftBehind]:
    """Unpack what may lie on the host; return the rest. An archive that was cut at its bound ends with the last whole file."""
    target.mkdir(parents=True, exist_ok=True)
    left: list[LeftBehind] = []
    try:
        with tarfile.open(fileobj=archive, mode="r") as tar:
            for count, member in enumerate(tar):
                if count == MAX_COPY_ENTRIES:
                    return [*left, LeftBehind("", "too_many_entries", 0)]
                if reason := _unpack_one(tar, member, target):
                    left.append(LeftBehind(member.name.removeprefix("./"), reason, member.size))
    except tarfile.ReadError:
        if archive.seek(0, os.SEEK_END):
            left.append(LeftBehind("", "copy_too_big", archive.tell()))
    return left


def _unpack_one(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> str:
    """Unpack one member; return why not, or nothing."""
    if member.size > MAX_FILE_BYTES:
        return "file_too_big"
    try:
        tar.extract(member, target, filter="data")
    except tarfile.FilterError:
        return "symbolic_link" if member.issym() or member.islnk() else "unsafe_path"
    except OSError:
        return "unstorable"
    return ""


def _owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
