"""What `run reconcile` answers for what its passes report."""

from runner.cli.run_reconcile import _answer
from runner.usecases.control.pass_world import PassReport


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
