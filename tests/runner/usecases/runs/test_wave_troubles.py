"""Trouble of one attempt inside a wave stays its own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.domain import yields
from runner.ports.compute.harness import AttemptOrder
from tests.builders.houses import Place


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


def test_an_attempt_whose_evidence_cannot_be_stored_is_tried_again_and_the_others_go_on(tmp_path: Path) -> None:
    """One full disk at the wrong moment costs one try: the wave ends as done, the run is clean, nothing else is repeated."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    failures = iter([OSError(28, "No space left on device")])

    def fail_once(name: str) -> None:
        if name == "evidence.before_marker" and (error := next(failures, None)) is not None:
            raise error

    yields.install(fail_once)
    place.finish()
    state = place.state(run_id)
    assert (state.run.label, state.run.anomaly_count) == ("clean", 0)
    assert sorted(state.trials.trial(index).selected for index in range(state.trials.count)) == [1, 1, 1, 2]
    assert [wave.because for wave in state.run.waves.values()] == ["done"]


def test_half_a_character_in_a_message_ends_its_attempt_alone(tmp_path: Path) -> None:
    """A file's name that is no text stands so in the message of whoever fell over it before the trial was created."""

    def script(order: AttemptOrder) -> None:
        (order.folder / "failure.json").write_text(json.dumps({"exception_message": "cannot read \udcff.txt"}))

    place = Place(tmp_path, script)
    run_id = place.submit()
    place.finish()
    assert place.state(run_id).run.label == "failed"
    assert {wave.because for wave in place.state(run_id).run.waves.values()} != {"lost"}
    assert place.jobs.errors == []
