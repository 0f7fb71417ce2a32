"""Admission in a pass: every level and cap holds for all runs together, and what is held back says by what."""

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from runner.domain.control.accounts import Accounts
from runner.domain.control.decisions.waves import NextWave
from runner.domain.control.installation import INSTALLATION
from runner.domain.control.projection.state import Run
from runner.usecases.control.admit_waves import Room, judge
from runner.usecases.control.decide_pass import Asked, decide_pass
from runner.usecases.control.pass_world import Rules
from runner.usecases.control.presume_run import ANY_ROUTE, presume_run
from runner.usecases.journals.loading import run_subject
from shared.documents.installation_status import InstallationStatus
from shared.documents.reviewed.limits import Concurrency, local_limits
from shared.documents.status import RunStatus
from shared.ids import RunId
from tests.builders.houses import Place
from tests.runner.usecases.requests.test_take_submit import costly_tree


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


def spoil(place: Place, run_id: RunId, *, seq: int = 1) -> None:
    """Alter one stored segment of the run's journal: what is before it can still be read."""
    with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
        change = "UPDATE append SET data = CAST(replace(data, 'evt-', 'evt+') AS BLOB) WHERE subject_id = ? AND first_seq >= ?"
        assert connection.execute(change, [run_id, seq]).rowcount


@pytest.mark.parametrize("seq", [1, 2])
@pytest.mark.parametrize("is_status_old", [False, True])
def test_a_run_that_cannot_be_read_keeps_its_slots(tmp_path: Path, seq: int, *, is_status_old: bool) -> None:
    """Its job runs on: the next run waits until somebody has looked, and the others are told why."""
    place = Place(tmp_path)
    one = rules(place, waves=1)
    broken = place.submit()
    place.reconcile(rules=rules(place, waves=0))
    place.reconcile(rules=one)
    if is_status_old:
        stored = place.house.status.read(run_subject(broken))
        assert stored is not None
        with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
            connection.execute("UPDATE status SET seq = 1 WHERE subject_id = ?", [broken])
    spoil(place, broken, seq=seq)
    other = place.submit()
    report = place.reconcile(rules=one)
    assert (list(report.frozen), report.submitted, held_by(place, other)) == ([broken], [], "LIMIT_NAMESPACE")
    assert len(place.reconcile(rules=rules(place, waves=2)).submitted) == 1
    assert broken in installation(place).attention["run_unreadable"]


def test_a_run_that_cannot_be_read_counts_at_its_route(tmp_path: Path) -> None:
    """Nobody knows at which one its wave is, so at every one."""
    place = Place(tmp_path)
    broken = place.submit()
    place.reconcile(rules=rules(place))
    spoil(place, broken)
    world = place.world(rules=rules(place))
    run = presume_run(world, broken, place.house.log.head())
    assert run is not None
    assert [(wave.number, wave.route) for wave in run.waves.values()] == [(1, ANY_ROUTE)]
    asking = {"run-x": NextWave(((0, 1, 1, 1),), "d", "server", 0)}
    assert judged(asking, place, {broken: run}, waves_per_route=1) == ["LIMIT_ROUTE"]
    assert judged(asking, place, {broken: run}, waves_per_route=2) == [""]


def test_a_run_that_cannot_be_read_counts_with_its_whole_ceiling(tmp_path: Path) -> None:
    """Of the day's and the month's caps, and as one unfinished request of whoever asked."""
    place = Place(tmp_path)
    tree = costly_tree()
    broken = place.submit(tree)
    place.reconcile()
    spoil(place, broken)
    place.reconcile()
    (line,) = installation(place).users.values()
    assert (line.open, line.day_usd_micros, line.month_usd_micros) == (1, *[tree["policy"]["max_spend_usd_micros"]] * 2)


def test_nothing_new_starts_beside_a_run_of_which_nothing_is_known(tmp_path: Path) -> None:
    """Neither journal nor status says whose it is; what runs goes on, and what is awaited is said."""
    place = Place(tmp_path)
    broken, under_way = place.submit(), place.submit()
    place.reconcile()
    spoil(place, broken)
    with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
        connection.execute("DELETE FROM status WHERE subject_id = ?", [broken])
    waiting = place.submit()
    report = place.reconcile()
    assert (report.submitted, held_by(place, waiting)) == ([], "RUN_UNREADABLE")
    assert "restore the log" in report.persons[waiting]
    for _ in range(12):
        place.jobs.work_all()
        place.reconcile()
    assert (place.state(under_way).run.label, place.state(waiting).open_waves()) == ("clean", [])


def test_a_run_whose_event_the_log_refused_keeps_its_slots(tmp_path: Path) -> None:
    """It is set aside and decided for no more in that pass; it counts all the same."""
    place = Place(tmp_path)
    one = rules(place, waves=1)
    busy = place.submit()
    place.reconcile(rules=one)
    other = place.submit()
    world, head = place.world(rules=one), place.house.log.head()
    asked = Asked("pass", place.house.inbox.list(10), None, set_aside={busy: "refused"})
    decided = decide_pass(world, head, asked)
    assert (list(decided.drafts), decided.held) == ([other], {other: "LIMIT_NAMESPACE"})


def installation(place: Place) -> InstallationStatus:
    """Return the installation's status."""
    found = place.house.status.read(INSTALLATION)
    assert found is not None
    return InstallationStatus.from_bytes(found.data)


def judged(asking: Mapping[str, NextWave], place: Place, runs: Mapping[str, Run], **levels: int) -> list[str]:
    """Return what holds each wave back beside `runs`."""
    asked = Run(requested_by="u", owner="o", submitted_ms=1)
    room = Room(rules(place, **levels).limits, Accounts(()), {**runs, **dict.fromkeys(asking, asked)}, place.clock.now_ms())
    return [verdict.held_by for verdict in judge(asking, {}, room, 0)]
