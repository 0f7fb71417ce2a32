"""What becomes of each request: taken once, refused with its reason, or kept as bytes that nobody could read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from runner.domain import yields
from runner.domain.control.events import MalformedRefused, RequestRefused
from runner.domain.control.installation import INSTALLATION
from runner.usecases.runs.submit_run import put_request, request_body
from shared.digests import sha256
from shared.errors import Conflict
from shared.ids import RequestId, RunId
from shared.inbox.codec import Actor, Request, RequestSubject, encode_request
from tests.builders.houses import Place, starter_tree

ACTOR = Actor("tester", "local", "admin")
NOBODY = RunId("run-" + "9" * 32)


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


def ask(place: Place, kind: str, run_id: str, number: int = 1, **body: Any) -> RequestId:
    """Put a request into the inbox and return its id."""
    request_id = RequestId(f"req-{number:032x}")
    put_request(place.house.inbox, Request(request_id, kind, ACTOR, RequestSubject("run", run_id), request_body(**body)))
    return request_id


def refusals(place: Place, run_id: RunId) -> list[str]:
    """Return the codes of refused requests in the run's journal."""
    return [each.payload.code for each in place.events(run_id) if isinstance(each.payload, RequestRefused)]


def malformed(place: Place) -> list[MalformedRefused]:
    """Return what the installation's journal says of unreadable requests."""
    log = place.house.log
    segments = log.read(INSTALLATION, 0, log.head().version)
    return [each.payload for segment in segments for each in segment.events if isinstance(each.payload, MalformedRefused)]


@pytest.mark.parametrize("data", [b"", b"not json", b"{}", b'{"kind": "submit"}', b"\xff\xfe", b"[" * 5000])
def test_bytes_that_are_no_request_are_kept_and_refused(tmp_path: Path, data: bytes) -> None:
    """In the installation's journal, with the digest of the object that keeps them; the inbox is empty again."""
    place = Place(tmp_path)
    place.house.inbox.put([("req-" + "1" * 32, data)])
    assert place.reconcile().refused == 1
    (refused,) = malformed(place)
    assert (refused.object_sha256, place.house.objects.has(sha256(data))) == (sha256(data), True)
    assert (place.house.inbox.list(1).waiting, place.reconcile().is_idle) == (0, True)


def test_an_id_that_is_no_text_is_refused_and_hides_no_request(tmp_path: Path) -> None:
    """Others write into the inbox's file; what they break there is theirs alone."""
    place = Place(tmp_path)
    with closing(sqlite3.connect(place.house.settings.home / "inbox.sqlite")) as connection:
        assert place.house.inbox.list(1).waiting == 0
        connection.execute("INSERT INTO request (request_id, data, put_ms) VALUES (CAST(x'ff41' AS TEXT), x'00', 1)")
        connection.commit()
    run_id = place.submit()
    report = place.reconcile()
    assert (report.refused, run_id in report.open, place.house.inbox.list(1).waiting) == (1, True, 0)
    assert [each.request_id for each in malformed(place)] == ["bytes:ff41"]


def test_a_pass_that_dies_after_refusing_is_finished_by_the_next(tmp_path: Path) -> None:
    """The same bytes are refused once, and no pass stumbles over them for ever."""
    place = Place(tmp_path)
    place.house.inbox.put([("req-" + "1" * 32, b"not json")])

    def die(name: str) -> None:
        if name == "pass.before_remove":
            raise KeyboardInterrupt

    yields.install(die)
    with pytest.raises(KeyboardInterrupt):
        place.reconcile()
    yields.install(lambda _name: None)
    place.reconcile()
    assert (len(malformed(place)), place.house.inbox.list(1).waiting) == (1, 0)


@pytest.mark.parametrize("subject", [RequestSubject("run", "run-1"), RequestSubject("release", "run-" + "1" * 32)])
def test_a_request_for_no_run_is_malformed(tmp_path: Path, subject: RequestSubject) -> None:
    """No journal could take it."""
    place = Place(tmp_path)
    request = Request(RequestId("req-" + "1" * 32), "cancel", ACTOR, subject, "")
    place.house.inbox.put([(request.request_id, encode_request(request))])
    place.reconcile()
    assert [each.code for each in malformed(place)] == ["REQUEST_INVALID"]


def test_a_request_under_another_id_is_malformed(tmp_path: Path) -> None:
    """Its id stands for its bytes."""
    place = Place(tmp_path)
    request = Request(RequestId("req-" + "1" * 32), "cancel", ACTOR, RequestSubject("run", NOBODY), "")
    place.house.inbox.put([("req-" + "2" * 32, encode_request(request))])
    assert (place.reconcile().refused, len(malformed(place))) == (1, 1)


