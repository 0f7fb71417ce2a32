"""`evidence fetch` as a maintainer uses it: the attempt that a status names, into a folder of one's own."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.cli.main import main
from shared.ids import RunId


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return exit code and answer of a command with --json."""
    exit_code = main([*arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return exit_code, found


@pytest.fixture
def attempt(installation: RunId, capsys: pytest.CaptureFixture[str]) -> str:
    """An attempt as the status of its run names it."""
    status = call(capsys, "run", "status", installation)[1]["result"]
    return str(status["trials"][0]["attempt_id"])


def test_the_attempt_that_a_status_names_is_copied(
    installation: RunId, attempt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its bundle, verified; a second time nothing is new; by the ends of both ids as well."""
    into = tmp_path / "copy"
    exit_code, found = call(capsys, "evidence", "fetch", installation, "--attempt", attempt, "--into", str(into))
    assert (exit_code, found["ids"]["attempt_id"], found["result"]["is_new"]) == (0, attempt, True)
    assert json.loads((into / "attempt.json").read_bytes())["attempt_id"] == attempt
    assert (into / "harbor" / "result.json").is_file()
    again = call(capsys, "evidence", "fetch", installation[-8:], "--attempt", attempt[-12:], "--into", str(into))[1]
    assert (again["code"], again["result"]["is_new"]) == ("OK", False)


def test_a_dry_run_says_what_would_be_copied(
    installation: RunId, attempt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And writes nothing."""
    before = sorted(tmp_path.iterdir())
    arguments = ["evidence", "fetch", installation, "--attempt", attempt, "--into", str(tmp_path / "copy"), "--dry-run"]
    exit_code, found = call(capsys, *arguments)
    assert (exit_code, found["message"].startswith("dry run"), found["result"]["files"] > 3) == (0, True, True)
    assert sorted(tmp_path.iterdir()) == before


def test_a_copy_of_the_evidence_serves_without_an_installation(
    installation: RunId, attempt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the run's whole id."""
    evidence = str(tmp_path / "home" / "evidence")
    monkeypatch.setenv("SEAWALL_HOME", str(tmp_path / "elsewhere"))
    arguments = ["evidence", "fetch", installation, "--attempt", attempt, "--into", str(tmp_path / "copy"), "--offline", evidence]
    assert call(capsys, *arguments)[0] == 0
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("fault", ["unknown attempt", "full folder", "flipped byte"])
def test_what_cannot_be_copied_is_refused(
    installation: RunId, attempt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    """With what to do; nothing is written where the copy was wanted."""
    into, name = tmp_path / "copy", attempt
    if fault == "unknown attempt":
        name = "att-" + "0" * 32
    elif fault == "full folder":
        into.mkdir()
        (into / "mine").write_text("mine")
    else:
        (file,) = (tmp_path / "home" / "evidence").rglob(f"attempts/{attempt}/harbor/result.json")
        file.chmod(0o600)
        data = file.read_bytes()
        file.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    exit_code, found = call(capsys, "evidence", "fetch", installation, "--attempt", name, "--into", str(into))
    expected = {
        "unknown attempt": (3, "NOT_FOUND"),
        "full folder": (2, "FOLDER_NOT_EMPTY"),
        "flipped byte": (3, "EVIDENCE_BROKEN"),
    }
    assert (exit_code, found["code"]) == expected[fault]
    assert [each.name for each in into.glob("*")] == (["mine"] if fault == "full folder" else [])


def test_a_copy_is_verified_by_the_end_of_an_id(
    installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folders of the copy say which runs there are."""
    evidence = str(tmp_path / "home" / "evidence")
    monkeypatch.setenv("SEAWALL_HOME", str(tmp_path / "elsewhere"))
    exit_code, found = call(capsys, "evidence", "verify", installation[-6:], "--offline", evidence)
    assert (exit_code, found["ids"]["run_id"]) == (0, installation)
    exit_code, found = call(capsys, "evidence", "verify", "run-" + "0" * 32, "--offline", evidence)
    assert (exit_code, found["code"], installation in found["result"]["way_out"]) == (3, "NOT_FOUND", True)


@pytest.mark.parametrize(("folder", "exit_code", "code"), [("nowhere", 2, "PATH_NOT_FOUND"), ("empty", 3, "NOT_FOUND")])
def test_a_folder_without_evidence_is_called_so(
    folder: str, exit_code: int, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However the run is named."""
    (tmp_path / "empty").mkdir()
    for name in ("1f3a", "run-" + "0" * 32):
        found = call(capsys, "evidence", "verify", name, "--offline", str(tmp_path / folder))
        assert (found[0], found[1]["code"], found[1]["result"]["field"]) == (exit_code, code, "DIR")
        assert str(tmp_path / folder) in found[1]["message"]
