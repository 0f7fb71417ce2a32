"""A run between its submit and the pass that takes it: it is listed, looked at and cancelled as any other."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.cli.main import main
from runner.usecases.requests.waiting_runs import AWAITED, IN_INBOX
from tests.builders.houses import Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """Return an empty installation that the command line works on too."""
    made = Place(tmp_path)
    monkeypatch.setenv("SEAWALL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEAWALL_RESULTS", str(tmp_path / "results"))
    return made


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return exit code and answer of a command with --json."""
    exit_code = main([*arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return exit_code, found


def test_a_run_that_no_pass_has_taken_is_listed(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """With its experiment and its trials, and what it waits for; once, whether a pass has taken it or not."""
    run_id = place.submit()
    (line,) = call(capsys, "run", "list")[1]["result"]
    assert (line["run_id"], line["state"], line["awaits"]) == (run_id, IN_INBOX, AWAITED)
    assert (line["experiment"], line["planned"], line["counts"]) == ("starter", 4, {"planned": 4})
    place.reconcile()
    (line,) = call(capsys, "run", "list")[1]["result"]
    assert line["state"] != IN_INBOX


def test_it_is_looked_at_by_the_end_of_its_id(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """Before any pass has written a status."""
    run_id = place.submit()
    exit_code, found = call(capsys, "run", "status", run_id[-6:])
    assert (exit_code, found["ids"]["run_id"], found["result"]["state"]) == (0, run_id, IN_INBOX)
    assert main(["run", "status", run_id]) == 0
    assert f"waits for {AWAITED}" in capsys.readouterr().out


def test_it_is_cancelled_by_the_end_of_its_id(place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    """The pass takes both requests, and no trial begins."""
    run_id = place.submit()
    assert call(capsys, "run", "cancel", run_id[-6:])[0] == 0
    place.finish()
    assert call(capsys, "run", "status", run_id[-6:])[1]["result"]["counts"] == {"cancelled": 4}
