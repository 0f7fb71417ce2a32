"""What stayed in the sandbox when an attempt's files were copied out: a list beside Harbor's files, read when they are sealed.

What never reached the host cannot be found by walking a folder there, and an agent that hides its work in a pipe or a huge file
must not do so unseen. One JSON object a line; the list is written by us, but named by what a task made, so it is read with care.
Written by the sandbox, read by runner/evidence/staging.py; standard library only, since Harbor's environment imports it.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

LEFT_BEHIND: Final = "left-behind.jsonl"
"""The list's name in Harbor's folder of the trial."""
MAX_LINES: Final = 10_000
_MAX_BYTES: Final = 8 << 20


class LeftBehind(NamedTuple):
    """One thing that was not copied: its path below the trial's folder, why, and its size where it has one."""

    path: str
    reason: str
    size_bytes: int


def add_left_behind(folder: Path, things: Iterable[LeftBehind]) -> None:
    """Add `things` to the list in the trial's `folder`."""
    lines = [json.dumps(thing) + "\n" for thing in things]
    if lines:
        with (folder / LEFT_BEHIND).open("a", encoding="utf-8") as stream:
            stream.writelines(lines)


def read_left_behind(folder: Path) -> list[LeftBehind]:
    """Return what the list in `folder` names, each thing once; nothing where there is no list, and no line that is not ours."""
    try:
        with (folder / LEFT_BEHIND).open("rb") as stream:
            lines = stream.read(_MAX_BYTES).splitlines()[:MAX_LINES]
    except OSError:
        return []
    return sorted({thing for line in lines if (thing := _thing(line)) is not None})


def _thing(line: bytes) -> LeftBehind | None:
    try:
        path, reason, size = json.loads(line)
    except (ValueError, TypeError, RecursionError):
        return None
    is_ours = isinstance(path, str) and isinstance(reason, str) and isinstance(size, int) and size >= 0
    return LeftBehind(path, reason, size) if is_ours else None
