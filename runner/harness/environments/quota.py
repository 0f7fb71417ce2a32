"""How much a sandbox may write to the host's disk, and the watch that notices when it wrote more.

One file is bounded by the kernel (`join_arguments`), the whole by this watch. The file system is asked twice a second for its
free space, which costs nothing; only when that has fallen by what the sandbox had left, or a while has passed, are the files
counted: in blocks, so that a hole is free, with those that were removed while a program holds them open. Between two looks a
sandbox can write beyond its quota what the disk takes in half a second. Imports no Harbor; called by `sandbox.py`.
"""

import asyncio
import contextlib
import os
import stat
import time
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

DEFAULT_BYTES: Final = 10 * 1024**3
MAX_FILES: Final = 2_000_000
LOOK_SECONDS: Final = 0.5
COUNT_SECONDS: Final = 60.0
"""Files are counted this often even if the disk's free space tells of nothing: others may free what this sandbox takes."""
_COUNTING_SHARE: Final = 20
"""A count that takes long is made less often: at most a twentieth of the time is spent on it."""


class Quota(NamedTuple):
    """What all files of a sandbox together may take."""

    bytes: int = DEFAULT_BYTES
    files: int = MAX_FILES


class Use(NamedTuple):
    """What the files of a sandbox take."""

    bytes: int
    files: int

    def exceeds(self, quota: Quota) -> bool:
        """Tell whether it is more than `quota` allows."""
        return self.bytes > quota.bytes or self.files > quota.files


async def until_exceeded(root: Path, pid: int, quota: Quota, nsenter: str) -> Use:
    """Return what the files below `root`, and those that the processes of `pid`'s namespace hold, take once it is too much."""
    use, free, counted_at, wait = Use(0, 0), _free(root), time.monotonic(), COUNT_SECONDS
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        now = _free(root)
        grown = Use(use.bytes + free.bytes - now.bytes, use.files + free.files - now.files)
        if not grown.exceeds(quota) and time.monotonic() < counted_at + wait:
            continue
        began = time.monotonic()
        use, free = await count_use(root, pid, nsenter), now
        if use.exceeds(quota):
            return use
        counted_at = time.monotonic()
        wait = max(COUNT_SECONDS, (counted_at - began) * _COUNTING_SHARE)


async def count_use(root: Path, pid: int, nsenter: str) -> Use:
    """Return what the files below `root` take, links not followed, with removed files that processes of the sandbox hold open.

    Counted with the rights of the sandbox's root, who reads what a command made unreadable, but out of its sight.
    """
    sizes = await asyncio.gather(*(_du(root, unit, [nsenter, *_as_root_of(pid)]) for unit in ("--block-size=1", "--inodes")))
    held = await asyncio.get_running_loop().run_in_executor(None, _held, root, pid)
    return Use(sizes[0] + held.bytes, sizes[1] + held.files)


def _as_root_of(pid: int) -> tuple[str, ...]:
    return ("--target", str(pid), "--user", "--preserve-credentials", "--")


async def _du(root: Path, unit: str, entered: list[str]) -> int:
    counting = await asyncio.create_subprocess_exec(
        *entered, "du", "--summarize", "--one-file-system", unit, "--", str(root),
        stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL, env={"PATH": os.defpath},
    )  # fmt: skip
    try:
        answer, _ = await counting.communicate()
    finally:
        if counting.returncode is None:
            counting.kill()
            await counting.wait()
    return int(answer.split(maxsplit=1)[0]) if answer.strip() else 0


def _free(root: Path) -> Use:
    facts = os.statvfs(root)
    return Use(facts.f_bavail * facts.f_frsize, facts.f_favail)


def _held(root: Path, pid: int) -> Use:
    """Return what removed files of `root`'s device take that processes of `pid`'s pid namespace hold open."""
    device, blocks = root.stat().st_dev, dict[int, int]()
    for process in _processes(pid):
        with contextlib.suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with contextlib.suppress(OSError):
                    facts = descriptor.stat()
                    if facts.st_nlink == 0 and facts.st_dev == device and stat.S_ISREG(facts.st_mode):
                        blocks[facts.st_ino] = facts.st_blocks * 512
    return Use(sum(blocks.values()), len(blocks))


def _processes(pid: int) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        namespace = Path(f"/proc/{pid}/ns/pid").readlink()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    if (entry / "ns" / "pid").readlink() == namespace:
                        yield entry
