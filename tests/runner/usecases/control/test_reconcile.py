"""The pass: one commit, isolation between runs, and the same end whatever is killed or lost on the way."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.adapters.faults.faulty_control_log import CommitFault, FaultyControlLog
from runner.domain import limits, yields
from runner.domain.control.decisions.draft import Cancel, Draft, Submit
from runner.domain.control.decisions.seen import Situation
from runner.domain.control.envelope import derived_event_id
from runner.domain.control.events import ActionReserved, Attention, RequestTaken
from runner.domain.control.installation import INSTALLATION, fold_installation
from runner.domain.control.kinds import record
from runner.domain.pace import QUICK
from runner.ports.state.batch import make_batch
from runner.usecases.control.perform_actions import Performing, perform_actions
from runner.usecases.control.reconcile import preview, reconcile
from runner.usecases.journals.loading import run_subject
from runner.usecases.runs.claim_wave import claim_wave
from runner.usecases.runs.wave_attempts import begin_attempt
from runner.usecases.runs.wave_orders import make_attempt
from shared.ids import ActionId, RunId, WaveId, wave_id
from tests.builders.houses import Place, starter_tree
from tests.runner.usecases.control.test_observe_run import claimed, end_jobs


class Killed(BaseException):
    """The process ends here; nothing catches it."""


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


def kill_at(point: str, passage: int) -> None:
    """End what runs at the `passage`-th passage of `point`, once."""
    passed: Counter[str] = Counter()

    def hook(name: str) -> None:
        passed[name] += 1
        if name == point and passed[name] == passage:
            raise Killed(name)

    yields.install(hook)


def reservations(place: Place, run_id: RunId) -> list[str]:
    """Return the targets of the reserved actions."""
    return [each.payload.target for each in place.events(run_id) if isinstance(each.payload, ActionReserved)]


def test_a_run_goes_from_request_to_publication(tmp_path: Path) -> None:
    """Passes and jobs alone: scored, sealed, published, closed."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    run = place.state(run_id).run
    assert (run.state, run.label, run.anomaly_count) == ("completed", "clean", 0)
    assert place.house.results.head("local/starter").runs.keys() == {run_id}  # type: ignore[union-attr]
    assert place.jobs.errors == []


def test_an_idle_pass_commits_nothing(tmp_path: Path) -> None:
    """And starts nothing."""
    place = Place(tmp_path)
    place.submit()
    place.finish()
    version = place.house.log.head().version
    report = place.reconcile()
    assert (report.is_idle, report.submitted, place.house.log.head().version) == (True, [], version)


def test_a_waiting_pass_commits_nothing(tmp_path: Path) -> None:
    """While a job is under way and says nothing new."""
    place = Place(tmp_path)
    place.submit()
    assert place.reconcile().commits == 1
    report = place.reconcile()
    assert (report.commits, report.events, report.open_runs) == (0, 0, 1)


@pytest.mark.parametrize("passage", [1, 2])
@pytest.mark.parametrize(
    "point",
    [
        "pass.head",
        "pass.load",
        "pass.observe",
        "pass.decide",
        "control.before_commit",
        "control.after_commit",
        "pass.before_call",
        "pass.after_call",
        "pass.before_remove",
        "pass.after_status",
    ],
)
def test_a_killed_pass_is_finished_by_the_next(tmp_path: Path, point: str, passage: int) -> None:
    """Whatever stood already: the request is taken once, one wave is reserved, one job works for it."""
    place = Place(tmp_path)
    run_id = place.submit()
    kill_at(point, passage)
    for _ in range(6):
        try:
            place.reconcile()
        except Killed:
            place.clock.sleep(60)
    yields.install(lambda _name: None)
    taken = [each for each in place.events(run_id) if isinstance(each.payload, RequestTaken)]
    assert (len(taken), len(reservations(place, run_id)), len(place.jobs.views)) == (1, 1, 1)
    assert place.house.inbox.list(10).waiting == 0


@pytest.mark.parametrize("fault", [fault for fault in CommitFault if fault is not CommitFault.THROTTLED])
def test_a_commit_that_fails_or_is_not_answered_leads_to_one_job(tmp_path: Path, fault: CommitFault) -> None:
    """Lost, landed unseen, landed late, contended: one take, one reservation, one job."""
    place = Place(tmp_path)
    run_id = place.submit()
    log = FaultyControlLog(place.house.log, [fault, fault])
    for _ in range(3):
        place.reconcile(log)
        place.clock.sleep(60)
    assert log.calls[:1] == [fault]
    assert [each.kind for each in place.events(run_id)].count("request_taken") == 1
    assert (len(reservations(place, run_id)), len(place.jobs.views)) == (1, 1)


