"""What becomes public of a requested run: nothing before its requester says so, and what is said later is a record of its own."""

from pathlib import Path
from typing import Any

import pytest

from runner.domain import limits, yields
from runner.domain.control.envelope import Subject
from runner.domain.control.events import ConsentGiven
from runner.usecases.results.audit_tables import audit_tables
from runner.usecases.results.published_tables import read_catalog
from shared.documents.shown import ShownRun
from shared.errors import Refused
from shared.ids import RunId
from tests.builders.houses import Place
from tests.builders.requests import ALICE, MIA, PEOPLE, ask, ask_run, offered, refusals, rules, run_request, status_of

CATALOG = "local/catalog"


def ended_place(tmp_path: Path, environment: dict[str, str] | None = None) -> tuple[Place, RunId]:
    """Return an installation where a run of alice's has ended and waits for her."""
    place = Place(tmp_path, environment=environment)
    place.rules = rules()
    run_id = ask_run(place, ALICE, run_request(offered(place)))
    place.settle()
    return place, run_id


def decide(place: Place, run_id: RunId, actor: Any, decision: str, **changes: str) -> None:
    """Let `actor` decide as the page would."""
    consent = status_of(place, run_id).consent
    assert consent is not None
    ask(place, "consent", actor, run_id, **{"decision": decision, "shown_sha256": consent.shown_sha256, **changes})
    place.settle()


def withdraw(place: Place, run_id: RunId, actor: Any, reason: str = "a wrong model", **changes: str) -> None:
    """Let `actor` ask for the withdrawal."""
    body = {"publication_id": status_of(place, run_id).publication_id, "reason": reason, **changes}
    ask(place, "withdraw", actor, run_id, **body)
    place.settle()


def records(place: Place) -> list[dict[str, Any]]:
    """Return the catalog's records in their order."""
    store = place.house.results
    head = store.head(CATALOG)
    return sorted(read_catalog(store, CATALOG, head), key=lambda row: row["sequence"]) if head else []


def audited(place: Place) -> tuple[tuple[str, str], ...]:
    """Return what an audit of everything published finds."""
    store = place.house.results
    return audit_tables(store, [name for name in store.names() if store.kind(name) == "results"], CATALOG).findings


def test_a_requested_run_ends_private(tmp_path: Path) -> None:
    """Nothing is published, its status says what it waits for, and the watch ends."""
    place, run_id = ended_place(tmp_path)
    status = status_of(place, run_id)
    assert (status.state, status.request_state, status.publication_id) == ("completed", "waiting_consent", "")
    assert "requester's consent" in status.awaits
    assert (place.house.results.names(), records(place)) == ([], [])


def test_the_requester_is_shown_exactly_what_would_be_published(tmp_path: Path) -> None:
    """The document's digest is what the consent names, and its publication is the one that follows."""
    place, run_id = ended_place(tmp_path)
    view = place.house.status.read(Subject("shown", run_id))
    consent = status_of(place, run_id).consent
    assert view is not None
    assert consent is not None
    shown = ShownRun.from_bytes(view.data)
    assert (shown.digest, shown.publication_id) == (consent.shown_sha256, consent.publication_id)
    assert {row["agent_id"] for row in shown.cells} == {"nop", "oracle"}
    decide(place, run_id, ALICE, "publish")
    head = place.house.results.head("local/starter")
    assert head is not None
    assert head.runs == {run_id: shown.publication_id}
    assert audited(place) == ()


def test_a_consent_publishes(tmp_path: Path) -> None:
    """Once, and its journal closes."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, ALICE, "publish")
    assert (status_of(place, run_id).request_state, place.reconcile().is_idle) == ("published", True)
    assert [row["record"] for row in records(place)] == ["published"] * 2


@pytest.mark.parametrize("who", ["alice", "mia"])
def test_kept_private_it_leaves_one_record_a_cell(tmp_path: Path, who: str) -> None:
    """Cell digest and time, everything else empty: nobody can tell run, requester or benchmark from it."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, PEOPLE[who], "private")
    found = records(place)
    told = {"schema_version", "sequence", "record", "cell_digest", "completed_at", "recorded_at"}
    assert [row["record"] for row in found] == ["private"] * 2
    assert {name for row in found for name, value in row.items() if value not in ("", None, 0, 0.0, False, [])} == told
    assert run_id not in str([file.path for file in place.house.results.head(CATALOG).files])  # type: ignore[union-attr]
    assert (status_of(place, run_id).request_state, audited(place)) == ("kept_private", ())
    assert place.house.results.head("local/starter") is None