@pytest.mark.parametrize("kind", ["cancel", "hold", "retry", "withdraw"])
def test_half_a_character_in_a_body_is_refused_and_stops_no_pass(tmp_path: Path, kind: str) -> None:
    """JSON may hold one, no journal can: the request ends, and the run goes on to its end."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    subject = RequestSubject(*INSTALLATION) if kind == "hold" else RequestSubject("run", run_id)
    text = '{"decision": "\\ud800", "reason": "\\ud800", "switch": "on", "trials": ["\\ud800"]}'
    put_request(place.house.inbox, Request(RequestId("req-" + "1" * 32), kind, ACTOR, subject, text))
    place.finish()
    assert (place.house.inbox.list(1).waiting, place.state(run_id).run.label) == (0, "clean")


def test_a_retry_of_a_number_that_no_journal_holds_is_refused(tmp_path: Path) -> None:
    """The run is not set aside for it."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    ask(place, "retry", run_id, trials=[10**30])
    report = place.reconcile()
    assert (report.frozen, refusals(place, run_id)) == ({}, ["REQUEST_INVALID"])


def test_a_cancel_of_an_unknown_run_is_refused_and_leaves_nothing_open(tmp_path: Path) -> None:
    """The refusal stands in that run's journal; a watching pass may end."""
    place = Place(tmp_path)
    ask(place, "cancel", NOBODY)
    place.reconcile()
    assert refusals(place, NOBODY) == ["NOT_FOUND"]
    report = place.reconcile()
    assert (report.is_idle, report.open_runs) == (True, 0)


def test_a_run_that_was_asked_about_before_it_existed_is_not_submitted(tmp_path: Path) -> None:
    """Its journal is closed: the submit is refused and says so, instead of waiting for ever."""
    run_id = Place(tmp_path / "elsewhere").submit(key="k")
    place = Place(tmp_path / "here")
    ask(place, "cancel", run_id)
    place.reconcile()
    place.reconcile()
    assert place.submit(key="k") == run_id
    place.finish()
    assert (refusals(place, run_id), place.state(run_id).run.state) == (["NOT_FOUND", "RUN_EXISTS"], "refused")


def test_a_cancel_before_the_start_ends_the_run_without_a_wave(tmp_path: Path) -> None:
    """Asked for in the same pass that takes the submit."""
    place = Place(tmp_path)
    run_id = place.submit()
    ask(place, "cancel", run_id, reason="wrong model")
    place.finish()
    run = place.state(run_id).run
    assert (run.label, len(run.waves), run.cancel_because) == ("cancelled", 0, "wrong model")


def test_cancelling_twice_is_cancelling_once(tmp_path: Path) -> None:
    """Both requests are taken; one says something."""
    place = Place(tmp_path)
    run_id = place.submit()
    ask(place, "cancel", run_id, 1)
    ask(place, "cancel", run_id, 2)
    place.finish()
    kinds = [each.kind for each in place.events(run_id)]
    assert (kinds.count("request_taken"), kinds.count("cancel_requested"), refusals(place, run_id)) == (3, 1, [])


def test_a_cancel_may_be_asked_for_again_without_grace(tmp_path: Path) -> None:
    """The second one takes the grace away, a third says nothing."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    for number, now in enumerate([False, True, True], start=1):
        ask(place, "cancel", run_id, number, now=now)
        place.reconcile()
        assert place.state(run_id).run.is_cancel_now is (number > 1)
    kinds = [each.kind for each in place.events(run_id)]
    assert (kinds.count("cancel_requested"), refusals(place, run_id)) == (2, [])


def test_a_finished_run_is_not_cancelled(tmp_path: Path) -> None:
    """Its end stands."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    ask(place, "cancel", run_id)
    assert place.finish().is_idle
    assert (refusals(place, run_id), place.state(run_id).run.label) == (["RUN_TERMINAL"], "clean")


@pytest.mark.parametrize(
    ("kind", "user", "role", "is_let"),
    [
        ("cancel", "stranger", "member", False),
        ("cancel", "tester", "member", True),
        ("cancel", "stranger", "write", True),
        ("retry", "tester", "member", False),
        ("retry", "stranger", "admin", True),
    ],
)
def test_who_may_ask_for_what(tmp_path: Path, kind: str, user: str, role: str, *, is_let: bool) -> None:
    """A requester may end the own run; everything else is a maintainer's."""
    place = Place(tmp_path, lambda _order: None)
    run_id = place.submit(starter_tree(max_attempts=1))
    for _ in range(2):
        place.reconcile(hold_hours=24)
        place.jobs.work_all()
    place.reconcile(hold_hours=24)
    actor = Actor(user, "local", role)
    body = request_body(trials=[0]) if kind == "retry" else request_body()
    put_request(place.house.inbox, Request(RequestId("req-" + "a" * 32), kind, actor, RequestSubject("run", run_id), body))
    place.reconcile(hold_hours=24)
    assert refusals(place, run_id) == ([] if is_let else ["NOT_AUTHORISED"])


