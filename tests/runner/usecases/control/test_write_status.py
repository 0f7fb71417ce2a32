"""The status of a run: it counts to the plan, lists failures first, and says what is awaited."""

from pathlib import Path
from typing import Any

from runner.cli.run_status import status_lines
from runner.evidence.fetching import find_attempt
from runner.evidence.redaction import Redactor
from runner.evidence.verification import verify_bundle
from runner.ports.compute.harness import AttemptOrder
from runner.usecases.control.write_status import person_needed, run_status, without_secrets
from runner.usecases.journals.loading import load_plan
from shared.documents.status import MAX_TRIAL_LINES, RunStatus
from shared.ids import RunId
from tests.builders.houses import Place, starter_tree, write_source
from tests.builders.journals import begun, failed
from tests.builders.requests import ask
from tests.builders.results import result_document
from tests.doubles.harness import by_agent
from tests.runner.domain.control.projection.test_trial_rules import working

SECRET = "hf_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7"
"""Shaped as a token."""


def status_of(place: Place, run_id: RunId) -> RunStatus:
    """Return the status that a pass would write now."""
    state = place.state(run_id)
    plan = load_plan(place.house.objects, state.run.plan_digest) if state.run.plan_digest else None
    return run_status(run_id, state, plan, place.clock.now_ms())


def test_counts_sum_to_the_planned(tmp_path: Path) -> None:
    """Before, while and after it runs; and it always says what it waits for."""
    place = Place(tmp_path)
    run_id = place.submit()
    waits = []
    for _ in range(12):
        place.reconcile()
        status = status_of(place, run_id)
        assert sum(status.counts.values()) == status.planned == 4
        waits.append(status.awaits)
        place.jobs.work_all()
    assert list(dict.fromkeys(waits)) == ["wave 1 (acquiring)", "the seal of its evidence", "its publication", "nothing"]


def test_failures_are_listed_first(tmp_path: Path) -> None:
    """With the category of the last try; scored trials have their reward and no category."""
    place = Place(tmp_path, lambda order: by_agent(order) if order.task_path.name == "one" else None)
    run_id = place.submit(starter_tree(max_attempts=1))
    place.finish()
    lines = status_of(place, run_id).trials
    assert [(line.state, line.category) for line in lines[:2]] == [("infrastructure_exhausted", "lost")] * 2
    assert sorted((line.state, line.category, line.reward) for line in lines[2:]) == [
        ("scored", None, "0.0"),
        ("scored", None, "1.0"),
    ]


def test_no_more_lines_than_a_page_can_show(tmp_path: Path) -> None:
    """Of 1,200 trials the first thousand; every trial is counted."""
    place = Place(tmp_path)
    write_source(tmp_path / "source", ("one", "two", "three", "four", "five", "six"))
    run_id = place.submit(starter_tree(repeats=100))
    place.reconcile()
    status = status_of(place, run_id)
    assert (len(status.trials), sum(status.counts.values())) == (MAX_TRIAL_LINES, 1200)
    assert [line.trial for line in status.trials] == list(range(MAX_TRIAL_LINES))


def test_what_a_person_is_asked_for_is_what_is_awaited(tmp_path: Path) -> None:
    """Before anything else."""
    place = Place(tmp_path, lambda _order: None)
    run_id = place.submit()
    place.reconcile()
    from runner.domain.control.events import Attention
    from runner.domain.control.projection.fold import fold_strictly
    from tests.builders.journals import event

    state = place.state(run_id)
    fold_strictly(state, event("attention", Attention(code="configuration", message="look")))
    assert run_status(run_id, state, None, 0).awaits == "a person: configuration"


def test_a_person_is_needed_once_nothing_else_can_happen(tmp_path: Path) -> None:
    """Not while a wave or an action is open."""
    from runner.domain.control.events import Attention
    from runner.domain.control.projection.fold import fold_strictly
    from tests.builders.journals import event

    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    open_wave = place.state(run_id)
    fold_strictly(open_wave, event("attention", Attention(code="waves_lost", message="look")))
    assert person_needed(open_wave) == ""
    place.finish()
    ended = place.state(run_id)
    assert person_needed(ended) == ""
    fold_strictly(ended, event("attention", Attention(code="publish_failed", message="look")))
    assert person_needed(ended) == "publish_failed: look"