def test_thirty_days_without_an_answer_keep_it_private(tmp_path: Path) -> None:
    """And not a minute less."""
    place, run_id = ended_place(tmp_path)
    place.clock.sleep(limits.CONSENT_WAIT_S - 120)
    place.settle()
    assert status_of(place, run_id).request_state == "waiting_consent"
    place.clock.sleep(120)
    place.settle()
    consent = status_of(place, run_id).consent
    assert consent is not None
    assert (status_of(place, run_id).request_state, consent.by) == ("kept_private", "time")
    assert place.reconcile().open_runs == 0


def test_a_maintainers_own_run_consents_by_submitting(tmp_path: Path) -> None:
    """Through an offer as through the command line."""
    place = Place(tmp_path)
    place.rules = rules()
    run_id = ask_run(place, MIA, run_request(offered(place)))
    place.settle()
    assert status_of(place, run_id).request_state == "published"


@pytest.mark.parametrize(
    ("who", "decision", "code"),
    [
        ("bob", "publish", "NOT_AUTHORISED"),
        ("bob", "private", "NOT_AUTHORISED"),
        ("sam", "private", "NOT_AUTHORISED"),
        ("rea", "private", "NOT_AUTHORISED"),
        ("mia", "publish", "request.not_owner"),
    ],
)
def test_nobody_else_decides(tmp_path: Path, who: str, decision: str, code: str) -> None:
    """A maintainer may keep it private; only its requester publishes it."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, PEOPLE[who], decision)
    assert (refusals(place, run_id), status_of(place, run_id).request_state) == ([code], "waiting_consent")


def test_a_consent_to_other_rows_is_refused(tmp_path: Path) -> None:
    """Nobody is asked about one thing and has another published."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, ALICE, "publish", shown_sha256="0" * 64)
    assert (refusals(place, run_id), records(place)) == (["request.changed"], [])


def test_a_decision_stands(tmp_path: Path) -> None:
    """The first in log order; the second is told."""
    place, run_id = ended_place(tmp_path)
    consent = status_of(place, run_id).consent
    assert consent is not None
    for decision in ("private", "publish"):
        ask(place, "consent", ALICE, run_id, decision=decision, shown_sha256=consent.shown_sha256)
    place.settle()
    assert (refusals(place, run_id), status_of(place, run_id).request_state) == (["NOT_WAITING"], "kept_private")


def test_a_run_under_way_is_decided_about_later(tmp_path: Path) -> None:
    """There is nothing to show yet."""
    place = Place(tmp_path)
    place.rules = rules()
    run_id = ask_run(place, ALICE, run_request(offered(place)))
    place.reconcile()
    ask(place, "consent", ALICE, run_id, decision="private", shown_sha256="")
    place.reconcile()
    assert refusals(place, run_id) == ["NOT_WAITING"]


def test_publishing_by_hand_needs_the_consent_too(tmp_path: Path) -> None:
    """The command line is no way around."""
    place, run_id = ended_place(tmp_path)
    with pytest.raises(Refused, match="CONSENT_MISSING"):
        place.house.publish(run_id)


@pytest.mark.parametrize("who", ["alice", "mia"])
def test_a_withdrawn_run_stays_listed_with_its_reason(tmp_path: Path, who: str) -> None:
    """The newest record of each cell says so; the published one and every file stand."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, ALICE, "publish")
    before = place.house.results.head(CATALOG)
    assert before is not None
    withdraw(place, run_id, PEOPLE[who])
    found = records(place)
    assert [row["record"] for row in found] == ["published"] * 2 + ["withdrawn"] * 2
    assert [(row["reason"], row["actor"]) for row in found[2:]] == [
        ("a wrong model", "requester" if who == "alice" else "maintainer")
    ] * 2
    assert [{**row, "recorded_at": 0} for row in found[:2]] == [
        {**row, "record": "published", "sequence": row["sequence"] - 2, "recorded_at": 0, "actor": None, "reason": None}
        for row in found[2:]
    ]
    after = place.house.results.head(CATALOG)
    assert after is not None
    assert set(before.files) < set(after.files)
    assert (status_of(place, run_id).request_state, audited(place), place.reconcile().is_idle) == ("withdrawn", (), True)


def test_withdrawing_twice_is_withdrawing_once(tmp_path: Path) -> None:
    """A second request is taken and says nothing."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, ALICE, "publish")
    withdraw(place, run_id, ALICE)
    withdraw(place, run_id, MIA, "another reason")
    assert ([row["record"] for row in records(place)].count("withdrawn"), refusals(place, run_id)) == (2, [])
    assert place.reconcile().open_runs == 0


