"""`run plan` and a dry `run submit` with the real Harbor: what they tell beside the plan."""

import json
from typing import Any

import pytest

from runner.cli.main import main
from runner.config import CHECKOUT
from shared.ids import RunId

pytestmark = pytest.mark.harness
HARNESS = CHECKOUT / ".venv-harness" / "bin" / "python"


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return exit code and answer of a command with --json."""
    exit_code = main([*arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return exit_code, found


def test_a_plan_tells_its_notes(installation: RunId, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line each for people, a list for programs; the starter names an image that a local sandbox does not use."""
    monkeypatch.setenv("SEAWALL_HARNESS", str(HARNESS))
    manifest = str(CHECKOUT / "benchmarks" / "starter.yaml")
    exit_code, found = call(capsys, "run", "plan", manifest)
    (note,) = found["result"]["notes"]
    assert (exit_code, "debian:12-slim (15 tasks)" in note, bool(installation)) == (0, True, True)
    assert main(["run", "plan", manifest]) == 0
    assert f"  note: {note}" in capsys.readouterr().out.splitlines()


def test_a_dry_submit_says_that_it_is_one(
    installation: RunId, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A program tells it from a submit; nothing is in the inbox."""
    monkeypatch.setenv("SEAWALL_HARNESS", str(HARNESS))
    exit_code, found = call(capsys, "run", "submit", str(CHECKOUT / "benchmarks" / "starter.yaml"), "--dry-run")
    assert (exit_code, found["result"]["dry_run"], list(found["ids"])) == (0, True, ["plan_digest"])
    assert [each["run_id"] for each in call(capsys, "run", "list")[1]["result"]] == [installation]
