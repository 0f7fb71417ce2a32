"""Many requests and several passes at once: caps hold exactly, each request is taken once, each wave stays within its cap."""

import dataclasses
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from runner.adapters.local.state.system_time import SystemChance
from runner.bootstrap import House
from runner.domain.control.accounts import Accounts
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.seen import PlanShape
from runner.usecases.control.admit_waves import Room, admit_waves
from runner.usecases.control.reconcile import reconcile
from shared.documents.reviewed.limits import Concurrency, default_limits
from shared.errors import Conflict
from shared.ids import RunId
from tests.builders.houses import BUILD, Place
from tests.builders.requests import ALICE, ask_run, member_limits, offered, rules, run_request
from tests.runner.domain.control.decisions.passes import Passes
from tests.runner.usecases.requests.test_take_submit import costly_tree

REQUESTS = 120
FITTING = 5


def pass_until_empty(place: Place) -> None:
    """Let passes of one more process-like house take what waits."""
    house = House(place.house.settings, place.clock, SystemChance())
    world = dataclasses.replace(house.pass_world(), jobs=place.jobs, rules=place.rules, build=lambda: BUILD)
    while world.inbox.list(1).waiting:
        with suppress(Conflict):  # Contended: the others went on, and so does this one.
            reconcile(world)


def test_passes_at_once_let_in_exactly_what_fits(tmp_path: Path) -> None:
    """Four of them over one inbox: as many runs as the cap has room for, every request taken once."""
    place = Place(tmp_path)
    place.rules = rules(limits=member_limits(day_owner_usd_micros=10_000_000 * FITTING + 9_999_999))
    asked = run_request(offered(place, costly_tree()), ceiling=10_000_000)
    runs = [ask_run(place, ALICE, asked, number) for number in range(1, REQUESTS + 1)]
    with ThreadPoolExecutor(4) as passes:
        for done in [passes.submit(pass_until_empty, place) for _ in range(4)]:
            done.result()
    states = [place.state(run_id).run for run_id in runs]
    assert [len(run.requests) for run in states] == [1] * REQUESTS
    assert sum(run.ceiling_usd_micros for run in states) == 10_000_000 * FITTING
    assert all(run.anomaly_count == 0 for run in states)


def drafts_of(count: int, ceiling: int) -> dict[str, tuple[Draft, PlanShape]]:
    """Return `count` runs that each want waves of `ceiling`."""
    found = {}
    for number in range(count):
        passes = Passes(2, per_wave=1)
        passes.state.run.requested_by, passes.state.run.owner = f"user-{number}", "org"
        situation = dataclasses.replace(passes.situation(), run_id=RunId(f"run-{number:032x}"))
        found[f"run-{number:032x}"] = (
            Draft(passes.state, situation),
            dataclasses.replace(passes.shape, wave_ceiling_usd_micros=ceiling),
        )
    return found


@pytest.mark.parametrize("fitting", [0, 1, 7])
@pytest.mark.parametrize("cap", ["namespace_day_usd_micros", "namespace_month_usd_micros"])
def test_a_thousand_runs_at_once_reserve_within_the_cap(cap: str, fitting: int) -> None:
    """Exactly as many waves as have room; the others say which cap holds them back."""
    limits = default_limits().model_copy(
        update={
            cap: 100 * fitting + 99,
            "concurrency": Concurrency(waves=10_000, waves_per_route=10_000, job_starts_per_hour=10_000),
        }
    )
    drafts = drafts_of(1_000, 100)
    situation = next(iter(drafts.values()))[0].situation
    found = admit_waves(drafts, Room(limits, Accounts(()), {}, situation.now_ms))
    reserved = sum(draft.state.open_ceilings_usd_micros() for draft, _ in drafts.values())
    assert (reserved, found.broken) == (100 * fitting, {})
    period = {"namespace_day_usd_micros": "2023-11-14", "namespace_month_usd_micros": "2023-11"}[cap]
    assert set(found.held.values()) == {f"CAP_REACHED namespace {period}"}


def test_a_pass_starts_eight_waves_whatever_they_are_of() -> None:
    """Second waves of runs count like first ones."""
    drafts = drafts_of(5, 1)
    limits = default_limits().model_copy(update={"concurrency": Concurrency(waves=100, waves_per_run=2, job_starts_per_hour=100)})
    found = admit_waves(drafts, Room(limits, Accounts(()), {}, next(iter(drafts.values()))[0].situation.now_ms))
    assert sum(len(draft.state.open_waves()) for draft, _ in drafts.values()) == 8
    assert set(found.held.values()) == {"LIMIT_PASS"}


def test_a_users_cap_holds_back_that_user_alone() -> None:
    """The next user's wave is reserved in the same pass."""
    member = default_limits().member.model_copy(update={"day_user_usd_micros": 150})
    drafts = drafts_of(2, 100)
    one, _ = drafts[f"run-{0:032x}"]
    situation = one.situation
    found = admit_waves(drafts, Room(default_limits().model_copy(update={"member": member}), Accounts(()), {}, situation.now_ms))
    assert [len(draft.state.open_waves()) for draft, _ in drafts.values()] == [1, 1]
    assert set(found.held.values()) == {f"CAP_REACHED user:user-{number} 2023-11-14" for number in range(2)}
