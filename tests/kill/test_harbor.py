"""Kills and a cancel with the real Harbor and its sandboxes: nothing of them is left running."""

from pathlib import Path
from typing import Final

import pytest

from runner.config import CHECKOUT
from runner.evidence.verification import verify_run
from shared.states import RunState, TrialState
from tests.kill.support.installation import Installation, write_experiment
from tests.kill.support.soundness import require_clean_log, require_no_repeats, require_whole_markers

pytestmark = [
    pytest.mark.kill,
    pytest.mark.harness,
    pytest.mark.long,
    pytest.mark.skipif(not (CHECKOUT / ".venv-harness").exists(), reason="Harbor's environment is not installed"),
]
ASLEEP: Final = "#!/bin/bash\nnohup setsid sleep 600 > /dev/null 2>&1 &\nsleep 600\n"
WATCH: Final = ("run", "reconcile", "--all", "--watch")


@pytest.mark.parametrize("fault", ["wave/wave.after_begin:3", "wave/wave.after_end:2"])
def test_a_killed_worker_takes_its_sandboxes_along(tmp_path: Path, fault: str) -> None:
    """A new wave finishes the run; no trial host, no sandbox and no process of a task is left."""
    installation = Installation(tmp_path)
    once = tmp_path / "died"
    assert installation.call("run", "submit", str(write_experiment(tmp_path / "experiment"))) == 0
    assert installation.finish(SEAWALL_FAULT=f"{fault}:{once}") == 0
    assert once.exists()
    state = installation.state()
    require_clean_log(installation, state)
    require_no_repeats(installation, state)
    assert (state.run.state, state.run.label) == (RunState.COMPLETED, "clean")
    verify_run(installation.house.evidence, installation.run_id)
    assert installation.living() == []


@pytest.mark.parametrize("options", [(), ("--now",)])
def test_a_cancel_ends_a_trial_that_never_would(tmp_path: Path, options: tuple[str, ...]) -> None:
    """One solution sleeps for ten minutes in its sandbox, beside a child of its own; the cancel ends both."""
    installation = Installation(tmp_path)
    manifest = write_experiment(tmp_path / "experiment")
    (tmp_path / "experiment/starter/make-folder/solution/solve.sh").write_text(ASLEEP)
    assert installation.call("run", "submit", str(manifest)) == 0
    watch = installation.start(*WATCH)
    installation.wait_until(lambda state: tuple(map(state.trials.counts().get, (TrialState.SCORED, TrialState.ACTIVE))) == (3, 1))
    assert installation.call("run", "cancel", installation.run_id, *options) == 0
    assert watch.wait(120) == 0
    state = installation.state()
    require_clean_log(installation, state)
    require_whole_markers(installation.house)
    assert (state.run.label, state.trials.counts()[TrialState.CANCELLED]) == ("partial", 1)
    assert installation.living() == []
