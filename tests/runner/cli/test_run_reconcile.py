"""What `run reconcile` answers for what its passes report."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runner.cli.main import main
from runner.cli.run_reconcile import _answer
from runner.usecases.control.pass_world import PassReport
from shared.documents.installation_status import InstallationStatus
from shared.ids import RunId


def test_a_watch_that_ends_for_a_person_exits_3() -> None:
    """And says which run waits, and for what."""
    report = PassReport(open=frozenset({"run-1"}), looked_at=1, persons={"run-1": "seal_failed: look"})
    answer = _answer(report, is_watch=True)
    assert (report.is_stuck, answer.exit_code, answer.code) == (True, 3, "PERSON_NEEDED")
    assert "run-1 waits for a person: seal_failed: look" in answer.lines[0]
    assert _answer(report, is_watch=False).exit_code == 0


def test_a_run_that_goes_on_keeps_the_watch() -> None:
    """While another waits for a person."""
    assert not PassReport(open=frozenset({"run-1", "run-2"}), persons={"run-1": "x"}).is_stuck
    assert not PassReport(commits=1, open=frozenset({"run-1"}), persons={"run-1": "x"}).is_stuck


def test_every_run_set_aside_by_its_store_exits_7() -> None:
    """One that went on, or one set aside for another reason, makes it 0; the lines say it either way."""
    failed = PassReport(frozen={"run-1": "STORE_FAILED"}, faults=frozenset({"run-1"}))
    assert (_answer(failed, is_watch=False).exit_code, _answer(failed, is_watch=False).code) == (7, "STORE_FAILED")
    failed.looked_at = 1
    assert _answer(failed, is_watch=False).exit_code == 0
    other = PassReport(frozen={"run-1": "ValueError"})
    assert (_answer(other, is_watch=False).exit_code, len(_answer(other, is_watch=False).lines)) == (0, 1)


def test_a_clock_that_is_behind_the_log_is_told() -> None:
    """Nobody would find out else why a job that is gone is waited for; a second or two is no news."""
    late = _answer(PassReport(behind_s=86_400), is_watch=False)
    assert late.lines[0].startswith("this machine's clock is 86400 s behind the log")
    assert late.result["clock_behind_s"] == 86_400
    assert _answer(PassReport(behind_s=2), is_watch=False).lines == []


def test_a_status_that_cannot_be_read_is_told_and_written_anew(
    installation: RunId, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list still lists, a question says what to do, and the next pass mends it."""
    with closing(sqlite3.connect(tmp_path / "home" / "control.sqlite")) as connection:
        connection.execute("UPDATE status SET data = x'7b' WHERE subject_type = 'run'")
        connection.commit()
    assert (main(["run", "list"]), main(["run", "status", installation])) == (0, 7)
    said = capsys.readouterr()
    assert f"{installation}  its status cannot be read" in said.out
    assert "STATUS_INVALID" in said.out + said.err
    assert main(["run", "reconcile", "--all"]) == 0
    assert f"{installation[-8:]} starter: completed clean" in capsys.readouterr().out
    assert main(["run", "status", installation]) == 0


def test_a_run_that_ended_before_is_no_news(installation: RunId, capsys: pytest.CaptureFixture[str]) -> None:
    """A pass over all runs says that there is nothing to do; one that is asked for by name is told."""
    for arguments in (["--all"], ["--all", "--watch"]):
        assert main(["run", "reconcile", *arguments]) == 0
        assert capsys.readouterr().out == "no run is open and nothing waits to be taken\n"
    assert main(["run", "reconcile", installation[-8:]]) == 0
    assert capsys.readouterr().out.startswith(f"{installation[-8:]} ")


def test_a_watch_that_ends_promises_no_further_pass(installation: RunId, tmp_path: Path) -> None:
    """It tells when it looked; what it promised while it ran it takes back."""
    assert main(["run", "reconcile", "--all", "--watch"]) == 0
    with closing(sqlite3.connect(tmp_path / "home" / "control.sqlite")) as connection:
        (row,) = connection.execute("SELECT data FROM status WHERE subject_type = 'installation'").fetchall()
    status = InstallationStatus.from_bytes(bytes(row[0]))
    assert (status.repeats_s, status.passed_at != "") == (0, True)
