"""What a pass decides: whatever waits before it, and whatever became of its shortcuts."""

import sqlite3
from pathlib import Path

import pytest

from runner.domain import limits
from runner.usecases.journals.loading import run_subject
from runner.usecases.runs.submit_run import put_request, request_body
from shared.ids import RequestId
from shared.inbox.codec import Request, RequestSubject
from tests.builders.houses import Place


def test_requests_that_cannot_be_taken_hide_no_cancel(tmp_path: Path) -> None:
    """However many of them waited before it."""
    place = Place(tmp_path)
    broken, other = place.submit(), place.submit()
    place.reconcile()
    with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
        connection.execute(
            "UPDATE append SET data = CAST(replace(data, 'request_taken', 'request_tuken') AS BLOB) WHERE subject_id = ?",
            [broken],
        )
    actor, body = place.house.actor(), request_body(reason="x")
    asked = [
        Request(RequestId(f"req-{number:032x}"), "cancel", actor, RequestSubject("run", broken), body) for number in range(600)
    ]
    asked.append(Request(RequestId("req-" + "f" * 32), "cancel", actor, RequestSubject("run", other), body))
    for request in asked:
        put_request(place.house.inbox, request)
    place.reconcile()
    assert (place.state(other).run.is_cancel_requested, place.house.inbox.list(1).waiting) == (True, 600)


def test_a_run_is_decided_from_its_savepoint_and_one_that_is_damaged_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run ends the same whatever becomes of the shortcut on the way."""
    monkeypatch.setattr(limits, "SAVEPOINT_EVENTS", 2)
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    for _ in range(60):
        with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
            connection.execute("UPDATE savepoint_part SET data = x'00'")
        if place.reconcile().is_idle:
            break
        place.jobs.work_all()
    assert place.state(run_id).run.label == "clean"
    assert place.house.savepoints.newest(run_subject(run_id)) is not None
