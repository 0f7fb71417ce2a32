"""A whole run, killed with SIGKILL at each named yield point by real processes; a restart ends in equal rows."""

import importlib
import signal
import sys
from pathlib import Path
from typing import Final

import pytest

from runner.config import CHECKOUT
from runner.domain.yields import YIELDS
from tests.kill.conftest import Undisturbed
from tests.kill.support.installation import Installation, copy_submitted, write_experiment
from tests.kill.support.soundness import require_sound, require_whole_markers
from tests.kill.test_imports import IMPORTING
from tests.kill.test_requests import OFFERING, RECORDING, REFUSING

pytestmark = pytest.mark.kill
DIRECTED: Final = (
    "cli/control.after_commit:1", "cli/jobs.before_spawn:1", "wave/wave.after_claim:1", "wave/wave.after_begin:2",
    "wave/wave.after_seal:2", "wave/evidence.before_marker:5", "sealing/seal.before_root:1", "publishing/publish.after_rows:1",
)  # fmt: skip
"""Part of every `make test`: the process, the yield point, its passage. The others belong to `make test-long`."""
IN_THE_PASS: Final = (
    *(f"cli/{name}:{count}" for count in (1, 2) for name in (
        "pass.head", "pass.load", "pass.observe", "pass.decide", "pass.before_call", "pass.after_call", "pass.after_status",
        "control.before_commit", "jobs.before_spawn", "jobs.after_spawn",
    )),
    "cli/pass.before_remove:1", "cli/control.after_commit:2", "cli/control.after_commit:3", "cli/control.before_commit:3",
    "cli/pass.before_call:3", "cli/jobs.after_spawn:3",
)  # fmt: skip
IN_THE_WAVE: Final = (
    "wave/control.before_commit:1", "wave/control.after_commit:1", "wave/wave.before_claim:1", "wave/wave.after_open:1",
    "wave/wave.before_begin:1", "wave/wave.before_begin:4", "wave/wave.after_begin:1", "wave/wave.after_begin:4",
    "wave/wave.after_end:1", "wave/wave.after_end:4", "wave/wave.after_seal:1", "wave/wave.after_seal:4",
    "wave/wave.before_segment:1", "wave/wave.after_segment:1", "wave/wave.before_wave_seal:1", "wave/wave.after_wave_seal:1",
    "wave/evidence.before_file:1", "wave/evidence.after_file:3", "wave/evidence.before_checksums:1",
    "wave/evidence.before_checksums:5", "wave/evidence.before_marker:1", "wave/evidence.after_marker:2",
    "wave/evidence.after_marker:5",
)  # fmt: skip
IN_SEALING: Final = (
    "sealing/job.before_claim:1", "sealing/job.after_claim:1", "sealing/control.before_commit:1",
    "sealing/control.after_commit:1", "sealing/seal.before_waves:1", "sealing/seal.before_derive:1",
    "sealing/evidence.before_trial:1", "sealing/evidence.before_trial:4", "sealing/evidence.before_cell:1",
    "sealing/evidence.before_cell:2", "sealing/evidence.before_root:1", "sealing/evidence.after_root:1",
    "sealing/evidence.before_file:2", "sealing/evidence.after_file:7", "sealing/evidence.before_checksums:3",
    "sealing/evidence.before_marker:7", "sealing/evidence.after_marker:3",
)  # fmt: skip
IN_PUBLISHING: Final = (
    "publishing/job.before_claim:1", "publishing/job.after_claim:1", "publishing/control.after_commit:1",
    "publishing/publish.before_rows:1", "publishing/publish.after_catalog:1", "publishing/results.before_file:1",
    "publishing/results.before_file:4", "publishing/results.before_file:8", "publishing/results.before_revision:1",
    "publishing/results.before_revision:2", "publishing/results.before_pointer:1", "publishing/results.before_pointer:2",
    "publishing/results.after_pointer:1", "publishing/results.after_pointer:2",
)  # fmt: skip
POINTS: Final = tuple(
    dict.fromkeys(each for part in (IN_THE_PASS, IN_THE_WAVE, IN_SEALING, IN_PUBLISHING) for each in part if each not in DIRECTED)
)
SUBMITTING: Final = ("submit.before_objects", "submit.before_put", "submit.after_put")
RESOLVING: Final = "control.resolve"
IN_IMPORTING: Final = tuple(fault.partition(":")[0] for fault in IMPORTING)
"""Passed by an import alone: killed in test_imports.py."""
IN_REQUESTS: Final = (*OFFERING, REFUSING, *(each.partition("/")[2].partition(":")[0] for each in RECORDING))
"""Passed by what other people ask for alone: killed in test_requests.py."""


