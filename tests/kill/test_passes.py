"""Two passes over one installation, one of them stopped at the worst moment: no job is started twice, no work is done twice."""

import os
import signal
import time
from pathlib import Path
from typing import Final

import pytest

from runner.domain.pace import QUICK
from tests.kill.conftest import Undisturbed
from tests.kill.support.installation import END_S, Installation, copy_submitted
from tests.kill.support.soundness import require_sound

pytestmark = pytest.mark.kill
WATCH: Final = ("run", "reconcile", "--all", "--watch")


def require_one_job_each(installation: Installation) -> None:
    """Require one wave, one sealing and one publishing job, each with its action claimed once."""
    assert [len(installation.jobs(kind)) for kind in ("wave", "sealing", "publishing")] == [1, 1, 1]


@pytest.mark.long
def test_two_watches_at_once_start_each_job_once(tmp_path: Path, submitted: Path, undisturbed: Undisturbed) -> None:
    """Every decision is one commit's; the other pass meets a newer head and decides again."""
    installation = copy_submitted(submitted, tmp_path)
    watches = [installation.start(*WATCH) for _ in range(2)]
    assert [watch.wait(END_S) for watch in watches] == [0, 0]
    assert installation.finish() == 0
    require_one_job_each(installation)
    assert not require_sound(installation, undisturbed.published).lost


@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.long)])
def test_a_pass_stopped_between_commit_and_call_starts_nothing_once_it_is_late(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed, count: int
) -> None:
    """Another pass has read the world and started the job meanwhile; the first wakes, sees its own deadline and does nothing."""
    installation = copy_submitted(submitted, tmp_path)
    stopped = installation.start(*WATCH, SEAWALL_FAULT=f"cli/pass.before_call:{count}:{tmp_path / 'stopped'}:stop")
    require_stopped(stopped.pid)
    assert installation.finish() == 0
    time.sleep(QUICK.perform_s)  # The stopped process's own deadline has passed for certain, however fast the other was.
    os.kill(stopped.pid, signal.SIGCONT)
    assert stopped.wait(END_S) == 0
    assert installation.finish() == 0
    require_one_job_each(installation)
    assert not require_sound(installation, undisturbed.published).lost


def test_a_pass_stopped_before_it_decides_does_not_end_a_wave_that_began_meanwhile(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed
) -> None:
    """What it had seen before is not what it decides on: the commit refuses it, and it looks at the jobs again."""
    installation = copy_submitted(submitted, tmp_path)
    installation.close_gate("nop")
    stopped = installation.start(*WATCH, SEAWALL_FAULT=f"cli/pass.load:1:{tmp_path / 'stopped'}:stop")
    require_stopped(stopped.pid)
    other = installation.start(*WATCH)
    installation.wait_until(lambda state: any(wave.segments for wave in state.run.waves.values()))
    os.kill(stopped.pid, signal.SIGCONT)
    time.sleep(3 * QUICK.heartbeat_s)  # It passes a few times while the wave is under way.
    installation.open_gate()
    assert [stopped.wait(END_S), other.wait(END_S)] == [0, 0]
    assert installation.finish() == 0
    require_one_job_each(installation)
    assert not require_sound(installation, undisturbed.published).lost


@pytest.mark.long
@pytest.mark.parametrize("point", ["wave.after_begin:1", "wave.after_seal:2", "wave.before_wave_seal:1"])
def test_a_worker_that_is_stopped_for_ever_is_ended(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed, point: str
) -> None:
    """Its claim hides nothing: after its silence a pass ends it, and another wave does what it left."""
    installation = copy_submitted(submitted, tmp_path)
    watch = installation.start(*WATCH, SEAWALL_FAULT=f"wave/{point}:{tmp_path / 'stopped'}:stop")
    assert watch.wait(END_S) == 0
    assert installation.finish() == 0
    require_sound(installation, undisturbed.published)


@pytest.mark.long
def test_a_cancel_ends_a_worker_that_is_stopped_for_ever(tmp_path: Path, submitted: Path) -> None:
    """Nothing is left running, though the worker never reads that it should end."""
    installation = copy_submitted(submitted, tmp_path)
    watch = installation.start(*WATCH, SEAWALL_FAULT=f"wave/wave.after_begin:1:{tmp_path / 'stopped'}:stop")
    installation.wait_until(lambda state: any(wave.job for wave in state.run.waves.values()))
    assert installation.call("run", "cancel", installation.run_id) == 0
    assert watch.wait(END_S) == 0
    assert installation.state().run.label == "cancelled"
    assert installation.living() == []


def require_stopped(pid: int) -> None:
    """Return once the process is stopped."""
    deadline = time.monotonic() + END_S
    while time.monotonic() < deadline:
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T":
            return
        time.sleep(0.02)
    raise AssertionError("the process did not stop")
