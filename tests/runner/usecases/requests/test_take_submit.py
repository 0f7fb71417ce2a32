"""Submits from an offer: planned by the pass itself, judged by rights and quotas, waiting for approval where they are large."""

from pathlib import Path
from typing import Any

import pytest

from runner.domain import limits
from runner.domain.control.events import Approved, RequestTaken
from runner.usecases.requests.make_offer import OfferWorld, take_offer_back
from shared.documents.reviewed.limits import default_limits, local_limits
from shared.errors import Refused
from shared.inbox.rights import Submitters
from tests.builders.experiments import Tree
from tests.builders.houses import PRICES, Place, starter_tree
from tests.builders.requests import (
    ALICE,
    BOB,
    MAX,
    MIA,
    PEOPLE,
    QUOTAS,
    STRANGER,
    TEN_DOLLARS,
    TOO_LARGE,
    ask,
    ask_run,
    member_limits,
    offered,
    refusals,
    rules,
    run_request,
    status_of,
)

DAY_MS = 86_400_000


def open_place(tmp_path: Path, **given: Any) -> Place:
    """Return an installation that takes requests of members."""
    place = Place(tmp_path)
    place.rules = rules(**given)
    return place


def costly_tree(ceiling: int = 10_000_000) -> Tree:
    """Return the starter manifest with room for a cost."""
    tree = starter_tree()
    tree["policy"]["max_spend_usd_micros"] = ceiling
    return tree


def test_a_requested_run_is_planned_by_the_pass_and_carried_out(tmp_path: Path) -> None:
    """Its lock names the requester and the plan that was shown; what was not chosen is not run."""
    place = open_place(tmp_path)
    asked = run_request(offered(place), agents=("oracle",))
    run_id = ask_run(place, ALICE, asked)
    place.settle()
    run = place.state(run_id).run
    assert (run.label, run.trials, run.requested_by, run.owner) == ("clean", 2, "alice", "org-members")
    assert run.plan_digest == asked.plan_digest


def test_the_space_and_the_command_line_plan_the_same(tmp_path: Path) -> None:
    """The manifest that can be downloaded gives the plan that was shown."""
    from shared.documents.experiment.reader import read_manifest
    from shared.planning.plan import plan
    from shared.planning.requested import Choice, manifest_of

    place = open_place(tmp_path)
    offer = offered(place)
    manifest = manifest_of(offer, Choice(("none",), ("oracle",), 0))
    planned = place.plan()
    again = plan(read_manifest(manifest, {}).experiment, planned.inputs, PRICES)
    assert again.digest == run_request(offer, agents=("oracle",)).plan_digest


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"plan_digest": "0" * 64}, "request.preview_changed"),
        ({"offer_sha256": "0" * 64}, "request.preview_changed"),
        ({"offer": "other"}, "request.profile_unknown"),
        ({"agents": ("codex",)}, "request.profile_unknown"),
        ({"models": ("gpt",)}, "request.profile_unknown"),
        ({"max_spend_usd_micros": 1}, "request.too_large"),
    ],
)
def test_a_request_that_is_not_what_was_shown_is_refused(tmp_path: Path, change: dict[str, Any], code: str) -> None:
    """Nothing of it is trusted, and nothing of it starts."""
    place = open_place(tmp_path)
    run_id = ask_run(place, ALICE, run_request(offered(place)).model_copy(update=change))
    place.settle()
    assert (refusals(place, run_id), place.state(run_id).run.state, place.jobs.views) == ([code], "refused", {})


def test_an_offer_that_changed_meanwhile_refuses_what_was_made_from_the_one_before(tmp_path: Path) -> None:
    """A new preview is asked for; the new offer is taken."""
    place = open_place(tmp_path)
    old = run_request(offered(place))
    new = run_request(offered(place, starter_tree(repeats=2)))
    first, second = ask_run(place, ALICE, old, 1), ask_run(place, ALICE, new, 2)
    place.reconcile()
    assert (refusals(place, first), refusals(place, second)) == (["request.preview_changed"], [])


