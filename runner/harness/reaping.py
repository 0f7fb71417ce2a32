"""What is left of an attempt whose process ended without tidying up, found and removed.

Sandboxes die with the process that started them; their folders do not, and a kernel may take a moment for the rest. `reap` is
called by the host for each attempt that has ended and by a worker for those that its host lost. Once it has returned there is
no sandbox process and no scratch folder of that attempt.
"""

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from runner.harness.environments.bubblewrap import LABEL
from runner.harness.environments.sandbox import remove_folder

_GONE_SECONDS: Final = 5.0
_SCRATCH: Final = "scratch"


def reap(folder: Path) -> int:
    """End the sandboxes whose folder lies below the attempt's `folder`, remove its scratch; return how many were still alive."""
    scratch = folder / _SCRATCH
    if not scratch.exists():
        return 0
    alive = list(holders(scratch)) if any(scratch.glob("tmp/sandbox-*")) else []
    for pid in alive:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + _GONE_SECONDS
    while alive and time.monotonic() < deadline and any(holders(scratch)):
        time.sleep(0.01)
    remove_folder(scratch)
    return len(alive)


def holders(below: Path) -> Iterator[int]:
    """Yield the pids of sandbox holders on this machine whose folder lies below `below`."""
    mark = f"{LABEL}={below}/".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if mark in b"\0" + (entry / "environ").read_bytes():
                    yield int(entry.name)