@pytest.mark.parametrize(
    ("who", "change", "code"),
    [
        ("bob", {}, "NOT_AUTHORISED"),
        ("sam", {}, "NOT_AUTHORISED"),
        ("alice", {"publication_id": "pub-" + "0" * 32}, "request.changed"),
        ("alice", {"reason": ""}, "REQUEST_INVALID"),
    ],
)
def test_a_withdrawal_that_does_not_hold_is_refused(tmp_path: Path, who: str, change: dict[str, str], code: str) -> None:
    """And nothing is recorded."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, ALICE, "publish")
    withdraw(place, run_id, PEOPLE[who], **change)
    assert (refusals(place, run_id), [row["record"] for row in records(place)]) == ([code], ["published"] * 2)


def test_what_was_never_published_is_not_withdrawn(tmp_path: Path) -> None:
    """A private run has nothing in the ranking."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, ALICE, "private")
    withdraw(place, run_id, ALICE)
    assert refusals(place, run_id) == ["NOT_PUBLISHED"]


def test_no_secret_leaves_with_a_reason(tmp_path: Path) -> None:
    """It is published, so it is redacted like everything else: by shape, and by the values that the process knows."""
    place, run_id = ended_place(tmp_path, {"SERVICE_TOKEN": "canary-of-a-withdrawal"})
    decide(place, run_id, ALICE, "publish")
    withdraw(place, run_id, ALICE, "my key hf_" + "a" * 34 + " was in it, and canary-of-a-withdrawal")
    assert "hf_aaaa" not in str(records(place))
    assert {row["reason"] for row in records(place) if row["record"] == "withdrawn"} == {
        "my key [redacted:hf-token] was in it, and [redacted:SERVICE_TOKEN]"
    }


@pytest.mark.parametrize("point", ["publish.before_record", "publish.after_record", "results.before_revision"])
@pytest.mark.parametrize("kind", ["private", "withdrawn"])
def test_a_record_whose_writer_died_is_written_once(tmp_path: Path, kind: str, point: str) -> None:
    """The next job finds what stands and adds only what is missing."""
    place, run_id = ended_place(tmp_path)
    if kind == "withdrawn":
        decide(place, run_id, ALICE, "publish")
    died: list[str] = []

    def die_once(name: str) -> None:
        if name == point and not died:
            died.append(name)
            raise Refused("TEST_KILLED", name)

    yields.install(die_once)
    try:
        if kind == "private":
            decide(place, run_id, ALICE, "private")
        else:
            withdraw(place, run_id, ALICE)
    finally:
        yields.install(lambda _name: None)
    assert died
    assert ([row["record"] for row in records(place)].count(kind), audited(place)) == (2, ())


def test_a_run_that_failed_asks_nobody(tmp_path: Path) -> None:
    """There is nothing to publish, so there is nothing to consent to."""
    place = Place(tmp_path, lambda _order: None)
    place.rules = rules()
    run_id = ask_run(place, ALICE, run_request(offered(place)))
    place.settle()
    assert (status_of(place, run_id).request_state, status_of(place, run_id).consent) == ("ended", None)
    assert place.reconcile().open_runs == 0


def test_a_consent_is_taken_once(tmp_path: Path) -> None:
    """However often it waits in the inbox."""
    place, run_id = ended_place(tmp_path)
    decide(place, run_id, ALICE, "publish")
    waiting = [event for event in place.events(run_id) if isinstance(event.payload, ConsentGiven)]
    assert len(waiting) == 1