def kill_and_recover(submitted: Path, folder: Path, undisturbed: Undisturbed, fault: str) -> None:
    """Let one process die at `fault`, look at what stands, restart, and require an undisturbed end."""
    installation = copy_submitted(submitted, folder)
    once = folder / "died"
    code = installation.finish(SEAWALL_FAULT=f"{fault}:{once}")
    assert once.exists(), f"{fault} was never reached"
    require_whole_markers(installation.house)
    if fault.startswith("cli/"):
        assert code == -signal.SIGKILL
        code = installation.finish()
    assert code == 0  # A job's death is mended by the watch that goes on; only the watch's own needs a restart.
    require_sound(installation, undisturbed.published)


@pytest.mark.parametrize("fault", DIRECTED)
def test_a_run_killed_at_one_point_ends_as_if_it_had_not_been(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed, fault: str
) -> None:
    """The process that reached the point is dead, the next goes on, and the published rows are the same."""
    kill_and_recover(submitted, tmp_path, undisturbed, fault)


@pytest.mark.long
@pytest.mark.parametrize("fault", POINTS)
def test_a_run_killed_at_any_named_point_ends_as_if_it_had_not_been(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed, fault: str
) -> None:
    """Each name that a local run passes is killed at least once, in every kind of process that passes it."""
    kill_and_recover(submitted, tmp_path, undisturbed, fault)


@pytest.mark.long
@pytest.mark.parametrize("name", SUBMITTING)
def test_a_submit_that_was_killed_is_repeated_under_its_key(tmp_path: Path, undisturbed: Undisturbed, name: str) -> None:
    """Submitting again with the same key is the same run, which ends as it always does."""
    installation = Installation(tmp_path).use_double()
    manifest = write_experiment(tmp_path / "experiment")
    submit = ("run", "submit", str(manifest), "--key", "kill")
    real = {"SEAWALL_HARNESS": ""}
    assert installation.call(*submit, SEAWALL_FAULT=f"cli/{name}:1", **real) == -signal.SIGKILL
    assert installation.call(*submit, **real) == 0
    assert installation.finish() == 0
    require_sound(installation, undisturbed.published)


@pytest.mark.parametrize(
    "fault",
    ["500 landed", pytest.param("500 lost", marks=pytest.mark.long), pytest.param("late landing", marks=pytest.mark.long)],
)
def test_a_pass_killed_while_it_resolves_a_lost_answer_repeats_nothing(
    tmp_path: Path, submitted: Path, undisturbed: Undisturbed, fault: str
) -> None:
    """Whether the commit landed or not, the next pass reads the log and goes on from there."""
    installation = copy_submitted(submitted, tmp_path)
    command = [sys.executable, "-m", "tests.kill.support.lossy_pass", fault, RESOLVING]
    assert installation.spawn(command).wait(60) == -signal.SIGKILL
    assert installation.finish() == 0
    require_sound(installation, undisturbed.published)


def test_every_named_point_of_the_runner_is_killed() -> None:
    """A name that is declared anywhere below `runner` stands in one of the lists above."""
    for path in sorted((CHECKOUT / "runner").rglob("*.py")):
        if "= declare(" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(path.relative_to(CHECKOUT).with_suffix("").parts))
    killed = {fault.partition("/")[2].partition(":")[0] for fault in (*DIRECTED, *POINTS)}
    assert killed | {*SUBMITTING, RESOLVING, *IN_REQUESTS, *IN_IMPORTING} == {
        name for name in YIELDS if not name.startswith("test.")
    }
    assert len(killed) >= 30
