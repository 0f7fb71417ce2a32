"""Files into and out of a local sandbox, always through a process inside it.

The host never walks the sandbox's folder itself: a link that an agent plants there is followed inside, where it leads nowhere
else. What comes out is a tar stream, of which links that leave the target, devices and pipes are left out. Called by
`local_sandbox.py`; imports no Harbor.
"""

import os
import stat
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO, Final, cast

from runner.harness.environments.bubblewrap import PATH
from runner.harness.environments.sandbox import LocalHolder

_ENVIRONMENT: Final = {"PATH": PATH, "LC_ALL": "C.UTF-8"}
_UNPACK: Final = 'mkdir -p -- "$1" && exec tar -xf - -C "$1" --no-same-owner --keep-directory-symlink'
_STORE: Final = (
    'target=$1; [ -d "$target" ] || [ "${target%/}" != "$target" ] && target=${target%/}/$2; '
    'mkdir -p -- "$(dirname -- "$target")" && cat > "$target" && chmod "$3" -- "$target"'
)


async def send_folder(holder: LocalHolder, source: Path, target: str) -> None:
    """Copy what lies in the host folder `source` into the folder `target` of the sandbox."""
    with tempfile.TemporaryFile() as archive:
        _pack(source, archive)
        await _call(holder, ["/bin/sh", "-c", _UNPACK, "send", target], f"copy {source.name}/ to {target}", stdin=archive)


async def send_file(holder: LocalHolder, source: Path, target: str) -> None:
    """Copy the host file `source` to `target`, or into it if it is a folder."""
    with _opened(source, "rb") as content:
        mode = f"{stat.S_IMODE(os.fstat(content.fileno()).st_mode):o}"
        command = ["/bin/sh", "-c", _STORE, "send", target, source.name, mode]
        await _call(holder, command, f"copy {source.name} to {target}", stdin=content)


async def fetch_folder(holder: LocalHolder, source: str, target: Path) -> None:
    """Copy what lies in the sandbox's folder `source` into the host folder `target`."""
    with tempfile.TemporaryFile() as archive:
        await _call(holder, ["/usr/bin/tar", "-cf", "-", "-C", source, "."], f"copy {source} out", stdout=archive, is_tar=True)
        archive.seek(0)
        _unpack(archive, target)


async def fetch_paths(holder: LocalHolder, paths: Iterable[str], into: Path) -> None:
    """Copy those of the absolute `paths` that exist to the same places below `into`, while commands go on."""
    names = [str(PurePosixPath(path).relative_to("/")) for path in paths]
    with tempfile.TemporaryFile() as archive:
        command = ["/usr/bin/tar", "-cf", "-", "--ignore-failed-read", "-C", "/", "--", *names]
        await _call(holder, command, "take a snapshot", stdout=archive, is_tar=True)
        archive.seek(0)
        _unpack(archive, into)


async def fetch_file(holder: LocalHolder, source: str, target: Path) -> None:
    """Copy the sandbox's file `source` to the host file `target`."""
    with _opened(target, "wb") as content:
        await _call(holder, ["/bin/cat", "--", source], f"copy {source} out", stdout=content)


async def _call(
    holder: LocalHolder,
    command: list[str],
    purpose: str,
    *,
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes] | None = None,
    is_tar: bool = False,
) -> None:
    output = await holder.run(command, environment=_ENVIRONMENT, stdin=stdin, stdout=stdout)
    is_partial = is_tar and output.exit_code in {1, 2} and b"Cannot open" not in output.stderr
    if output.exit_code != 0 and not is_partial:
        reason = output.stderr.decode(errors="replace").strip()
        raise RuntimeError(f"cannot {purpose}: {reason or f'exit code {output.exit_code}'}")


def _opened(path: Path, mode: str) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    return cast("IO[bytes]", path.open(mode))


def _pack(source: Path, archive: IO[bytes]) -> None:
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for path in sorted(source.iterdir()):
            tar.add(path, arcname=path.name, filter=_owned_by_root)
    archive.seek(0)


def _unpack(archive: IO[bytes], target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    try:
        with tarfile.open(fileobj=archive, mode="r") as tar:
            tar.extractall(target, filter=_safe_member)  # noqa: S202 - the filter drops whatever leaves the target
    except tarfile.ReadError:
        return


def _safe_member(member: tarfile.TarInfo, target: str) -> tarfile.TarInfo | None:
    if member.isdev():
        return None
    try:
        return tarfile.data_filter(member, target)
    except tarfile.FilterError:
        return None


def _owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
