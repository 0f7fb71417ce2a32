"""The audit of the log: clean after a whole run, and each kind of damage is found and named."""

import sqlite3
from pathlib import Path

import pytest

from runner.domain import limits
from runner.usecases.control.audit_log import LogAudit, audit_log
from runner.usecases.journals.loading import run_subject
from shared.ids import RunId
from tests.builders.houses import Place


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Place, RunId]:
    """Return an installation whose one run has ended, with savepoints of both journals."""
    monkeypatch.setattr(limits, "SAVEPOINT_EVENTS", 1)
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    place.submit()
    place.reconcile()
    return place, run_id


def audited(place: Place) -> LogAudit:
    """Return what the audit finds."""
    return audit_log(place.house.log, place.house.savepoints)


def change(place: Place, statement: str, *values: object) -> None:
    """Alter the file behind the log."""
    with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
        assert connection.execute(statement, values).rowcount


def test_a_log_that_nobody_touched_is_clean(ended: tuple[Place, RunId]) -> None:
    """Three journals: two runs, one of them open, and the installation; whatever statuses there are."""
    place, _ = ended
    change(place, "DELETE FROM status")
    found = audited(place)
    assert (found.journals, found.findings, found.events > 10) == (3, (), True)


def test_the_audit_stores_nothing(ended: tuple[Place, RunId]) -> None:
    """Not even the savepoint that a pass would make."""
    place, _ = ended
    change(place, "DELETE FROM savepoint")
    assert audited(place).findings == ()
    assert [place.house.savepoints.newest(subject) for subject in place.house.log.subjects()] == [None] * 3


def test_an_altered_journal_is_named(ended: tuple[Place, RunId]) -> None:
    """And the others are audited all the same."""
    place, run_id = ended
    altered = "UPDATE append SET data = CAST(replace(data, 'scored', 'scoped') AS BLOB) WHERE subject_id = ?"
    change(place, altered, run_id)
    found = audited(place)
    assert [(where, what.partition(":")[0]) for where, what in found.findings] == [(run_id, "JOURNAL_DIGEST")]


def test_a_savepoint_that_says_something_else_is_named(ended: tuple[Place, RunId]) -> None:
    """Passes would begin from it."""
    place, run_id = ended
    other = "UPDATE savepoint SET manifest = CAST(replace(manifest, 'tester', 'nobody') AS BLOB) WHERE subject_id = ?"
    change(place, other, run_subject(run_id).id)
    assert audited(place).findings == ((run_id, "its savepoint gives another state than its journal"),)


def test_an_event_id_that_stands_twice_is_named(ended: tuple[Place, RunId]) -> None:
    """The unique index refuses it; a file that was put together by hand has none."""
    place, run_id = ended
    copied = (
        "INSERT INTO append (subject_type, subject_id, first_seq, count, serial, chain, data)"
        " SELECT subject_type, 'copy', first_seq, count, serial, chain, data FROM append WHERE subject_id = ?"
    )
    change(place, copied, run_id)
    found = audited(place).findings
    assert {(where, what.endswith("stands twice in the log")) for where, what in found} == {(run_id, True)}