def test_a_job_whose_start_was_not_answered_is_found_by_its_label(tmp_path: Path) -> None:
    """It is not started twice."""
    place = Place(tmp_path)
    place.jobs.is_answer_lost = True
    run_id = place.submit()
    for _ in range(4):
        place.reconcile()
        place.clock.sleep(60)
    assert (len(place.jobs.views), place.jobs.cancelled) == (1, [])
    place.finish()
    assert place.state(run_id).run.label == "clean"


def test_a_broken_run_is_set_aside_and_the_others_go_on(tmp_path: Path) -> None:
    """Its altered journal is reported; three runs end as if it were not there."""
    place = Place(tmp_path)
    broken, *others = [place.submit() for _ in range(4)]
    place.reconcile()
    with sqlite3.connect(place.house.settings.home / "control.sqlite") as connection:
        connection.execute(
            "UPDATE append SET data = CAST(replace(data, 'request_taken', 'request_tuken') AS BLOB) WHERE subject_id = ?",
            [broken],
        )
    for _ in range(12):
        report = place.reconcile()
        place.jobs.work_all()
    assert list(report.frozen) == [broken]
    assert [place.state(run_id).run.label for run_id in others] == ["clean"] * 3


def test_a_run_is_worked_on_alone_if_it_is_asked_for_alone(tmp_path: Path) -> None:
    """The other stays where it is, its request waits."""
    place = Place(tmp_path)
    one, other = place.submit(), place.submit()
    place.clock.sleep(1)
    reconcile(place.world(), only=one)
    assert (len(place.events(one)) > 0, place.events(other)) == (True, [])
    assert place.house.inbox.list(10).waiting == 1


def test_a_retried_trial_keeps_its_identity(tmp_path: Path) -> None:
    """A lost attempt is followed by the next; the run ends clean and says that one try failed."""
    lost: list[str] = []

    def script(order: object) -> dict[str, object] | None:
        from tests.doubles.harness import by_agent

        if not lost:
            lost.append("x")
            return None
        return by_agent(order)  # type: ignore[arg-type]

    place = Place(tmp_path, script)
    run_id = place.submit()
    place.finish()
    state = place.state(run_id)
    assert (state.run.label, sorted(state.trials.trial(index).selected for index in range(4))) == ("clean", [1, 1, 1, 2])


def test_spent_tries_end_degraded(tmp_path: Path) -> None:
    """A trial whose attempts are all lost is worth 0 and stays in the denominator."""
    from tests.doubles.harness import by_agent

    place = Place(tmp_path, lambda order: by_agent(order) if order.task_path.name == "one" else None)
    run_id = place.submit(starter_tree(max_attempts=1))
    place.finish()
    state = place.state(run_id)
    assert state.run.label == "degraded"
    assert [str(state.trials.trial(index).state) for index in range(4)].count("infrastructure_exhausted") == 2


def test_the_installations_journal_has_one_line_of_a_run_that_ended(tmp_path: Path) -> None:
    """What it used of quotas and caps; it carries holds and what nobody's journal could take, nothing else."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    log = place.house.log
    assert fold_installation(log.read(INSTALLATION, 0, log.head().version)).seq == 0
    place.finish()
    found = fold_installation(log.read(INSTALLATION, 0, log.head().version))
    assert (found.seq, list(found.accounts), found.accounts[run_id].is_open) == (1, [run_id], False)


def test_more_than_one_commit_holds_is_left_to_the_next_pass(tmp_path: Path) -> None:
    """Forty-five submits are more files than one commit has: each is taken once, none stops the others."""
    place = Place(tmp_path)
    runs = [place.submit() for _ in range(45)]
    first = place.reconcile()
    assert 0 < first.taken < 45
    assert place.house.inbox.list(1).waiting == 45 - first.taken
    for _ in range(4):
        place.reconcile()
    assert place.house.inbox.list(1).waiting == 0
    assert all([each.kind for each in place.events(run_id)].count("request_taken") == 1 for run_id in runs)


def test_a_run_that_no_commit_holds_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is reported, its request waits, and nothing of it is lost."""
    place = Place(tmp_path)
    run_id = place.submit()
    monkeypatch.setattr(limits, "COMMIT_BYTES", 100)
    report = place.reconcile()
    assert (list(report.frozen), report.commits, place.house.inbox.list(1).waiting) == ([run_id], 0, 1)
    monkeypatch.undo()
    assert place.reconcile().taken == 1