def test_a_run_is_submitted_once(tmp_path: Path) -> None:
    """The same key is the same request: nothing waits twice, nothing starts twice."""
    place = Place(tmp_path)
    one, same = place.submit(key="k"), place.submit(key="k")
    assert (one, place.house.inbox.list(10).waiting) == (same, 1)
    place.reconcile()
    assert place.submit(key="k") == one
    place.finish()
    assert [each.kind for each in place.events(one)].count("request_taken") == 1


def test_a_submit_whose_plan_is_not_stored_is_refused(tmp_path: Path) -> None:
    """Nothing that it says is trusted."""
    place = Place(tmp_path)
    run_id = place.submit()
    for file in (place.house.settings.home / "objects").rglob("*"):
        if file.is_file():
            file.unlink()
    place.finish()
    assert (refusals(place, run_id), place.state(run_id).run.state) == (["OBJECT_MISSING"], "refused")


def test_a_submit_under_another_run_is_refused(tmp_path: Path) -> None:
    """The lock names its run."""
    place = Place(tmp_path)
    run_id = place.submit()
    data = place.house.inbox.list(1).requests[0].data
    other = data.replace(f'"subject":{{"id":"{run_id}"'.encode(), f'"subject":{{"id":"{NOBODY}"'.encode())
    assert other != data
    place.house.inbox.remove([place.house.inbox.list(1).requests[0].request_id])
    place.house.inbox.put([(other[other.index(b"req-") :][:36].decode(), other)])
    place.finish()
    assert refusals(place, NOBODY) == ["LOCK_MISMATCH"]


def test_a_full_inbox_takes_a_cancel_and_nothing_else(tmp_path: Path) -> None:
    """A person can always stop what costs."""
    place = Place(tmp_path)
    run_id = place.submit()
    for number in range(499):
        place.house.inbox.put([(f"req-{number + 100:032x}", b"x")])
    with pytest.raises(Conflict) as caught:
        ask(place, "retry", run_id, 1, trials=[0])
    assert caught.value.code == "INBOX_FULL"
    ask(place, "cancel", run_id, 2)
    assert place.house.inbox.list(1).waiting == 501


def test_a_request_that_waits_with_other_bytes_is_a_conflict(tmp_path: Path) -> None:
    """An id stands for one request."""
    place = Place(tmp_path)
    ask(place, "cancel", NOBODY, reason="one")
    with pytest.raises(Conflict) as caught:
        ask(place, "cancel", NOBODY, reason="two")
    assert caught.value.code == "REQUEST_CONFLICT"


@pytest.mark.parametrize("body", [{"trials": "all"}, {"trials": [True]}, {"trials": [99]}, {}])
def test_a_retry_that_names_no_open_trial_is_refused(tmp_path: Path, body: dict[str, Any]) -> None:
    """And changes nothing."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    ask(place, "retry", run_id, **body)
    place.reconcile()
    assert len(refusals(place, run_id)) == 1


def test_a_retry_by_hand_lets_a_blocked_run_go_on(tmp_path: Path) -> None:
    """What it was blocked for is cleared with it; only the open trials run again."""
    from tests.builders.results import result_document
    from tests.doubles.harness import by_agent

    is_fixed = False
    missing = result_document(parts=1, rewards=None, exception="ValueError", message="Environment variable X not found")

    place = Place(tmp_path, lambda order: by_agent(order) if is_fixed or order.task_path.name == "one" else missing)
    run_id = place.submit(starter_tree())
    for _ in range(3):
        place.reconcile(hold_hours=24)
        place.jobs.work_all()
    run = place.state(run_id).run
    assert (list(run.attention), run.state) == (["configuration"], "draining")
    is_fixed = True
    trials = [index for index in range(4) if place.state(run_id).trials.trial(index).state.value == "exhausted"]
    ask(place, "retry", run_id, trials=trials)
    place.finish()
    state = place.state(run_id)
    assert (state.run.label, state.run.attention, len(trials) >= 1) == ("clean", {}, True)


@pytest.mark.parametrize("kind", ["resume", "seal"])
def test_a_kind_that_is_not_taken_yet_is_refused(tmp_path: Path, kind: str) -> None:
    """With a code that says so."""
    place = Place(tmp_path)
    run_id = place.submit()
    ask(place, kind, run_id)
    place.reconcile()
    assert refusals(place, run_id) == ["NOT_SUPPORTED"]
