"""Many confirms at once near a cap, through two Spaces while passes take them: what fits is reserved, and no more."""

import dataclasses
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from runner.adapters.local.state.system_time import SystemChance
from runner.bootstrap import House as RunnerHouse
from runner.usecases.control.reconcile import reconcile
from shared.documents.reviewed.limits import Limits
from shared.errors import Conflict
from shared.ids import RunId
from tests.builders.houses import BUILD
from tests.builders.requests import ALICE, BOB, member_limits, offered, put
from tests.runner.usecases.requests.test_take_submit import costly_tree
from tests.space.requests.visits import House, Visitor

CEILING = 10_000_000
AMOUNTS = ("day_user_usd_micros", "day_owner_usd_micros", "month_user_usd_micros", "month_owner_usd_micros")
CHOICE = {"ceiling_usd": "10"}


def limits_of(cap: str, fitting: int) -> Limits:
    """Return limits under which exactly `fitting` of our requests fit, and `cap` alone holds the others back."""
    amounts = dict.fromkeys(AMOUNTS, 10**12)
    return member_limits(**{**amounts, cap: CEILING * fitting + CEILING - 1})


def keep_passing(house: House, is_over: threading.Event) -> None:
    """Let passes of one more process-like installation take what waits, until nothing does and nothing more comes."""
    place = house.place
    own = RunnerHouse(place.house.settings, place.clock, SystemChance())
    world = dataclasses.replace(own.pass_world(), jobs=place.jobs, rules=place.rules, build=lambda: BUILD)
    while not is_over.is_set() or world.inbox.list(1).waiting:
        with suppress(Conflict):  # Contended: the others went on, and so does this one.
            reconcile(world)


def confirm_all(house: House, tickets: list[tuple[Visitor, dict[str, Any]]]) -> Counter[int]:
    """Send every preview, 32 at a time; return how often each status was answered.

    Every third is put as a Space puts it that judged by an old status and does not see what the others write.
    """

    def send(number: int) -> int:
        visitor, form = tickets[number]
        if number % 3:
            return int(visitor.confirm(form).status_code)
        run_id = RunId(f"run-{number:032x}")
        try:
            put(house.place, "submit", ALICE if number % 2 else BOB, run_id, form["body"], number=number + 1)
        except Conflict:
            return 503  # As many wait as may.
        return 303

    with ThreadPoolExecutor(32) as pool:
        return Counter(pool.map(send, range(len(tickets))))


@pytest.mark.parametrize(
    ("confirms", "fitting", "cap"),
    [
        (60, 7, "day_owner_usd_micros"),
        (60, 3, "month_owner_usd_micros"),
        pytest.param(1_000, 40, "day_owner_usd_micros", marks=pytest.mark.long),
        pytest.param(1_000, 40, "month_owner_usd_micros", marks=pytest.mark.long),
    ],
)
def test_confirms_at_the_cap_reserve_no_more_than_it(house: House, confirms: int, fitting: int, cap: str) -> None:
    """Whatever two Spaces let into the inbox, the log lets in what fits, and all of it that does."""
    house.judge_by("members", limits_of(cap, fitting))
    offered(house.place, costly_tree(CEILING))
    house.place.reconcile()
    visitors = [house.visitor(name, app) for app in (house.open(), house.open()) for name in ("alice", "bob")]
    tickets = [
        (visitors[number % len(visitors)], visitors[number % len(visitors)].preview(**CHOICE)) for number in range(confirms)
    ]
    is_over = threading.Event()
    with ThreadPoolExecutor(2) as passes:
        done = [passes.submit(keep_passing, house, is_over) for _ in range(2)]
        answers = confirm_all(house, tickets)
        is_over.set()
        for each in done:
            each.result()
    runs = [house.place.state(subject.id).run for subject in house.place.house.status.list() if subject.type == "run"]  # type: ignore[arg-type]
    assert sum(run.ceiling_usd_micros for run in runs) == CEILING * fitting
    assert answers.total() == confirms
    assert answers[303] == len(runs) >= fitting
    assert set(answers) <= {303, 409, 503}
    assert all(run.anomaly_count == 0 for run in runs)