def test_an_offer_that_was_taken_back_is_not_chosen_from(tmp_path: Path) -> None:
    """It stays in the log and in no list."""
    place = open_place(tmp_path)
    asked = run_request(offered(place))
    house = place.house
    world = OfferWorld(house.log, house.status, house.sources, PRICES, place.clock, house.chance, "mia")
    take_offer_back("starter", world)
    run_id = ask_run(place, ALICE, asked)
    place.settle()
    assert refusals(place, run_id) == ["request.profile_unknown"]
    with pytest.raises(Refused, match="NOT_FOUND"):
        take_offer_back("starter", world)


def test_a_member_submits_no_plan_of_their_own(tmp_path: Path) -> None:
    """A body with a lock is a maintainer's, whoever wrote it into the inbox."""
    place = open_place(tmp_path)
    place.submit()
    waiting = place.house.inbox.list(1).requests[0]
    place.house.inbox.remove([waiting.request_id])
    forged = waiting.data.replace(b'"org_id":"local"', b'"org_id":"org-members"')
    place.house.inbox.put([(waiting.request_id, forged)])
    report = place.reconcile()
    assert [line.code for _, line in report.refusals] == ["NOT_AUTHORISED"]


@pytest.mark.parametrize("submitters", list(Submitters))
@pytest.mark.parametrize("who", sorted(PEOPLE))
def test_who_may_submit(tmp_path: Path, submitters: Submitters, who: str) -> None:
    """Every setting, every standing."""
    allowed = {"members": {"alice", "bob", "mia", "max", "rea"}, "anyone": set(PEOPLE) - {"nobody"}, "nobody": {"mia", "max"}}
    place = open_place(tmp_path, submitters=submitters)
    run_id = ask_run(place, PEOPLE[who], run_request(offered(place)))
    place.reconcile()
    assert refusals(place, run_id) == ([] if who in allowed[submitters] else ["NOT_AUTHORISED"])


@pytest.mark.parametrize(("bounds", "code"), QUOTAS)
def test_each_quota_alone_refuses(tmp_path: Path, bounds: dict[str, int], code: str) -> None:
    """The second request of ten dollars is one too many; a bound on size refuses the first."""
    place = open_place(tmp_path, limits=member_limits(**bounds))
    asked = run_request(offered(place, costly_tree()), ceiling=TEN_DOLLARS)
    first, second = ask_run(place, ALICE, asked, 1), ask_run(place, ALICE, asked, 2)
    place.reconcile()
    assert (refusals(place, first), refusals(place, second)) == ([code] if code == TOO_LARGE else [], [code])


@pytest.mark.parametrize(
    "bounds",
    [{"open_requests_user": 1}, {"requests_day_user": 1}, {"day_user_usd_micros": 15_000_000}],
    ids=lambda each: next(iter(each)),
)
def test_a_users_quota_is_nobody_elses(tmp_path: Path, bounds: dict[str, int]) -> None:
    """Bob may ask after alice has used hers up."""
    place = open_place(tmp_path, limits=member_limits(**bounds))
    asked = run_request(offered(place, costly_tree()), ceiling=10_000_000)
    ask_run(place, ALICE, asked, 1)
    assert place.reconcile().refusals == []
    run_id = ask_run(place, BOB, asked, 2)
    place.reconcile()
    assert refusals(place, run_id) == []


def test_an_ended_run_frees_its_slot_and_the_rest_of_its_ceiling(tmp_path: Path) -> None:
    """Its count of the day stays for 24 hours, whatever became of it."""
    place = open_place(tmp_path, limits=member_limits(open_requests_user=1, day_user_usd_micros=15_000_000, requests_day_user=2))
    asked = run_request(offered(place, costly_tree()), ceiling=10_000_000)
    runs = [ask_run(place, ALICE, asked, 1)]
    place.settle()
    for number in (2, 3):
        runs.append(ask_run(place, ALICE, asked, number))
        place.settle()
    assert [refusals(place, run_id) for run_id in runs] == [[], [], ["request.user_rate"]]
    place.clock.sleep(24 * 3600)
    runs.append(ask_run(place, ALICE, asked, 4))
    place.settle()
    assert refusals(place, runs[3]) == []


