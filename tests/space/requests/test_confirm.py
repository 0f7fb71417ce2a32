"""Confirming: once is once, twice is once, and nothing that was not shown is recorded."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from shared.documents.reviewed.limits import default_limits
from shared.documents.run_request import RunRequest
from space.auth.sealed import key_from, seal
from space.requests.ticket import GOOD_FOR_S
from tests.builders.houses import PRICES, starter_tree
from tests.builders.requests import QUOTAS, TEN_DOLLARS, TOO_LARGE, member_limits, offered, refusals
from tests.doubles.oidc import CLIENT_SECRET
from tests.runner.usecases.requests.test_take_submit import costly_tree
from tests.space.requests.visits import CHOICE, House, said


def test_the_space_writes_the_bytes_that_the_runner_reads(house: House) -> None:
    """Actor, subject, kind and body: the plan digest is the pass's own."""
    house.visitor("alice").ask_run()
    (request,) = house.waiting()
    asked = RunRequest.from_bytes(request.body.encode())
    assert (request.kind, request.actor.user_id, request.actor.org_id, request.actor.role) == (
        "submit",
        "alice",
        "org-members",
        "read",
    )
    assert (asked.offer_sha256, asked.models, asked.agents) == (house.offer.digest, ("none",), ("oracle",))
    house.place.reconcile()
    assert house.place.state(request.subject.id).run.plan_digest == asked.plan_digest  # type: ignore[arg-type]


def test_a_double_click_is_one_request(house: House) -> None:
    """The same page answers both."""
    alice = house.visitor("alice")
    form = alice.preview()
    first, second = alice.confirm(form), alice.confirm(form)
    assert (first.status_code, first.headers["location"]) == (second.status_code, second.headers["location"])
    assert len(house.waiting()) == 1


def test_fifty_confirms_at_once_are_one_request(house: House) -> None:
    """Whichever is first."""
    alice = house.visitor("alice")
    form = alice.preview()
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: alice.confirm(form), range(50)))
    assert {answer.status_code for answer in answers} == {303}
    assert len({answer.headers["location"] for answer in answers}) == 1
    assert len(house.waiting()) == 1


@pytest.mark.parametrize("is_taken", [False, True])
def test_confirming_again_after_a_restart_is_the_same_request(house: House, is_taken: bool) -> None:
    """Whether it still waits or a pass has taken it; the session and the ticket outlive the process."""
    alice = house.visitor("alice")
    form = alice.preview()
    alice.confirm(form)
    if is_taken:
        house.place.settle()
    again = house.visitor(app=house.open())
    again.client.cookies = alice.client.cookies
    answer = again.confirm(form)
    assert (answer.status_code, len(house.waiting())) == (303, 0 if is_taken else 1)


def test_two_previews_are_two_runs(house: House) -> None:
    """Each its own."""
    alice = house.visitor("alice")
    first, second = alice.preview(), alice.preview()
    runs = [alice.confirm(form).headers["location"].partition("run_id=")[2] for form in (first, second)]
    assert len(house.waiting()) == 2
    house.place.settle()
    assert [house.status(run_id).state for run_id in dict.fromkeys(runs)] == ["completed"] * 2


def test_a_preview_is_good_for_a_quarter_of_an_hour(house: House) -> None:
    """And says so afterwards."""
    alice = house.visitor("alice")
    good, late = alice.preview(), alice.preview()
    house.later(GOOD_FOR_S - 2)
    assert alice.confirm(good).status_code == 303
    house.later(3)
    answer = alice.confirm(late)
    assert (answer.status_code, len(house.waiting())) == (409, 1)
    assert "request.expired" in said(answer)


@pytest.mark.parametrize("kind", ["another's", "body", "signature", "session key", "none"])
def test_what_was_not_shown_is_not_recorded(house: House, kind: str) -> None:
    """Another's ticket, another body, a signature of one's own."""
    alice, bob = house.visitor("alice"), house.visitor("bob")
    form = (bob if kind == "another's" else alice).preview()
    fields = {
        "user_id": "alice",
        "kind": "submit",
        "body_sha256": "0" * 64,
        "request_id": "req-" + "0" * 32,
        "subject": ["run", "run-1"],
    }
    changes = {
        "body": {"body": form["body"].replace("oracle", "nop")},
        "signature": {"ticket": form["ticket"][:-4] + "AAAA"},
        "session key": {"ticket": seal(key_from(CLIENT_SECRET, "session"), fields, int(house.now()) + 60)},
        "none": {"ticket": ""},
    }
    answer = alice.confirm({**form, **changes.get(kind, {})})
    assert (answer.status_code, house.waiting()) == (403, [])
    assert "request.forged" in said(answer)


def test_who_will_see_it_has_to_be_read(house: House) -> None:
    """The box is part of the request."""
    alice = house.visitor("alice")
    answer = alice.confirm({**alice.preview(), "seen": ""})
    assert (answer.status_code, house.waiting()) == (400, [])


