"""What a benchmark reports, and how the rounds that it reports on are timed.

Every figure is a ratio to a baseline that runs in the same process on the same data, in turns with the work, so that a busy
machine slows both. The medians over the rounds are compared. `peak_mb` is the memory above the bare interpreter.
"""

import gc
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

_KIB_PER_UNIT: Final = 1 if sys.platform != "darwin" else 1 / 1024


class Measurement(NamedTuple):
    """One benchmark's result."""

    name: str
    value: float
    """Median of the work, in `unit`."""
    unit: str
    baseline: float
    ratio: float
    peak_mb: float


def compare(
    name: str, work: Callable[[], object], baseline: Callable[[], object], *, rounds: int = 5, peak_mb: float | None = None
) -> Measurement:
    """Return the medians of `rounds` turns of `work` and `baseline`, in seconds; each runs once before, untimed.

    `peak_mb` is given by a benchmark that measures its memory by itself.
    """
    work()
    baseline()
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(_timed(baseline))
        ours.append(_timed(work))
    value, base = statistics.median(ours), statistics.median(theirs)
    return Measurement(
        name, value, "s", base, value / base, resident_mb() - bare_interpreter_mb() if peak_mb is None else peak_mb
    )


def resident_mb() -> float:
    """Return the largest resident size of this process so far, in MiB.

    Linux counts a parent's pages in a child's ru_maxrss; VmHWM starts anew with each program.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB_PER_UNIT / 1024


def bare_interpreter_mb() -> float:
    """Return the same of an interpreter that has imported this module alone."""
    code = "from benchmarks.measurement import resident_mb; print(resident_mb())"
    return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=60).stdout)


def _timed(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
