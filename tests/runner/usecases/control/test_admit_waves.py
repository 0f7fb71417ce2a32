"""Admission in a pass: every level and cap holds for all runs together, and what is held back says by what."""

from pathlib import Path
from typing import Any

import pytest

from runner.usecases.control.pass_world import Rules
from runner.usecases.journals.loading import run_subject
from shared.documents.reviewed.limits import Concurrency, local_limits
from shared.documents.status import RunStatus
from shared.ids import RunId
from tests.builders.houses import Place


def rules(place: Place, **levels: int) -> Rules:
    """Return the rules of `place` with other levels of concurrency."""
    most: dict[str, Any] = {"waves": 100, "waves_per_run": 1, "waves_per_route": 100, "job_starts_per_hour": 100, **levels}
    limits = local_limits().model_copy(update={"concurrency": Concurrency(**most)})
    return Rules(limits, place.house.rules.access)


def held_by(place: Place, run_id: RunId) -> str:
    """Return what the status says holds the run back."""
    found = place.house.status.read(run_subject(run_id))
    assert found is not None
    return RunStatus.from_bytes(found.data).held_by


@pytest.mark.parametrize("level", ["waves", "job_starts_per_hour"])
def test_a_level_holds_back_what_is_too_much_and_says_so(tmp_path: Path, level: str) -> None:
    """Two of three start; the third waits, is said to, and starts when there is room."""
    place = Place(tmp_path)
    few = rules(place, **{level: 2})
    runs = [place.submit() for _ in range(3)]
    assert len(place.reconcile(rules=few).submitted) == 2
    assert [held_by(place, run_id) != "" for run_id in runs] == [False, False, True]
    assert place.reconcile(rules=few).commits == 0
    assert len(place.reconcile(rules=rules(place)).submitted) == 1
    assert held_by(place, runs[2]) == ""


def test_a_slot_is_free_again_when_its_wave_has_ended(tmp_path: Path) -> None:
    """All runs end, one after the other."""
    place = Place(tmp_path)
    one = rules(place, waves=1)
    runs = [place.submit() for _ in range(3)]
    for _ in range(40):
        report = place.reconcile(rules=one)
        assert sum(len(place.state(run_id).open_waves()) for run_id in runs) <= 1
        if report.is_idle:
            break
        place.jobs.work_all()
    assert [place.state(run_id).run.label for run_id in runs] == ["clean"] * 3


def test_the_oldest_run_comes_first(tmp_path: Path) -> None:
    """Whatever its id."""
    place = Place(tmp_path)
    first = place.submit()
    place.reconcile(rules=rules(place, waves=0))
    second = place.submit()
    place.reconcile(rules=rules(place, waves=1))
    assert [len(place.state(run_id).open_waves()) for run_id in (first, second)] == [1, 0]


def test_a_run_that_is_not_passed_over_counts_all_the_same(tmp_path: Path) -> None:
    """A pass over one run alone exceeds no level of the installation."""
    place = Place(tmp_path)
    one = rules(place, waves=1)
    place.submit()
    place.reconcile(rules=one)
    other = place.submit()
    place.clock.sleep(1)
    from runner.usecases.control.reconcile import reconcile

    reconcile(place.world(rules=one), only=other)
    assert place.state(other).open_waves() == []
