"""Somebody deletes the folder of jobs while a run is under way: what was completed stays, and the run ends as it would have."""

import shutil
from pathlib import Path
from typing import Final

import pytest

from shared.states import TrialState
from tests.kill.conftest import Undisturbed
from tests.kill.support.installation import END_S, copy_submitted
from tests.kill.support.soundness import require_sound

pytestmark = pytest.mark.kill
WATCH: Final = ("run", "reconcile", "--all", "--watch")


def test_a_run_whose_jobs_folder_is_deleted_midway_ends_all_the_same(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed
) -> None:
    """The pass finds no job behind the wave's claim and starts another wave; the old worker is fenced off and ends."""
    installation = copy_submitted(submitted, tmp_path)
    installation.close_gate("nop")
    watch = installation.start(*WATCH)
    installation.wait_until(lambda state: state.trials.counts()[TrialState.SCORED] > 0)
    shutil.rmtree(installation.home / "jobs")
    installation.open_gate()
    assert watch.wait(END_S) == 0
    assert installation.finish() == 0
    assert installation.state().run.label == "clean"
    require_sound(installation, undisturbed.published)