def test_an_offer_that_changed_since_the_preview_asks_for_a_new_one(house: House) -> None:
    """Other repeats, other bytes; the form stays as it was filled."""
    alice = house.visitor("alice")
    form = alice.preview()
    offered(house.place, starter_tree(repeats=2))
    answer = alice.confirm(form)
    assert (answer.status_code, house.waiting()) == (409, [])
    assert "request.preview_changed" in said(answer)
    assert 'value="oracle" checked' in answer.text
    assert alice.confirm(alice.preview()).status_code == 303


def test_prices_that_changed_since_the_preview_ask_for_a_new_one(house: House) -> None:
    """The same tasks and repeats, another price document: what was shown is no longer what it would cost."""
    alice = house.visitor("alice")
    form = alice.preview()
    later = PRICES.model_copy(update={"observed_at": "2026-01-02T00:00:00Z"})
    offered(house.place, prices=later)
    answer = alice.confirm(form)
    assert (answer.status_code, house.waiting()) == (409, [])
    assert "request.preview_changed" in said(answer)
    assert alice.confirm(alice.preview()).status_code == 303


def test_an_offer_taken_back_since_the_preview_is_not_there(house: House) -> None:
    """Nothing of it is recorded."""
    alice = house.visitor("alice")
    form = alice.preview()
    house.place.house.status.write(("offer", "starter"), b"", 9)  # type: ignore[arg-type]
    answer = alice.confirm(form)
    assert (answer.status_code, house.waiting()) == (409, [])
    assert "request.profile_unknown" in said(answer)


@pytest.mark.parametrize("is_taken", [True, False])
@pytest.mark.parametrize(("bounds", "code"), QUOTAS)
def test_limits_are_told_before_the_ticket(house: House, bounds: dict[str, Any], code: str, is_taken: bool) -> None:
    """By the code that the pass would refuse with, and what waits in the inbox counts as well as what was taken."""
    offered(house.place, costly_tree(TEN_DOLLARS))
    house.judge_by("members", member_limits(**bounds))
    house.place.reconcile()
    alice, asked = house.visitor("alice"), {"agents": ["nop", "oracle"], "ceiling_usd": "10"}
    if code != TOO_LARGE:
        alice.ask_run(**asked)
        if is_taken:
            house.place.reconcile()
    refused = alice.post("/request/preview", {**CHOICE, **asked})
    assert (refused.status_code, code in said(refused)) == (409, True)


def test_what_waits_in_the_inbox_counts_against_the_limits(house: House) -> None:
    """Two previews, room for one: the second confirm is refused although no pass has looked."""
    house.judge_by("members", member_limits(open_requests_user=1))
    house.place.reconcile()
    alice = house.visitor("alice")
    first, second = alice.preview(), alice.preview()
    assert [alice.confirm(form).status_code for form in (first, second)] == [303, 409]
    assert len(house.waiting()) == 1


def test_many_confirms_at_the_cap_reserve_no_more_than_the_cap(house: House) -> None:
    """Forty tickets at once, room for three."""
    house.judge_by("members", member_limits(open_requests_user=3))
    house.place.reconcile()
    alice = house.visitor("alice")
    forms = [alice.preview() for _ in range(40)]
    with ThreadPoolExecutor(20) as pool:
        answers = [answer.status_code for answer in pool.map(alice.confirm, forms)]
    assert (answers.count(303), answers.count(409), len(house.waiting())) == (3, 37, 3)


def test_a_large_request_is_announced_to_wait_and_waits(house: House) -> None:
    """For a maintainer, who is not its requester."""
    limits = default_limits().model_copy(update={"approval_trials": 0})
    house.judge_by("members", limits)
    house.place.reconcile()
    alice, mia = house.visitor("alice"), house.visitor("mia")
    page = alice.post("/request/preview", {"offer": "starter", "models": "none", "agents": "oracle", "ceiling_usd": "0"})
    assert "A maintainer has to approve it first" in said(page)
    run_id = alice.ask_run()
    house.place.settle()
    assert "Waiting for a maintainer" in said(alice.get(f"/request?run_id={run_id}"))
    assert run_id in mia.get("/request").text
    assert mia.ask("approve", run_id, verdict="approve").status_code == 303
    house.place.settle()
    assert "waiting for your decision" in said(alice.get(f"/request?run_id={run_id}"))
    assert refusals(house.place, run_id) == []  # type: ignore[arg-type]


def test_a_preview_says_the_cost_per_trial(house: House) -> None:
    """The expected one and the ceiling's, in the words of every other page."""
    page = house.visitor("alice").post("/request/preview", CHOICE)
    assert said(page).count(" per trial") == 2


def test_a_request_that_the_pass_refused_tells_its_requester_why(house: House) -> None:
    """Although it never became a run."""
    alice = house.visitor("alice")
    run_id = alice.ask_run()
    house.judge_by("nobody", default_limits())
    house.place.settle()
    page = said(alice.get(f"/request?run_id={run_id}"))
    assert "Refused" in page
    assert "NOT_AUTHORISED" in page
    assert house.visitor("bob").get(f"/request?run_id={run_id}").status_code == 404
