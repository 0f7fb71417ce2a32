"""Whose runs are whose, who may ask what of them, and what becomes public."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from runner.usecases.results.published_tables import read_catalog
from shared.documents.reviewed.limits import default_limits
from shared.documents.shown import ShownRun
from shared.documents.status import RunStatus
from tests.builders.requests import status_of
from tests.space.requests.visits import House, hidden, said

CATALOG = "local/catalog"
EVERYBODY = ("alice", "bob", "mia", "max", "rea", "sam")
MEMBERS, MAINTAINERS = {"alice", "bob", "rea"}, {"mia", "max"}
"""Who reads in the maintainers' organisation is a member."""


def ended(house: House, owner: str = "alice") -> str:
    """Return a run that has ended and waits for its requester; a maintainer's is published without waiting."""
    run_id = house.visitor(owner).ask_run()
    house.place.settle()
    assert status(house, run_id).request_state == ("waiting_consent" if owner in MEMBERS else "published")
    return run_id


def published(house: House, owner: str = "alice") -> str:
    """Return a run that its requester published."""
    run_id = ended(house, owner)
    if owner in MEMBERS:
        house.visitor(owner).ask("consent", run_id, decision="publish")
        house.place.settle()
    return run_id


def waiting_for_approval(house: House, owner: str) -> str:
    """Return a run whose submit waits for a maintainer."""
    house.judge_by("members", default_limits().model_copy(update={"approval_trials": 0}))
    house.place.reconcile()
    run_id = house.visitor(owner).ask_run()
    house.place.settle()
    assert status(house, run_id).request_state == "waiting_approval"
    return run_id


def status(house: House, run_id: str) -> RunStatus:
    """Return the run's status."""
    return status_of(house.place, run_id)  # type: ignore[arg-type]


def records(house: House) -> list[str]:
    """Return the words of the catalog's records."""
    store = house.place.house.results
    head = store.head(CATALOG)
    return sorted(row["record"] for row in read_catalog(store, CATALOG, head)) if head else []


@pytest.mark.parametrize("stage", ["waiting", "ended"])
@pytest.mark.parametrize("who", EVERYBODY)
def test_a_run_is_seen_by_its_requester_and_maintainers(house: House, stage: str, who: str) -> None:
    """For everybody else it is as unknown as a guessed one, word for word, its failures too."""
    run_id = house.visitor("alice").ask_run() if stage == "waiting" else ended(house)
    visitor = house.visitor(who)
    seen, guessed = visitor.get(f"/request?run_id={run_id}"), visitor.get(f"/request?run_id=run-{'9' * 32}")
    is_let = who in {"alice", "mia", "max"}
    assert (seen.status_code, guessed.status_code) == (200 if is_let else 404, 404)
    assert is_let or seen.text == guessed.text
    assert is_let or run_id not in visitor.get("/request").text


@pytest.mark.parametrize("owner", ["alice", "bob", "rea", "mia"])
@pytest.mark.parametrize(
    ("kind", "fields", "owner_may", "maintainers_may"),
    [
        ("cancel", {"reason": "wrong"}, True, True),
        ("consent", {"decision": "publish"}, True, False),
        ("consent", {"decision": "private"}, True, True),
        ("withdraw", {"reason": "wrong"}, True, True),
        ("hold", {"switch": "on", "reason": "price review"}, False, True),
        ("approve", {"verdict": "approve"}, False, True),
        ("approve", {"verdict": "refuse"}, False, True),
    ],
)
def test_who_may_ask_what(
    house: House, kind: str, fields: dict[str, str], owner: str, *, owner_may: bool, maintainers_may: bool
) -> None:
    """Each kind by each person on each one's run, where its time has come; nobody else writes anything."""
    run_id = _BEFORE.get(kind, ended)(house, owner)
    let = MAINTAINERS if maintainers_may else set()
    let = let | {owner} if owner_may else let
    if owner in MAINTAINERS and kind == "consent":
        let = set()  # A maintainer's own run is published without asking.
    if owner in MAINTAINERS and fields.get("verdict") == "approve":
        let = let - {owner}
    before = len(house.waiting())
    answers = {who: house.visitor(who).ask(kind, "" if kind == "hold" else run_id, **fields).status_code for who in EVERYBODY}
    assert {who for who, code in answers.items() if code == 303} == let
    assert all(code in {403, 404, 409} for who, code in answers.items() if who not in let)
    assert len(house.waiting()) - before == len(let)


_BEFORE: Final[dict[str, Callable[[House, str], str]]] = {
    "cancel": lambda house, owner: house.visitor(owner).ask_run(),
    "withdraw": published,
    "approve": waiting_for_approval,
}


