"""The verbs of `request` and `control`, as a maintainer meets them."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from runner.bootstrap import House
from runner.cli.main import main
from runner.config import read_settings
from shared.documents.reviewed.limits import Limits, default_limits
from shared.inbox.codec import decode_request
from tests.builders.experiments import encode
from tests.builders.houses import Place, write_source
from tests.builders.requests import ALICE, MIA, ask, ask_run, offered, rules, run_request, status_of
from tests.runner.usecases.requests.test_take_submit import costly_tree


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return an installation that the command line works on too."""
    made = Place(tmp_path)
    monkeypatch.setenv("SEAWALL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEAWALL_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SEAWALL_ACTOR", "operator")
    made.rules = rules(limits=default_limits(), approval_ceiling_usd_micros=9_000_000)
    return made


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    """Return exit code and answer of a command with --json."""
    exit_code = main([*arguments, "--json"])
    return exit_code, json.loads(capsys.readouterr().out)


def waiting(place: Place) -> str:
    """Return the id of a run that waits for approval."""
    run_id = ask_run(place, ALICE, run_request(offered(place, costly_tree()), ceiling=10_000_000))
    place.settle()
    return run_id


def test_what_waits_is_listed(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Who asks, until when, what it may cost; and what the inbox holds."""
    run_id = waiting(place)
    request_id = ask(place, "cancel", MIA, run_id)
    assert main(["request", "list"]) == 0
    shown = capsys.readouterr().out
    assert "of alice waits for approval until" in shown
    assert "$10.00" in shown
    assert "1 request waits in the inbox" in shown
    assert f"{request_id} cancel of {run_id} by mia" in shown
    assert call(capsys, "request", "list")[1]["result"]["inbox_requests"] == [
        {"request_id": request_id, "kind": "cancel", "subject": run_id, "user_id": "mia"}
    ]


@pytest.mark.parametrize("by_request", [False, True])
def test_an_approval_names_what_was_looked_at(place: Place, capsys: pytest.CaptureFixture[str], *, by_request: bool) -> None:
    """Named by run or by request; the pass then lets it in."""
    run_id = waiting(place)
    line = status_of(place, run_id).waiting_approval  # type: ignore[arg-type]
    assert line is not None
    assert call(capsys, "request", "approve", line.request_id if by_request else run_id[-6:])[0] == 0
    place.settle()
    assert (place.state(run_id).run.label, place.state(run_id).run.approved_by) == ("clean", "operator")  # type: ignore[arg-type]


def test_a_refusal_needs_its_reason(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """And ends the request."""
    run_id = waiting(place)
    assert call(capsys, "request", "refuse", run_id)[0] == 2
    assert call(capsys, "request", "refuse", run_id, "--reason", "no")[0] == 0
    place.settle()
    assert status_of(place, run_id).request_state == "refused"  # type: ignore[arg-type]
    exit_code, found = call(capsys, "request", "approve", run_id)
    assert (exit_code, found["code"]) == (3, "NOT_WAITING")


def test_a_run_is_kept_private_and_another_withdrawn(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """By a maintainer, as such."""
    offer = offered(place)
    private, public = ask_run(place, ALICE, run_request(offer), 1), ask_run(place, MIA, run_request(offer), 2)
    place.settle()
    assert call(capsys, "request", "withdraw", private, "--reason", "x")[1]["code"] == "NOT_PUBLISHED"
    assert call(capsys, "request", "keep-private", private)[0] == 0
    assert call(capsys, "request", "withdraw", public, "--reason", "a wrong model")[0] == 0
    place.settle()
    assert [status_of(place, each).request_state for each in (private, public)] == ["kept_private", "withdrawn"]


def test_a_dry_run_asks_nothing(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what would be asked."""
    run_id = waiting(place)
    assert call(capsys, "request", "approve", run_id, "--dry-run")[1]["result"]["verdict"] == "approve"
    assert call(capsys, "control", "hold", "on", "--dry-run")[0] == 0
    assert place.house.inbox.list(1).waiting == 0


def test_a_hold_goes_through_the_inbox(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Like everything that somebody asks for."""
    assert call(capsys, "control", "hold", "on", "--reason", "x")[0] == 0
    (found,) = place.house.inbox.list(10).requests
    assert (decode_request(found.data).kind, decode_request(found.data).actor.user_id) == ("hold", "operator")


def test_what_is_offered_is_listed_until_it_is_taken_back(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """With what may be chosen."""
    offered(place)
    assert call(capsys, "request", "offers")[1]["result"][0]["agents"] == ["nop", "oracle"]
    assert call(capsys, "request", "unoffer", "starter")[0] == 0
    assert call(capsys, "request", "offers")[1]["result"] == []
    assert call(capsys, "request", "unoffer", "starter")[1]["code"] == "NOT_FOUND"


def test_a_manifest_with_rules_is_not_offered(place: Place) -> None:
    """What is chosen becomes its rules."""
    from shared.errors import BadInput
    from shared.planning.requested import require_offerable

    tree = costly_tree()
    write_source(place.folder / "source")
    tree["matrix"]["exclude"] = [{"agent": "nop"}]
    with pytest.raises(BadInput, match="OFFER_INVALID"):
        require_offerable(encode(tree))


def test_the_settings_say_who_is_what_and_what_the_limits_are(tmp_path: Path, place: Place) -> None:
    """The limits are a reviewed document; a bad one names its setting."""
    from shared.errors import BadInput

    limits = default_limits().model_copy(update={"name": "lab"})
    (tmp_path / "limits.json").write_bytes(limits.to_bytes())
    given = {"SEAWALL_LIMITS": str(tmp_path / "limits.json"), "SEAWALL_MEMBER_ORG_IDS": "a, b", "SEAWALL_SUBMITTERS": "anyone"}
    found = House(read_settings(given), place.clock, place.house.chance).rules
    assert isinstance(found.limits, Limits)
    assert (found.limits, found.access.member_orgs, str(found.access.submitters)) == (limits, frozenset("ab"), "anyone")
    for bad in ({"SEAWALL_LIMITS": str(tmp_path / "none")}, {"SEAWALL_SUBMITTERS": "friends"}):
        with pytest.raises(BadInput, match="SETTING_INVALID"):
            _ = House(read_settings(bad), place.clock, place.house.chance).rules


@pytest.mark.parametrize("title", ["a\x1b[31mred", "one\ntwo", "x" * 201])
def test_a_title_that_nobody_could_read_is_refused(place: Place, capsys: pytest.CaptureFixture[str], title: str) -> None:
    """It is shown in forms and terminals."""
    exit_code, answer = call(capsys, "request", "offer", str(place.folder / "none.yaml"), "--title", title)
    assert (exit_code, answer["code"]) == (2, "ARGUMENT_INVALID")


@pytest.mark.parametrize("verb", [["request", "refuse", "RUN"], ["run", "cancel", "RUN"], ["control", "hold", "on"]])
def test_a_secret_in_a_reason_is_not_even_asked(
    place: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, verb: list[str]
) -> None:
    """What waits in the inbox, and then stands in a journal for good, never held it."""
    monkeypatch.setenv("SERVICE_TOKEN", "canary-of-a-reason")
    run_id = waiting(place)
    arguments = [run_id if each == "RUN" else each for each in verb]
    assert call(capsys, *arguments, "--reason", "canary-of-a-reason was printed")[0] == 0
    (request,) = place.house.inbox.list(10).requests
    assert json.loads(decode_request(request.data).body)["reason"] == "[redacted:SERVICE_TOKEN] was printed"


def test_the_log_is_audited(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Clean, or exit 3 with what does not hold."""
    run_id = waiting(place)
    exit_code, found = call(capsys, "control", "audit")
    assert (exit_code, found["result"]["journals"], found["result"]["findings"]) == (0, 2, [])
    with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
        connection.execute("UPDATE append SET data = CAST(data || '{' AS BLOB) WHERE subject_id = ?", [run_id])
    exit_code, found = call(capsys, "control", "audit")
    assert (exit_code, found["code"], found["result"]["findings"][0][0]) == (3, "AUDIT_FINDINGS", run_id)
