"""One wave: claimed once, sealed attempt by attempt, ended early for a reason, and never repeating what has its result."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.domain import yields
from runner.domain.control.events import ProgressSealed
from runner.ports.compute.harness import AttemptOrder, HarnessHello
from runner.ports.compute.jobs import JobStage
from runner.usecases.runs.claim_wave import claim_wave
from runner.usecases.runs.submit_run import put_request, request_body
from shared import paths
from shared.errors import Conflict, Refused
from shared.ids import ActionId, RequestId, RunId, WaveId
from shared.inbox.codec import Request, RequestSubject
from tests.builders.houses import Place, starter_tree
from tests.builders.results import result_document
from tests.doubles.harness import ScriptedHarness, by_agent


class Killed(BaseException):
    """The worker's process ends here."""


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


def kill_worker_at(place: Place, point: str) -> None:
    """Let the job that works now be killed at its first passage of `point`; it is seen as ended."""

    def die(name: str) -> None:
        if name == point:
            raise Killed

    yields.install(die)
    with pytest.raises(Killed):
        place.jobs.work_all()
    yields.install(lambda _name: None)
    for job_id in place.jobs.views:
        place.jobs.end(job_id, JobStage.ERROR)


def selected(place: Place, run_id: RunId) -> list[int]:
    """Return the ordinal of each trial's selected attempt."""
    trials = place.state(run_id).trials
    return [trials.trial(index).selected for index in range(trials.count)]


def because(place: Place, run_id: RunId) -> list[str]:
    """Return why each wave says that it ended."""
    evidence = place.house.evidence
    found = []
    for wave in place.state(run_id).run.waves:
        with evidence.open(f"{paths.wave_prefix(run_id, WaveId(wave))}/{paths.WAVE_SUMMARY}") as stream:
            found.append(json.loads(stream.read())["because"])
    return found


@pytest.mark.parametrize("point", ["wave.after_seal", "wave.before_segment", "wave.before_wave_seal", "wave.after_wave_seal"])
def test_what_a_killed_worker_had_sealed_is_not_run_again(tmp_path: Path, point: str) -> None:
    """The evidence speaks for it, whether or not it said so itself."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    kill_worker_at(place, point)
    sealed = len(list((place.house.settings.home / "evidence").rglob("attempts/*/_SUCCESS")))
    assert sealed > 0
    place.finish()
    assert (place.state(run_id).run.label, place.state(run_id).run.anomaly_count) == ("clean", 0)
    assert selected(place, run_id).count(1) >= sealed
    assert len(list((place.house.settings.home / "evidence").rglob("attempts/*/_SUCCESS"))) == 4


def test_what_a_killed_worker_had_begun_is_lost_and_tried_again(tmp_path: Path) -> None:
    """Under the next ordinal: an attempt's name is never used twice."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    kill_worker_at(place, "wave.after_begin")
    place.finish()
    assert place.state(run_id).run.label == "clean"
    assert max(selected(place, run_id)) > 1


def test_a_claim_is_won_once(tmp_path: Path) -> None:
    """The second job of the same action is told so before it starts anything."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    (spec,) = place.jobs.specs.values()
    wave, action = WaveId(spec.target), ActionId(spec.action_id)
    claim_wave(run_id, action, wave, place.house.wave_world(wave, "job-1"))
    with pytest.raises(Conflict) as caught:
        claim_wave(run_id, action, wave, place.house.wave_world(wave, "job-2"))
    assert (caught.value.code, caught.value.exit_code) == ("CLAIM_LOST", 8)


def test_a_claim_of_a_cancelled_run_is_denied(tmp_path: Path) -> None:
    """Nothing starts after a cancel in log order."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    (spec,) = place.jobs.specs.values()
    cancel(place, run_id)
    place.reconcile()
    wave = WaveId(spec.target)
    with pytest.raises(Conflict) as caught:
        claim_wave(run_id, ActionId(spec.action_id), wave, place.house.wave_world(wave, "job-1"))
    assert caught.value.code == "CLAIM_DENIED"


def cancel(place: Place, run_id: RunId) -> None:
    """Put a cancel into the inbox."""
    request = Request(RequestId("req-" + "c" * 32), "cancel", place.house.actor(), RequestSubject("run", run_id), request_body())
    put_request(place.house.inbox, request)