@pytest.mark.parametrize("many", [60, pytest.param(500, marks=pytest.mark.long)])
def test_many_requests_at_once_stay_below_the_cap(tmp_path: Path, many: int) -> None:
    """Of ten dollars each, five runs fit the fifty of a day, in whatever passes they are taken; of as many again, none."""
    place = open_place(tmp_path, limits=member_limits(day_owner_usd_micros=50_000_000))
    asked = run_request(offered(place, costly_tree()), ceiling=10_000_000)
    for batch in range(2):
        runs = [ask_run(place, ALICE, asked, 1 + batch * many + number) for number in range(many)]
        while place.house.inbox.list(1).waiting:
            place.reconcile()
        accepted = [run_id for run_id in runs if place.state(run_id).run.requested_by]
        assert len(accepted) == (5 if batch == 0 else 0)


def large_limits(**changes: Any) -> dict[str, Any]:
    """Return rules under which ten dollars need an approval."""
    return {"limits": default_limits(), "approval_ceiling_usd_micros": 9_000_000, **changes}


def waiting_place(tmp_path: Path, **changes: Any) -> tuple[Place, Any]:
    """Return an installation where one request of alice's waits for approval."""
    place = open_place(tmp_path, **large_limits(**changes))
    run_id = ask_run(place, ALICE, run_request(offered(place, costly_tree()), ceiling=10_000_000))
    place.settle()
    return place, run_id


def approve(place: Place, run_id: Any, actor: Any, verdict: str = "approve", **changes: str) -> None:
    """Let `actor` judge what waits."""
    waiting = status_of(place, run_id).waiting_approval
    assert waiting is not None
    body = {"request_id": waiting.request_id, "body_sha256": waiting.body_sha256, "verdict": verdict, **changes}
    ask(place, "approve", actor, run_id, **body)
    place.settle()


def test_a_large_request_waits_and_says_so(tmp_path: Path) -> None:
    """Nothing starts; the watch ends, since only a person moves it on."""
    place, run_id = waiting_place(tmp_path)
    status = status_of(place, run_id)
    assert (status.state, status.request_state, place.jobs.views) == ("waiting_approval", "waiting_approval", {})
    assert status.waiting_approval is not None
    assert status.waiting_approval.ceiling_usd_micros == 10_000_000
    assert "approval" in place.reconcile().persons[run_id]


def test_a_maintainer_lets_it_in(tmp_path: Path) -> None:
    """It runs to its end, and its row says that another approved it."""
    place, run_id = waiting_place(tmp_path)
    approve(place, run_id, MIA)
    assert (place.state(run_id).run.label, place.state(run_id).run.approved_by) == ("clean", "mia")
    assert status_of(place, run_id).approval == "other"


@pytest.mark.parametrize("who", ["alice", "bob", "rea", "sam"])
def test_nobody_else_does(tmp_path: Path, who: str) -> None:
    """Not its requester, not another member, not a maintainer who may only read."""
    place, run_id = waiting_place(tmp_path)
    approve(place, run_id, PEOPLE[who])
    assert (refusals(place, run_id), place.state(run_id).run.state) == (["NOT_AUTHORISED"], "waiting_approval")


@pytest.mark.parametrize(("approvals", "codes"), [("other", ["SELF_APPROVAL"]), ("single", [])])
def test_ones_own_approval_needs_the_setting(tmp_path: Path, approvals: str, codes: list[str]) -> None:
    """With one maintainer the status and the row say `single`."""
    place = open_place(tmp_path, **large_limits(approvals=approvals))
    run_id = ask_run(place, MIA, run_request(offered(place, costly_tree()), ceiling=10_000_000))
    place.settle()
    approve(place, run_id, MIA)
    assert refusals(place, run_id) == codes
    assert status_of(place, run_id).approval == ("not_needed" if codes else "single")


