"""Random kills and stops of random processes, seeded: whatever is hit and whenever, the run ends in equal rows."""

import os
import random
import signal
import time
from pathlib import Path
from typing import Final

import pytest

from tests.kill.conftest import Undisturbed
from tests.kill.support.installation import END_S, Installation, copy_submitted, living_below
from tests.kill.support.soundness import require_sound, require_whole_markers

pytestmark = pytest.mark.kill
WATCH: Final = ("run", "reconcile", "--all", "--watch")
SEEDS: Final = 20
CYCLES: Final = 10
"""Of one run: 200 cycles over all seeds."""


def disturb(installation: Installation, chance: random.Random) -> str:
    """Kill one process of the installation, or stop it for a while; return what was done."""
    time.sleep(chance.uniform(0.02, 0.9))
    alive = sorted(living_below(installation.folder))
    if not alive:
        return "nothing alive"
    pid, is_stopped = chance.choice(alive), chance.random() < 0.3
    try:
        os.kill(pid, signal.SIGSTOP if is_stopped else signal.SIGKILL)
        if is_stopped:
            time.sleep(chance.uniform(0.05, 3.0))
            os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        return "too late"
    return "stopped" if is_stopped else "killed"


def run_disturbed(installation: Installation, seed: int, cycles: int) -> list[str]:
    """Carry the run out with `cycles` disturbances; a watch that was killed is started again."""
    chance = random.Random(seed)  # noqa: S311 - a test's seeded choice
    done = []
    watch = installation.start(*WATCH)
    for _ in range(cycles):
        done.append(disturb(installation, chance))
        if watch.poll() is not None:
            watch = installation.start(*WATCH)
    watch.wait(END_S)
    return done


@pytest.mark.long
@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_run_under_random_kills_ends_as_if_there_had_been_none(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed, seed: int
) -> None:
    """Workers, trial hosts, sealing and publishing jobs and the pass itself are hit; nothing completed is tried again."""
    installation = copy_submitted(submitted, tmp_path)
    run_disturbed(installation, seed, CYCLES)
    require_whole_markers(installation.house)
    assert installation.finish() == 0
    require_sound(installation, undisturbed.published)
