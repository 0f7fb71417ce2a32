"""A job that the provider refuses is recorded: no read would ever show it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.domain import yields
from runner.domain.control.events import ActionObserved, ActionReserved
from runner.ports.compute.jobs import JobRefused
from shared.ids import RunId
from tests.builders.houses import Place


class Killed(BaseException):
    """The process ends here; nothing catches it."""


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


def reservations(place: Place, run_id: RunId) -> list[str]:
    """Return the targets of the reserved actions."""
    return [each.payload.target for each in place.events(run_id) if isinstance(each.payload, ActionReserved)]


def test_a_refused_job_is_recorded_and_asks_for_a_person(tmp_path: Path) -> None:
    """No read would show it: its action ends as refused, its wave closes, nothing is tried in a loop."""
    place = Place(tmp_path)
    place.jobs.refusal = JobRefused("FLAVOR_UNKNOWN", "there is no such hardware")
    run_id = place.submit()
    place.reconcile(hold_hours=24)
    run = place.state(run_id).run
    observed = [each.payload for each in place.events(run_id) if isinstance(each.payload, ActionObserved)]
    assert ([each.result for each in observed], run.actions) == (["refused"], {})
    assert run.attention == {"job_refused": "FLAVOR_UNKNOWN: there is no such hardware"}
    for _ in range(5):
        place.reconcile(hold_hours=24)
    assert len(reservations(place, run_id)) == 1
    assert "job_refused" in place.reconcile(hold_hours=24).persons[run_id]


def test_a_pass_that_dies_before_it_records_a_refusal_is_followed_by_one_that_does(tmp_path: Path) -> None:
    """The start is tried again once the world shows no job for it, and refused again."""
    place = Place(tmp_path)
    place.jobs.refusal = JobRefused("FLAVOR_UNKNOWN", "there is no such hardware")
    run_id = place.submit()

    def die(name: str) -> None:
        if name == "pass.before_refusals":
            raise Killed(name)

    yields.install(die)
    with pytest.raises(Killed):
        place.reconcile(hold_hours=24)
    yields.install(lambda _name: None)
    place.clock.sleep(60)
    place.reconcile(hold_hours=24)
    assert (list(place.state(run_id).run.attention), len(reservations(place, run_id))) == (["job_refused"], 1)
