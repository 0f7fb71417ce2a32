"""A Space's refresh, ended with SIGKILL at one of its steps, and the start after it; run as a program by test_killed_refresh.py.

`python -m tests.space.readers.killed_refresh ROOT POINTER BELOW {first,swap} STEP..` forks a process for each STEP: it refreshes
over ROOT and is killed before the STEP-th thing that it does to the files below BELOW. A second process starts as the next Space
does. Printed is a JSON list for each: [step, killed, steps if it went on, [state, revision, cells] of the next start, suffixes of
what then lies in BELOW and in the folder there]. STEP 0 lets it go on.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any, Final

from space.queries.statement import Statement
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.space.publishing import CATALOG

CHANGES: Final = frozenset(
    {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree", "tempfile.mkdtemp", "fcntl.flock"}
)
COUNT: Final = Statement("SELECT count(*) AS n FROM cell")


class Steps:
    """Counts what is done to files below a folder, and ends the process before the one at `last`."""

    def __init__(self, below: Path, last: int) -> None:
        self.count = 0
        self._below = str(below)
        self._last = last
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event not in CHANGES or not (event == "fcntl.flock" or str(arguments[0]).startswith(self._below)):
            return
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)


def refreshed(root: Path, below: Path) -> Refresh:
    """Return a refresh over `root` that has looked once."""
    refresh = Refresh(FolderSource(root), memory_mib=256, clock=lambda: 0.0, mirrors_below=below)
    refresh.refresh()
    return refresh


def work(root: Path, pointer: Path, below: Path, which: str, step: int) -> int | str:
    """Refresh, be killed at `step` of the first refresh or of the one that swaps; else return how many steps, or its fault."""
    steps = Steps(below, step) if which == "first" else None
    refresh = refreshed(root, below)
    if steps is None:
        shutil.copy(pointer, root / CATALOG / "current.json")
        steps = Steps(below, step)
        refresh.refresh()
    return steps.count if refresh.standing.state == "ready" else f"{refresh.standing.code}: {refresh.standing.message}"


def start_again(root: Path, below: Path) -> tuple[list[Any], list[str]]:
    """Return what the next start serves, and what then lies below."""
    refresh = refreshed(root, below)
    with refresh.lease() as mirror:
        assert mirror.revisions.catalog is not None
        served = [refresh.standing.state, mirror.revisions.catalog.revision.number, mirror.rows(COUNT)[0]["n"]]
    own = next(path for path in below.iterdir() if path.is_dir())
    return served, [path.suffix for folder in (below, own) for path in sorted(folder.iterdir())]


def apart(task: Any) -> tuple[int, Any]:
    """Run `task` in a process of its own; return its wait status and its answer."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            json.dump(task(), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    return status, json.loads(text) if text else None


def main(root: Path, pointer: Path, below: Path, which: str, *steps: int) -> None:
    """Carry out every step on files that are as they were before."""
    before = (root / CATALOG / "current.json").read_bytes()
    for step in steps:
        below.mkdir()
        (root / CATALOG / "current.json").write_bytes(before)
        status, count = apart(lambda step=step: work(root, pointer, below, which, step))
        is_killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        _, again = apart(lambda: start_again(root, below))
        sys.stdout.write(json.dumps([step, is_killed, count, *again]) + "\n")
        shutil.rmtree(below)
    (root / CATALOG / "current.json").write_bytes(before)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4], *map(int, sys.argv[5:]))