def test_a_run_whose_event_the_log_refuses_is_set_aside(tmp_path: Path) -> None:
    """Its id stands for other bytes already; the other run is taken in the same pass."""
    place = Place(tmp_path)
    one, other = place.submit(), place.submit()
    request = place.house.inbox.list(1).requests[0]
    event_id = derived_event_id("request_taken", run_subject(one), request.request_id)
    forged = record(
        "attention", Attention(code="X", message="x"), about=run_subject("run-9"), event_id=event_id, at_ms=1, producer="test"
    )
    log = place.house.log
    log.commit(log.head().version, None, make_batch({run_subject("run-9"): [forged]}, parent=log.head().version, nonce="n"))
    report = place.reconcile()
    assert one in report.frozen
    assert [each.kind for each in place.events(other)][:1] == ["request_taken"]
    assert (place.events(one), place.house.inbox.list(1).waiting) == ([], 1)


def test_no_more_than_a_pass_may_do_is_done_and_the_rest_follows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three starts two; the third once the world shows that it never was."""
    monkeypatch.setattr(limits, "MAX_ACTIONS", 2)
    place = Place(tmp_path)
    runs = [place.submit() for _ in range(3)]
    assert (len(place.reconcile().submitted), len(place.jobs.views)) == (2, 2)
    place.clock.sleep(300)
    place.reconcile()
    assert {view.run_id for view in place.jobs.views.values()} == set(runs)


def test_ends_of_jobs_come_before_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancel takes the only action that the pass may perform."""
    monkeypatch.setattr(limits, "MAX_ACTIONS", 1)
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    (job_id,) = place.jobs.views
    situation = Situation(run_id, 1, QUICK, "pass-1", 1, is_held=False, hold_hours=0)
    draft = Draft(place.state(run_id), situation, submits=[Submit("act-1", "seal")], cancels=[Cancel(job_id, is_killed=False)])
    performing = Performing(place.jobs, place.clock, place.house.settings.pace, place.clock.monotonic_s())
    done = perform_actions({run_id: draft}, {run_id: None}, performing)
    assert (done.cancelled, done.submitted) == ([job_id], [])


def test_a_preview_says_what_a_pass_would_do_and_writes_nothing(tmp_path: Path) -> None:
    """The request still waits, the log stands where it stood, and the pass then does just that."""
    place = Place(tmp_path)
    run_id = place.submit()
    version = place.house.log.head().version
    found = preview(place.world())
    assert found.starts == {run_id: [wave_id(run_id, 1)]}
    assert (place.house.log.head().version, place.house.inbox.list(1).waiting, place.jobs.views) == (version, 1, {})
    assert place.house.status.list() == {}
    place.reconcile()
    assert [event.kind for event in place.events(run_id)] == found.events[run_id]


def test_a_preview_stores_nothing_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the savepoint that is due nor what an ended job did not report; the pass then stores both."""
    place = Place(tmp_path)
    run_id = place.submit()
    claim = claimed(place, run_id)
    world = place.house.wave_world(claim.wave_id, "job-1")
    assert begin_attempt(make_attempt(0, 1, None, claim, world), world)
    end_jobs(place)
    monkeypatch.setattr(limits, "SAVEPOINT_EVENTS", 1)
    before = place.everything()
    assert "progress_sealed" in preview(place.world()).events[run_id]
    assert place.everything() == before
    place.reconcile()
    changed = {name for name, held in place.everything().items() if before.get(name) != held}
    assert (any("savepoint" in name for name in changed), any("progress" in name for name in changed)) == (True, True)


def test_a_pass_says_how_far_the_clock_is_behind_the_log(tmp_path: Path) -> None:
    """After a jump forward and back; the log's time never goes back, and the run goes on to its end all the same."""
    place = Place(tmp_path)
    place.clock.at_ms += 86_400_000
    run_id = place.submit()
    assert place.reconcile().behind_s == 0
    place.clock.at_ms -= 86_400_000
    assert 86_000 < place.reconcile().behind_s < 86_400
    place.finish()
    assert place.state(run_id).run.label == "clean"


def test_a_clock_that_jumped_and_came_back_stalls_no_deadline(tmp_path: Path) -> None:
    """A job that stopped without a word is found, a day's jump notwithstanding, after twice its time."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.clock.at_ms += 86_400_000
    place.reconcile()
    (job,) = place.jobs.views.values()
    wave = WaveId(wave_id(run_id, 1))
    claim_wave(run_id, ActionId(job.action_id), wave, place.house.wave_world(wave, job.job_id))
    place.clock.at_ms -= 86_400_000
    place.reconcile()
    pace = place.house.settings.pace
    place.clock.sleep(2 * (pace.silence_s + pace.perform_s + 1))
    assert place.reconcile().cancelled == [job.job_id]
