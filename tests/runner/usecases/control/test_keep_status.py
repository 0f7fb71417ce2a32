"""The status documents follow the journals, also where a pass died between the two."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.domain import yields
from runner.usecases.control.keep_status import repair_statuses
from runner.usecases.journals.loading import run_subject
from runner.usecases.runs.submit_run import put_request, request_body
from shared.documents.reviewed.limits import default_limits
from shared.documents.status import RunStatus
from shared.ids import RequestId, RunId, generate
from shared.inbox.codec import Request, RequestSubject
from tests.builders.houses import Place
from tests.builders.requests import ALICE, ask_run, offered, rules, run_request
from tests.runner.usecases.requests.test_take_submit import costly_tree

SECRET = "canary-of-a-reason"
SHAPED = "sk-" + "a1" * 12


class Killed(BaseException):
    """The process ends here; nothing catches it."""


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


def kill_after_commit() -> None:
    """End the next pass once its commit stands."""

    def hook(name: str) -> None:
        if name == "control.after_commit":
            raise Killed(name)

    yields.install(hook)


def pass_killed(place: Place) -> None:
    """Carry out a pass that dies once its commit stands, if it commits."""
    kill_after_commit()
    try:
        place.reconcile()
    except Killed:
        pass
    finally:
        yields.install(lambda _name: None)


def status_of(place: Place, run_id: RunId) -> RunStatus:
    """Return the stored status."""
    found = place.house.status.read(run_subject(run_id))
    assert found is not None
    return RunStatus.from_bytes(found.data)


def cancel(place: Place, run_id: RunId) -> str:
    """Put a cancel of `run_id` into the inbox; return its id."""
    request_id = RequestId(generate("req", place.house.chance.uuid7()))
    put_request(place.house.inbox, Request(request_id, "cancel", place.house.actor(), RequestSubject("run", run_id), ""))
    return request_id


def test_an_open_run_whose_status_was_not_written_gets_it_from_the_next_pass(tmp_path: Path) -> None:
    """Although that pass has nothing to say of it."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    place.jobs.work_all()
    pass_killed(place)
    place.clock.sleep(1)
    place.reconcile()
    found = place.house.status.read(run_subject(run_id))
    assert found is not None
    assert found.seq == place.state(run_id).run.seq


def test_the_status_of_a_run_that_was_closed_is_repaired(tmp_path: Path) -> None:
    """No pass looks at it any more; the repair does, once."""
    place = Place(tmp_path)
    run_id = place.submit()
    for _ in range(20):
        place.reconcile()
        place.jobs.work_all()
        if place.state(run_id).run.label:
            break
    pass_killed(place)
    assert run_subject(run_id) not in place.house.log.head().open
    place.reconcile()
    stale = place.house.status.read(run_subject(run_id))
    assert stale is not None
    assert stale.seq < place.state(run_id).run.seq
    assert repair_statuses(place.world()) == [run_id]
    repaired = status_of(place, run_id)
    assert (repaired.label, repaired.awaits, repaired.publication_id != "") == ("clean", "nothing", True)
    assert repair_statuses(place.world()) == []


def test_a_status_that_is_up_to_date_is_left_alone(tmp_path: Path) -> None:
    """Of an open run too."""
    place = Place(tmp_path)
    place.submit()
    place.reconcile()
    before = place.house.status.list()
    assert repair_statuses(place.world()) == []
    assert place.house.status.list() == before


def test_a_refused_request_shows_in_the_status_and_in_the_report(tmp_path: Path) -> None:
    """Its id, the code and why."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    request_id = cancel(place, run_id)
    report = place.reconcile()
    (line,) = status_of(place, run_id).refusals
    assert (line.request, line.code, line.message) == (
        request_id,
        "RUN_TERMINAL",
        "the run has ended as completed. Nothing is left to cancel.",
    )
    assert report.refusals == [(run_id, line)]


def test_a_run_of_which_only_refusals_are_known_awaits_nothing(tmp_path: Path) -> None:
    """It was never submitted; killed after the commit, its status is written with its request at the latest."""
    place = Place(tmp_path)
    run_id = RunId(generate("run", place.house.chance.uuid7()))
    cancel(place, run_id)
    pass_killed(place)
    assert place.house.status.list() == {}
    place.reconcile()
    status = status_of(place, run_id)
    assert ([each.code for each in status.refusals], status.awaits) == (["NOT_FOUND"], "nothing")
    assert place.house.inbox.list(1).waiting == 0


@pytest.mark.parametrize("is_over", [True, False])
def test_a_status_that_cannot_be_read_is_written_anew(tmp_path: Path, is_over: bool) -> None:
    """It is a copy of the journal: damaged, or of another version of ours, it hides no run, open or ended."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    if is_over:
        place.finish()
    before = place.house.status.read(run_subject(run_id))
    assert before is not None
    place.house.status.write(run_subject(run_id), b"{}", before.seq)
    repaired = repair_statuses(place.world())
    place.reconcile()
    assert (repaired, status_of(place, run_id).run_id) == ([run_id] if is_over else [], run_id)
    assert repair_statuses(place.world()) == []


def test_a_secret_in_a_reason_reaches_no_status_and_no_report(tmp_path: Path) -> None:
    """By its value, which the process knows, and by its shape."""
    place = Place(tmp_path, environment={"SERVICE_TOKEN": SECRET})
    place.rules = rules(limits=default_limits(), approval_ceiling_usd_micros=9_000_000)
    run_id = ask_run(place, ALICE, run_request(offered(place, costly_tree()), ceiling=10_000_000))
    place.reconcile()
    body = request_body(reason=f"it prints {SECRET} and {SHAPED}")
    request_id = RequestId(generate("req", place.house.chance.uuid7()))
    put_request(place.house.inbox, Request(request_id, "cancel", place.house.actor(), RequestSubject("run", run_id), body))
    report = place.reconcile()
    (line,) = status_of(place, run_id).refusals
    assert (line.code, line.message) == ("CANCELLED", "it prints [redacted:SERVICE_TOKEN] and [redacted:api-key]")
    assert report.refusals == [(run_id, line)]