def test_a_cancel_ends_admission_at_the_next_heartbeat(tmp_path: Path) -> None:
    """What was under way is kept; the rest is cancelled, and the run says partial."""
    started: list[str] = []

    def script(order: AttemptOrder) -> dict[str, Any]:
        started.append(order.attempt_id)
        if len(started) == 1:
            cancel(place, run_id)
            place.reconcile()
        return by_agent(order)

    place = Place(tmp_path, script)
    run_id = place.submit(starter_tree(repeats=8))
    place.finish()
    states = [str(place.state(run_id).trials.trial(index).state) for index in range(32)]
    assert place.state(run_id).run.label == "partial"
    assert (states.count("scored"), states.count("cancelled")) == (len(started), 32 - len(started))
    assert len(started) < 32
    assert because(place, run_id) == ["cancelled"]


def test_equal_infrastructure_failures_end_a_wave(tmp_path: Path) -> None:
    """Five in a row: the next would fail too."""
    place = Place(tmp_path, lambda _order: None)
    run_id = place.submit(starter_tree(repeats=4, max_attempts=1))
    place.finish()
    assert "5 failures in a row were lost" in because(place, run_id)
    assert place.state(run_id).run.label == "failed"


def test_a_failure_of_configuration_drains_the_wave(tmp_path: Path) -> None:
    """The next attempt would fail the same way."""
    missing = result_document(parts=1, rewards=None, exception="ValueError", message="Environment variable X not found")
    place = Place(tmp_path, lambda _order: missing)
    run_id = place.submit(starter_tree(repeats=8))
    place.reconcile()
    place.jobs.work_all()
    place.reconcile()
    assert because(place, run_id)[0] == "configuration: the environment variable X is not set for it"
    assert place.state(run_id).run.attention["configuration"].endswith("the environment variable X is not set for it")
    assert len(place.state(run_id).run.waves) == 1


def test_another_harbor_than_the_plans_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its results would not be comparable; the wave says so and a person is asked for."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    monkeypatch.setattr(ScriptedHarness, "hello", lambda _self: HarnessHello("0.1.0", "0" * 64, 1))
    place.jobs.work_all()
    place.reconcile()
    assert because(place, run_id)[0].startswith("configuration: HARNESS_MISMATCH")
    assert list(place.state(run_id).run.attention) == ["configuration"]
    assert not list((place.house.settings.home / "evidence").rglob(paths.ATTEMPT))


def test_a_machine_without_sandboxes_runs_nothing(tmp_path: Path) -> None:
    """No attempt is spent on what no attempt could mend."""
    place = Place(tmp_path, probe_sandbox=refuse_sandboxes)
    run_id = place.submit()
    place.reconcile()
    place.jobs.work_all()
    place.reconcile()
    assert because(place, run_id)[0].startswith("configuration: SANDBOX_UNAVAILABLE")
    assert not list((place.house.settings.home / "evidence").rglob(paths.ATTEMPT))


def refuse_sandboxes(_kind: str) -> None:
    """Stand for a machine without namespaces."""
    raise Refused("SANDBOX_UNAVAILABLE", "no namespaces here")


def test_facts_are_in_the_journal_as_the_worker_reported_them(tmp_path: Path) -> None:
    """Each attempt begins and ends once, and nothing is rejected."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    sealed = [event.payload for event in place.events(run_id) if isinstance(event.payload, ProgressSealed)]
    facts = [(fact.trial, fact.event) for payload in sealed for fact in payload.facts]
    assert sorted(facts) == sorted((trial, event) for trial in range(4) for event in ("started", "ended"))
    assert [payload.rejected for payload in sealed if payload.rejected] == []


def test_every_secret_that_the_plan_names_is_redacted(tmp_path: Path) -> None:
    """Whatever it is called: the evidence and the published files hold no trace of its value."""
    canary = "canary-value-1234567"
    tree = starter_tree()
    tree["matrix"]["agents"][0]["agent"]["env"] = {"SERVICE": "${PLAIN_NAME}"}

    def script(order: AttemptOrder) -> dict[str, Any]:
        assert order.secret_names in {("PLAIN_NAME",), ()}
        return {**by_agent(order), "agent_result": {"metadata": {"said": f"the key is {canary}."}}}

    place = Place(tmp_path, script, {"PLAIN_NAME": canary})
    run_id = place.submit(tree)
    place.finish()
    assert place.state(run_id).run.label == "clean"
    holding = [
        path
        for root in (place.house.settings.home, place.house.settings.results)
        for path in root.rglob("*")
        if path.is_file() and canary.encode() in path.read_bytes()
    ]
    assert holding == []
    results = list((place.house.settings.home / "evidence").rglob("harbor/result.json"))
    assert any(b"[redacted:PLAIN_NAME]" in path.read_bytes() for path in results)
