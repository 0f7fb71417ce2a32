"""The hold: new work waits in the whole installation, what is under way goes on, and it stands in the installation's journal."""

from pathlib import Path

import pytest

from runner.domain import yields
from runner.domain.control.installation import INSTALLATION, Installation, fold_installation
from runner.usecases.runs.submit_run import put_request, request_body
from shared.documents.installation_status import InstallationStatus
from shared.ids import RequestId
from shared.inbox.codec import Actor, Request, RequestSubject
from tests.builders.houses import Place
from tests.builders.requests import ALICE, MIA, PEOPLE, rules


def ask_hold(place: Place, actor: Actor, switch: str, number: int = 1, reason: str = "price review") -> None:
    """Put a hold into the inbox."""
    body = request_body(switch=switch, reason=reason)
    put_request(place.house.inbox, Request(RequestId(f"req-{number:032x}"), "hold", actor, RequestSubject(*INSTALLATION), body))


def journal(place: Place) -> Installation:
    """Return what the installation's journal says."""
    log = place.house.log
    return fold_installation(log.read(INSTALLATION, 0, log.head().version))


def view(place: Place) -> InstallationStatus:
    """Return the installation's status."""
    found = place.house.status.read(INSTALLATION)
    assert found is not None
    return InstallationStatus.from_bytes(found.data)


def test_a_hold_keeps_new_work_back_until_it_is_let_go(tmp_path: Path) -> None:
    """The run waits, says for what, and goes on."""
    place = Place(tmp_path)
    ask_hold(place, place.house.actor(), "on")
    run_id = place.submit()
    report = place.settle()
    assert (place.jobs.views, report.persons[run_id].startswith("HOLD")) == ({}, True)
    assert (view(place).is_held, view(place).hold_because) == (True, "price review")
    ask_hold(place, place.house.actor(), "off", 2)
    place.settle()
    assert (place.state(run_id).run.label, view(place).is_held) == ("clean", False)


def test_a_secret_in_a_holds_reason_is_shown_to_nobody(tmp_path: Path) -> None:
    """The installation's status is what every signed-in person's page is made of."""
    place = Place(tmp_path, environment={"SERVICE_TOKEN": "canary-of-a-hold"})
    ask_hold(place, place.house.actor(), "on", reason="canary-of-a-hold was printed")
    place.reconcile()
    assert view(place).hold_because == "[redacted:SERVICE_TOKEN] was printed"


def test_a_hold_ends_nothing(tmp_path: Path) -> None:
    """A wave under way is worked to its end, sealed and published."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    ask_hold(place, place.house.actor(), "on")
    place.settle()
    assert place.state(run_id).run.label == "clean"


@pytest.mark.parametrize("who", sorted(PEOPLE))
def test_a_hold_is_a_maintainers(tmp_path: Path, who: str) -> None:
    """Everybody else is refused where maintainers read it."""
    place = Place(tmp_path)
    place.rules = rules()
    ask_hold(place, PEOPLE[who], "on")
    place.reconcile()
    found = journal(place)
    assert (found.is_held, len(found.refused)) == ((True, 0) if who in {"mia", "max"} else (False, 1))
    assert place.house.inbox.list(1).waiting == 0


def test_a_hold_that_was_taken_is_only_removed(tmp_path: Path) -> None:
    """A pass that died before the removal leaves it waiting; it does not switch again."""
    place = Place(tmp_path)
    place.rules = rules()
    ask_hold(place, MIA, "on")

    def die(name: str) -> None:
        if name == "pass.before_remove":
            raise KeyboardInterrupt

    yields.install(die)
    with pytest.raises(KeyboardInterrupt):
        place.reconcile()
    yields.install(lambda _name: None)
    seq = journal(place).seq
    place.reconcile()
    assert (journal(place).seq, place.house.inbox.list(1).waiting) == (seq, 0)


@pytest.mark.parametrize("body", ["", '{"switch": "maybe"}', "[]"])
def test_a_hold_that_says_neither_is_refused(tmp_path: Path, body: str) -> None:
    """Nothing is switched."""
    place = Place(tmp_path)
    place.rules = rules()
    put_request(place.house.inbox, Request(RequestId("req-" + "1" * 32), "hold", MIA, RequestSubject(*INSTALLATION), body))
    place.reconcile()
    assert (journal(place).is_held, len(journal(place).refused)) == (False, 1)


def test_a_hold_of_a_run_is_no_request(tmp_path: Path) -> None:
    """And a cancel of the installation neither."""
    place = Place(tmp_path)
    for number, (kind, subject) in enumerate(
        [("hold", RequestSubject("run", "run-" + "1" * 32)), ("cancel", RequestSubject(*INSTALLATION))]
    ):
        request = Request(RequestId(f"req-{number + 1:032x}"), kind, MIA, subject, "")
        put_request(place.house.inbox, request)
    assert place.reconcile().refused == 2


def test_the_installations_status_says_who_uses_what(tmp_path: Path) -> None:
    """For early answers: open requests, the last day's, what is left of the money."""
    from tests.builders.requests import ask_run, offered, run_request

    place = Place(tmp_path)
    place.rules = rules()
    ask_run(place, ALICE, run_request(offered(place)))
    place.reconcile()
    assert (view(place).users["alice"].open, view(place).owners["org-members"].day) == (1, 1)
    place.settle()
    assert (view(place).users["alice"].open, view(place).users["alice"].day) == (0, 1)