def test_the_rows_shown_are_the_rows_that_would_be_published(house: House) -> None:
    """Every column of the cells, the number and digest of every table."""
    run_id = ended(house)
    page = said(house.visitor("alice").get(f"/request?run_id={run_id}"))
    stored = house.place.house.status.read(("shown", run_id))  # type: ignore[arg-type]
    assert stored is not None
    shown = ShownRun.from_bytes(stored.data)
    for table in shown.tables.values():
        assert table.sha256 in page
    for row in (*shown.cells, *shown.runs):
        for column, value in row.items():
            assert column in page
            assert value is None or str(value) in page
    assert shown.digest in page


def test_nothing_is_public_without_the_requesters_word(house: House) -> None:
    """Not while it is waited for, not by a maintainer; kept private, one record says so."""
    run_id = ended(house)
    assert house.visitor("mia").ask("consent", run_id, decision="publish").status_code == 403
    house.place.settle()
    assert records(house) == []
    house.visitor("alice").ask("consent", run_id, decision="private")
    house.place.settle()
    assert records(house) == ["private"]
    assert "Kept private" in said(house.visitor("alice").get(f"/request?run_id={run_id}"))


def test_a_consent_names_what_was_looked_at(house: House) -> None:
    """If the rows were others when it is confirmed, nothing is recorded."""
    run_id = ended(house)
    alice = house.visitor("alice")
    looked = alice.post("/request/ask", {"kind": "consent", "run_id": run_id, "decision": "publish"})
    store = house.place.house.status
    stored = store.read(("shown", run_id))  # type: ignore[arg-type]
    assert stored is not None
    other = ShownRun.from_bytes(stored.data).model_copy(update={"dataset": "local/other"})
    store.write(("shown", run_id), other.to_bytes(), 2)  # type: ignore[arg-type]
    answer = alice.confirm(hidden(looked))
    assert (answer.status_code, "request.changed" in said(answer), house.waiting()) == (409, True, [])


def test_a_decision_is_made_once(house: House) -> None:
    """The second one is told what was decided."""
    run_id = published(house)
    answer = house.visitor("alice").ask("consent", run_id, decision="private")
    assert (answer.status_code, "NOT_WAITING" in said(answer)) == (409, True)


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_withdrawal_has_a_reason(house: House, reason: str) -> None:
    """It is published."""
    run_id = published(house)
    assert house.visitor("alice").ask("withdraw", run_id, reason=reason).status_code == 409
    assert house.waiting() == []


def test_a_reason_is_text_wherever_it_is_shown(house: House) -> None:
    """Never markup."""
    run_id = published(house)
    hostile = "<img src=x onerror=alert(1)> & \u202etext"
    alice = house.visitor("alice")
    looked = alice.post("/request/ask", {"kind": "withdraw", "run_id": run_id, "reason": hostile})
    assert "<img" not in looked.text
    assert "\\u202e" in looked.text
    assert alice.confirm(hidden(looked)).status_code == 303
    house.place.settle()
    assert "<img" not in alice.get(f"/request?run_id={run_id}").text


def test_a_cancel_goes_into_a_full_inbox(house: House) -> None:
    """A submit does not."""
    alice = house.visitor("alice")
    run_id = alice.ask_run()
    form = alice.preview()
    fill(house)
    refused = alice.confirm(form)
    assert (refused.status_code, "INBOX_FULL" in said(refused)) == (503, True)
    assert alice.ask("cancel", run_id, reason="wrong model").status_code == 303
    assert house.waiting()[-1].kind == "cancel"


def test_a_hold_is_said_on_every_preview(house: House) -> None:
    """Until a maintainer lifts it."""
    mia, alice = house.visitor("mia"), house.visitor("alice")
    mia.ask("hold", switch="on", reason="price review")
    house.place.reconcile()
    house.place.reconcile()
    assert "price review" in said(mia.get("/request"))
    form = {"offer": "starter", "models": "none", "agents": "oracle", "ceiling_usd": "0"}
    assert "A hold is on" in said(alice.post("/request/preview", form))
    mia.ask("hold", switch="off")
    house.place.reconcile()
    house.place.reconcile()
    assert "A hold is on" not in said(alice.post("/request/preview", form))


def fill(house: House) -> None:
    """Put as many requests as may wait."""
    from shared.inbox.ddl import MAX_WAITING

    waiting: list[Any] = [(f"req-{index:032x}", b"not a request") for index in range(1, MAX_WAITING)]
    house.place.house.inbox.put(waiting)
