"""A whole run, killed with SIGKILL at each named yield point by real processes; a restart ends in equal rows."""

import signal
from pathlib import Path

import pytest

import runner.bootstrap  # noqa: F401 - imports every module that declares a yield point of a local run
from tests.kill.conftest import Undisturbed
from tests.kill.installation import copy_submitted
from tests.kill.soundness import require_sound, require_whole_markers

pytestmark = pytest.mark.kill
DIRECTED = (
    "cli/control.after_commit:1", "cli/pass.after_call:1", "wave/wave.after_claim:1", "wave/wave.after_begin:2",
    "wave/wave.after_seal:2", "wave/evidence.before_marker:3", "sealing/seal.before_root:1", "publishing/publish.after_rows:1",
)  # fmt: skip


def kill_and_recover(submitted: Path, folder: Path, undisturbed: Undisturbed, fault: str) -> None:
    """Let one process die at `fault`, look at what stands, restart, and require an undisturbed end."""
    installation = copy_submitted(submitted, folder)
    once = folder / "died"
    code = installation.finish(SEAWALL_FAULT=f"{fault}:{once}")
    assert once.exists(), f"{fault} was never reached"
    assert code == (-signal.SIGKILL if fault.startswith("cli/") else 0)
    require_whole_markers(installation.house)
    assert installation.finish() == 0
    require_sound(installation, undisturbed.published)


@pytest.mark.parametrize("fault", DIRECTED)
def test_a_run_killed_at_one_point_ends_as_if_it_had_not_been(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed, fault: str
) -> None:
    """The process that reached the point is dead, the next goes on, and the published rows are the same."""
    kill_and_recover(submitted, tmp_path, undisturbed, fault)