def test_another_body_than_the_one_looked_at_is_not_approved(tmp_path: Path) -> None:
    """The approval names the request and its bytes."""
    place, run_id = waiting_place(tmp_path)
    approve(place, run_id, MIA, body_sha256="0" * 64)
    approve(place, run_id, MIA, request_id="req-" + "0" * 32)
    assert refusals(place, run_id) == ["REQUEST_CHANGED"] * 2


def test_a_refused_request_ends(tmp_path: Path) -> None:
    """With the maintainer's reason."""
    place, run_id = waiting_place(tmp_path)
    approve(place, run_id, MIA, "refuse", reason="too large for this month")
    status = status_of(place, run_id)
    assert (status.request_state, [line.message for line in status.refusals]) == ("refused", ["too large for this month"])
    assert place.reconcile().is_idle


def test_a_cancelled_request_ends_before_it_began(tmp_path: Path) -> None:
    """By its requester."""
    place, run_id = waiting_place(tmp_path)
    ask(place, "cancel", ALICE, run_id)
    place.settle()
    assert (refusals(place, run_id), status_of(place, run_id).request_state) == (["CANCELLED"], "refused")


def test_on_the_eighth_day_it_is_refused(tmp_path: Path) -> None:
    """And not a second before."""
    place, run_id = waiting_place(tmp_path)
    place.clock.sleep(limits.APPROVAL_WAIT_S - 60)
    place.settle()
    assert refusals(place, run_id) == []
    place.clock.sleep(60)
    place.settle()
    assert (refusals(place, run_id), place.reconcile().open_runs) == (["APPROVAL_EXPIRED"], 0)


def test_an_approval_judges_the_quotas_again(tmp_path: Path) -> None:
    """What was free when it was asked for is used up when it is approved: it goes on waiting."""
    tight = default_limits().member.model_copy(update={"day_user_usd_micros": 25_000_000, "open_requests_user": 9})
    place = open_place(tmp_path, **large_limits(member=tight))
    offer = offered(place, costly_tree())
    runs = [ask_run(place, ALICE, run_request(offer, ceiling=10_000_000), number) for number in (1, 2)]
    place.settle()
    place.rules = rules(**large_limits(member=tight.model_copy(update={"day_user_usd_micros": 15_000_000})))
    approve(place, runs[0], MIA)
    assert (refusals(place, runs[0]), place.state(runs[0]).run.state) == (["request.user_cap"], "waiting_approval")


def test_people_without_a_membership_always_wait(tmp_path: Path) -> None:
    """However small it is."""
    place = open_place(tmp_path, submitters=Submitters.ANYONE)
    run_id = ask_run(place, STRANGER, run_request(offered(place)))
    place.settle()
    assert (place.state(run_id).run.state, place.state(run_id).run.owner) == ("waiting_approval", "-")


def test_an_approved_request_is_approved_once(tmp_path: Path) -> None:
    """Two maintainers at once: one lets it in, the other is told that nothing waits."""
    place, run_id = waiting_place(tmp_path)
    waiting = status_of(place, run_id).waiting_approval
    assert waiting is not None
    body = {"request_id": waiting.request_id, "body_sha256": waiting.body_sha256, "verdict": "approve"}
    for actor in (MIA, MAX):
        ask(place, "approve", actor, run_id, **body)
    place.settle()
    found = [event for event in place.events(run_id) if isinstance(event.payload, Approved)]
    assert (len(found), refusals(place, run_id)) == (1, ["NOT_WAITING"])
    assert sum(isinstance(event.payload, RequestTaken) for event in place.events(run_id)) == 3


def test_local_limits_let_a_maintainer_run_what_fits_the_machine() -> None:
    """Nobody else has to agree to what costs nothing."""
    found = local_limits()
    assert (found.approvals, found.approval_trials, found.concurrency.waves_per_run) == ("single", 1_000_000, 1)
