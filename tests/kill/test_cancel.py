"""A cancel at every phase of a run: what is under way ends, completed evidence stays, and repeating it changes nothing."""

import signal
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from runner.domain.control.projection.state import RunProjection
from runner.evidence.verification import verify_run
from shared.ids import RunId
from shared.inbox.codec import decode_request
from shared.states import RunState, TrialState
from tests.kill.support.installation import Installation, copy_submitted
from tests.kill.support.soundness import require_clean_log, require_whole_markers

pytestmark = pytest.mark.kill
WATCH: Final = ("run", "reconcile", "--all", "--watch")


def cancel(installation: Installation, run_id: RunId, *options: str) -> None:
    """Put a cancel into the inbox."""
    assert installation.call("run", "cancel", run_id, "--reason", "a test", *options) == 0


def require_ended(installation: Installation, label: str, scored: int) -> RunProjection:
    """Require an ended run with this label whose evidence verifies, nothing left running, and no effect of another pass."""
    state = installation.state()
    require_clean_log(installation, state)
    counts = state.trials.counts()
    assert (state.run.label, counts[TrialState.SCORED]) == (label, scored)
    assert sum(counts.values()) == state.run.trials
    require_whole_markers(installation.house)
    verify_run(installation.house.evidence, installation.run_id)
    assert installation.living() == []
    before = len(installation.events())
    assert installation.finish() == 0
    assert len(installation.events()) == before
    return state


def kinds(installation: Installation) -> Counter[str]:
    """Return how many events of each kind the journal has."""
    return Counter(event.kind for event in installation.events())


def test_a_run_cancelled_before_it_was_taken_starts_nothing(tmp_path: Path, submitted: Path) -> None:
    """Submit and cancel are taken by one pass; no wave was ever reserved."""
    installation = copy_submitted(submitted, tmp_path)
    for _ in range(2):
        cancel(installation, waiting_run(installation))
    assert installation.finish() == 0
    require_ended(installation, "cancelled", 0)
    assert kinds(installation)["cancel_requested"] == 1
    assert kinds(installation)["request_taken"] == 3
    assert not installation.jobs("wave")


@pytest.mark.long
def test_a_run_cancelled_while_its_wave_was_only_reserved_starts_no_attempt(tmp_path: Path, submitted: Path) -> None:
    """The pass that had reserved the wave is dead, its job never came to be."""
    installation = copy_submitted(submitted, tmp_path)
    assert installation.finish(SEAWALL_FAULT="cli/pass.before_call:1") == -signal.SIGKILL
    cancel(installation, waiting_run(installation))
    assert installation.finish() == 0
    require_ended(installation, "cancelled", 0)
    assert kinds(installation)["action_claimed"] == 1  # The sealing job's.


@pytest.mark.parametrize("options", [(), pytest.param(("--now",), marks=pytest.mark.long)])
def test_a_run_cancelled_amid_attempts_keeps_what_was_completed(
    tmp_path: Path, submitted: Path, options: tuple[str, ...]
) -> None:
    """Two trials are scored, two are under way: those end cancelled, the scored ones stay, and the run is partial."""
    installation = copy_submitted(submitted, tmp_path)
    installation.close_gate("nop")
    watch = installation.start(*WATCH)
    installation.wait_until(lambda state: tuple(map(state.trials.counts().get, (TrialState.SCORED, TrialState.ACTIVE))) == (2, 2))
    cancel(installation, installation.run_id, *options)
    cancel(installation, installation.run_id, *options)
    assert watch.wait(120) == 0
    assert installation.finish() == 0  # The second cancel may have come too late for the watch.
    state = require_ended(installation, "partial", 2)
    assert state.trials.counts()[TrialState.CANCELLED] == 2
    assert kinds(installation)["cancel_requested"] == 1
    markers = Counter(stored.path.rpartition("/")[2] for stored in installation.house.evidence.list("runs"))
    assert markers["_CANCELLED"] >= 2


@pytest.mark.long
def test_a_run_cancelled_while_its_worker_is_dead_ends(tmp_path: Path, submitted: Path) -> None:
    """Nobody is left to hear of the cancel: the pass ends the wave in the worker's stead."""
    installation = copy_submitted(submitted, tmp_path)
    installation.close_gate("oracle,nop")
    watch = installation.start(*WATCH)
    installation.wait_until(lambda state: state.trials.counts()[TrialState.ACTIVE] == 2)
    watch.kill()
    watch.wait()
    assert installation.signal_jobs(["wave"], signal.SIGKILL) == 1
    cancel(installation, installation.run_id)
    assert installation.finish() == 0
    require_ended(installation, "cancelled", 0)
    assert len(installation.jobs("wave")) == 1


@pytest.mark.long
@pytest.mark.parametrize("fault", ["cli/pass.before_call:2", "cli/pass.after_call:2"])
def test_a_run_cancelled_while_it_drains_or_is_sealed_stays_completed(tmp_path: Path, submitted: Path, fault: str) -> None:
    """All trials are scored already, so the cancel has nothing left to end: the run is clean and is published."""
    installation = copy_submitted(submitted, tmp_path)
    assert installation.finish(SEAWALL_FAULT=fault) == -signal.SIGKILL
    assert installation.state().run.state is RunState.DRAINING
    cancel(installation, installation.run_id)
    assert installation.finish() == 0
    require_ended(installation, "clean", 4)
    assert kinds(installation)["cancel_requested"] == 1
    assert installation.jobs("publishing")


def test_a_run_that_has_ended_refuses_a_cancel(tmp_path: Path, submitted: Path) -> None:
    """The request is taken and refused with its reason; the end and the label do not change."""
    installation = copy_submitted(submitted, tmp_path)
    assert installation.finish() == 0
    before = installation.events()
    cancel(installation, installation.run_id, "--now")
    assert installation.finish() == 0
    added = [event.kind for event in installation.events()[len(before) :]]
    assert added == ["request_taken", "request_refused"]
    require_ended(installation, "clean", 4)


def waiting_run(installation: Installation) -> RunId:
    """Return the run that the waiting or taken submit is about."""
    if installation.is_taken:
        return installation.run_id
    waiting = installation.house.inbox.list(1).requests[0]
    return RunId(decode_request(waiting.data).subject.id)