def test_the_pass_writes_it_where_the_pages_read_it(tmp_path: Path) -> None:
    """One document a run, of the newest seq."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    ((subject, found),) = [each for each in place.house.status.list().items() if each[0].type == "run"]
    assert (subject.id, found.seq) == (run_id, place.state(run_id).run.seq)
    assert RunStatus.from_bytes(found.data).label == "clean"


def timed_out(order: AttemptOrder) -> dict[str, Any]:
    """Return a result of an agent that was ended by its time and left nothing to grade, with what it cost."""
    agent = {"n_input_tokens": 10, "n_output_tokens": 5, "n_cache_tokens": 0, "cost_usd": 0.0125}
    return result_document(parts=3, rewards=None, exception="AgentTimeoutError", agent_result=agent)


def test_a_failed_trial_says_why(tmp_path: Path) -> None:
    """Category, reason, phase, exception, cost, whether a retry follows, and the attempt whose evidence tells the rest."""
    place = Place(tmp_path, lambda order: timed_out(order) if order.task_path.name == "one" else by_agent(order))
    run_id = place.submit()
    place.finish()
    status = status_of(place, run_id)
    line, scored = status.trials[0], status.trials[-1]
    assert (line.category, line.reason_code, line.phase) == ("agent", "agent_timeout", "agent")
    assert (line.exception_type, line.cost_usd_micros, line.retry_follows) == ("AgentTimeoutError", 12_500, False)
    assert (scored.category, scored.reason_code, scored.phase, scored.exception_type) == (None, None, None, None)
    assert status.failures == {"agent": 2}
    for each in (line, scored):
        assert each.attempt_id is not None
        prefix = find_attempt(place.house.evidence, run_id, each.attempt_id)
        assert verify_bundle(place.house.evidence, prefix).subject == each.attempt_id


def test_a_retry_that_follows_is_told_until_nothing_follows(tmp_path: Path) -> None:
    """A trial that waits for its next try says so; once its tries are spent, or the run is cancelled, it does not."""
    state = working(2, max_attempts=2).seal(begun(0), failed(0)).state
    place = Place(tmp_path)
    head = place.plan().plan.head

    def follows() -> bool:
        return run_status("run-" + "1" * 32, state, head, 0).trials[0].retry_follows

    assert follows()
    state.run.is_cancel_requested = True
    assert not follows()
    spent = working(2, max_attempts=1).seal(begun(0), failed(0)).state
    assert not run_status("run-" + "1" * 32, spent, head, 0).trials[0].retry_follows


def test_failures_are_counted_beyond_the_lines(tmp_path: Path) -> None:
    """Every failed trial by its category, although no more than a thousand lines stand."""
    trials = MAX_TRIAL_LINES + 200
    write_source(tmp_path / "source", ("one", "two", "three", "four", "five", "six"))
    head = Place(tmp_path).plan(starter_tree(repeats=100)).plan.head
    journal = working(trials, max_attempts=1).seal(*map(begun, range(trials))).seal(*map(failed, range(trials)))
    status = run_status("run-" + "1" * 32, journal.state, head, 0)
    assert (len(status.trials), status.failures) == (MAX_TRIAL_LINES, {"transient": trials})


def test_a_status_that_an_earlier_version_wrote_is_read(tmp_path: Path) -> None:
    """Without what it did not say."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    tree = status_of(place, run_id).model_dump(mode="json")
    later = ("reason_code", "phase", "exception_type", "cost_usd_micros", "retry_follows", "attempt_id")
    tree["trials"] = [{name: value for name, value in line.items() if name not in later} for line in tree["trials"]]
    del tree["failures"]
    status = RunStatus.from_json(tree)
    assert (status.failures, status.trials[0].attempt_id) == ({}, None)


def test_a_cancelled_run_says_why(tmp_path: Path) -> None:
    """As it was asked for, without what looks like a secret."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    ask(place, "cancel", place.house.actor(), run_id, reason=f"wrong key {SECRET}", now=False)
    place.finish()
    status = status_of(place, run_id)
    assert status.cancelled_because == f"wrong key {SECRET}"
    told = without_secrets(status, Redactor({}))
    assert told.cancelled_because.startswith("wrong key ")
    assert SECRET not in "\n".join(status_lines(told)) + told.to_bytes().decode()
    assert any(told.cancelled_because in line for line in status_lines(told))
