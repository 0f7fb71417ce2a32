"""Waves: which are started, when one has ended, and what becomes of its trials."""

import pytest

from runner.domain.control import events
from runner.domain.control.decisions.seen import SeenJob, SeenRun
from shared.outcomes import Category
from tests.builders.journals import begun, failed, scored
from tests.runner.domain.control.decisions.passes import Passes, alive, gone, kinds, payloads


def test_the_first_pass_reserves_one_wave_and_one_job() -> None:
    """All trials of the run, as many tries as the policy allows, and the ceiling of a wave."""
    passes = Passes(3, per_wave=3)
    draft = passes.run()
    assert kinds(draft) == ["acquired", "action_reserved"]
    assert payloads(draft, events.Acquired)[0].ranges == ((0, 3, 1, 3),)
    assert payloads(draft, events.ActionReserved)[0].ceiling_usd_micros == 5
    assert [each.action_id for each in draft.submits] == [passes.action.action_id]


def test_a_pass_that_sees_nothing_new_says_nothing() -> None:
    """While a job waits or works, passes are free."""
    passes = Passes()
    passes.run()
    assert kinds(passes.run(passes.see(alive()))) == []
    passes.claim()
    assert kinds(passes.run(passes.see(alive()))) == []


def test_waves_hold_at_most_their_number_of_trials() -> None:
    """As many waves are open as the run may have."""
    passes = Passes(5, per_wave=2)
    draft = passes.run(waves_per_run=2)
    assert [each.ranges for each in payloads(draft, events.Acquired)] == [((0, 2, 1, 3),), ((2, 2, 1, 3),)]


def test_a_wave_owns_one_deployment() -> None:
    """Trials of another deployment wait for another wave."""
    passes = Passes(2, deployments=("d", "e", "d"))
    draft = passes.run(waves_per_run=2)
    found = [(each.deployment, each.ranges) for each in payloads(draft, events.Acquired)]
    assert found == [("d", ((0, 2, 1, 3), (4, 2, 1, 3))), ("e", ((2, 2, 1, 3),))]


def test_new_work_is_held_back_and_the_run_stays_open() -> None:
    """A hold starts nothing and ends nothing."""
    passes = Passes()
    assert kinds(passes.run(is_held=True)) == []
    assert kinds(passes.run()) == ["acquired", "action_reserved"]


def test_a_job_that_is_not_listed_yet_is_unknown_not_absent() -> None:
    """Before the performer's time and the listing's are over, nothing is decided."""
    passes = Passes()
    passes.run()
    assert kinds(passes.run(after_ms=11_999)) == []
    assert kinds(passes.run(after_ms=1)) == ["action_retried"]


def test_a_job_that_never_came_to_be_is_tried_again_until_the_tries_are_spent() -> None:
    """Four tries, then the wave is given up and its trials go to the next."""
    passes = Passes()
    passes.run()
    tried = [kinds(passes.run()) for _ in range(3)]
    assert tried == [["action_retried"]] * 3
    draft = passes.run()
    assert payloads(draft, events.ActionObserved)[0].result == "absent"
    assert payloads(draft, events.Draining)[0].because == "never claimed"
    assert [each.ranges for each in payloads(draft, events.Acquired)] == [((0, 2, 4, 3),)]


def test_a_job_that_ended_before_its_claim_ends_its_wave() -> None:
    """It wrote nothing; once nothing of its performer can be on its way, the trials go to the next wave."""
    passes = Passes()
    passes.run()
    ended = passes.see(gone())
    assert kinds(passes.run(ended, after_ms=1)) == []
    draft = passes.run(ended)
    assert payloads(draft, events.Draining)[0].because == "never claimed"
    assert kinds(draft)[-2:] == ["acquired", "action_reserved"]


def test_a_job_that_waits_for_its_claim_is_left_alone() -> None:
    """Beside one that has ended, too."""
    passes = Passes()
    passes.run()
    draft = passes.run(passes.see(gone("job-1"), alive("job-2")))
    assert (kinds(draft), draft.cancels) == ([], [])


def test_surplus_jobs_end_once_one_has_the_claim() -> None:
    """At once: they have nothing to drain."""
    passes = Passes()
    passes.run()
    passes.claim("job-2")
    draft = passes.run(passes.see(alive("job-1"), alive("job-2")))
    assert [(each.job_id, each.is_killed) for each in draft.cancels] == [("job-1", True)]
    assert kinds(draft) == []


def test_a_dead_winner_is_not_hidden_by_a_job_that_lost() -> None:
    """The wave ends with the job that claimed it, whatever else is alive."""
    passes = Passes()
    passes.run()
    passes.claim("job-2")
    draft = passes.run(passes.see(alive("job-1"), gone("job-2")))
    assert [each.job_id for each in draft.cancels] == ["job-1"]
    assert "closed" in kinds(draft)


def test_reported_facts_count_even_if_the_worker_is_gone() -> None:
    """Scored trials have their result, the wave ends as done."""
    passes = Passes(2)
    passes.run()
    draft = passes.work(begun(0), scored(0), begun(1), scored(1))
    assert passes.states() == ["scored", "scored"]
    assert [each.because for each in payloads(draft, events.Draining)] == ["done", ""]


def test_what_began_and_was_not_reported_is_presumed_lost() -> None:
    """Its trial gets the next try; an untouched trial keeps all of its tries."""
    passes = Passes(3)
    passes.run()
    draft = passes.work(begun(0), scored(0), begun(1))
    assert payloads(draft, events.PresumedLost)[0].attempts == ((1, 1),)
    assert payloads(draft, events.Draining)[0].because == "lost"
    assert payloads(draft, events.Acquired)[0].ranges == ((1, 1, 4, 2), (2, 1, 4, 3))


def test_a_wave_with_unread_progress_is_not_ended() -> None:
    """The next pass reads on."""
    passes = Passes(2)
    passes.run()
    passes.claim()
    wave = passes.action.wave_id
    draft = passes.run(passes.see(gone(), segments=passes.segment(begun(0), scored(0)), unread=frozenset({wave})))
    assert kinds(draft) == ["progress_sealed"]
    assert "closed" in kinds(passes.run(passes.see(gone(), segments=passes.segment(begun(1), scored(1), k=2))))


def test_spent_tries_end_a_trial() -> None:
    """No wave ever holds it again; the run drains."""
    passes = Passes(1, max_attempts=1)
    passes.run()
    draft = passes.work(begun(0), failed(0))
    assert passes.states() == ["exhausted"]
    assert payloads(draft, events.Acquired) == []


@pytest.mark.parametrize("category", [Category.CONFIGURATION, Category.AUTHENTICATION])
def test_a_failure_that_would_repeat_asks_for_a_person(category: Category) -> None:
    """No further wave of this run starts, its untouched trials end with it."""
    passes = Passes(2)
    passes.run()
    draft = passes.work(begun(0), failed(0, category=category, reason="because"))
    assert passes.state.run.attention == {category: "an attempt failed with because"}
    assert payloads(draft, events.Acquired) == []
    assert passes.state.run.state == "draining"


def test_the_same_attention_is_asked_for_once() -> None:
    """A hundred equal failures are one event."""
    passes = Passes(2)
    passes.run()
    facts = [begun(0), failed(0, category=Category.CONFIGURATION), begun(1), failed(1, category=Category.CONFIGURATION)]
    assert kinds(passes.work(*facts)).count("attention") == 1


def test_waves_that_are_lost_again_and_again_ask_for_a_person() -> None:
    """Three in a row without a word from their worker: more of them would not help."""
    passes = Passes(1, max_attempts=20)
    passes.run()
    for _ in range(3):
        assert passes.state.run.attention == {}
        passes.claim()
        draft = passes.run(passes.see(gone()))
    assert list(passes.state.run.attention) == ["waves_lost"]
    assert payloads(draft, events.Acquired) == []


def test_a_wave_that_reported_anything_is_not_barren() -> None:
    """Lost attempts spend their trial's tries, not the run's patience."""
    passes = Passes(1, max_attempts=20)
    passes.run()
    for _ in range(4):
        ordinal = passes.state.trials.trial(0).next_ordinal - passes.state.run.waves[passes.action.wave_id].ranges[0][3]
        passes.work(begun(0, ordinal))
    assert passes.state.run.attention == {}


def test_a_cancel_ends_a_job_that_has_not_claimed() -> None:
    """It is asked to end, and when it has, its wave closes with nothing begun."""
    passes = Passes()
    passes.run()
    passes.cancel()
    draft = passes.run(passes.see(alive()))
    assert [(each.job_id, each.is_killed) for each in draft.cancels] == [("job-1", False)]
    assert "closed" in kinds(passes.run(passes.see(gone())))
    assert passes.states() == ["cancelled", "cancelled"]


def test_a_cancelled_run_retries_no_job() -> None:
    """A job that never came to be is not started for a run that is to end."""
    passes = Passes()
    passes.run()
    passes.cancel()
    draft = passes.run()
    assert "action_retried" not in kinds(draft)
    assert [each.target for each in draft.submits] == ["seal"]


def test_a_cancel_leaves_the_claimed_job_to_drain() -> None:
    """Its worker reads the log; what it still reports counts."""
    passes = Passes()
    passes.run()
    passes.claim()
    passes.cancel()
    assert (kinds(draft := passes.run(passes.see(alive()), after_ms=1_000)), draft.cancels) == ([], [])
    passes.run(passes.see(gone(), segments=passes.segment(begun(0), scored(0))))
    assert passes.states() == ["scored", "cancelled"]


@pytest.mark.parametrize(("silent_s", "is_cancelled", "is_killed"), [
    (170, False, False), (200, False, True), (40, True, False), (60, True, True),
])  # fmt: skip
def test_a_winner_that_falls_silent_is_ended(silent_s: int, is_cancelled: bool, is_killed: bool) -> None:
    """A claim never hides a dead or stopped worker; after a cancel less patience is needed."""
    passes = Passes()
    passes.run()
    passes.claim()
    passes.run(passes.see(alive(), segments=passes.segment(begun(0))), after_ms=1_000)
    if is_cancelled:
        passes.cancel()
    draft = passes.run(passes.see(alive()), after_ms=silent_s * 1_000)
    assert [(each.job_id, each.is_killed) for each in draft.cancels] == ([("job-1", True)] if is_killed else [])


def test_a_heartbeat_is_not_silence() -> None:
    """An empty segment says that the worker lives."""
    passes = Passes()
    passes.run()
    passes.claim()
    for number in range(1, 5):
        draft = passes.run(passes.see(alive(), segments=passes.segment(k=number)), after_ms=170_000)
        assert draft.cancels == []


def test_a_job_beyond_its_time_is_ended() -> None:
    """What a provider does by itself, the pass does for a local job."""
    passes = Passes()
    passes.run()
    passes.claim()
    draft = passes.run(passes.see(SeenJob("job-1", is_ended=False, is_overdue=True)), after_ms=1_000)
    assert [(each.job_id, each.is_killed) for each in draft.cancels] == [("job-1", True)]


def test_a_blocked_run_that_is_retried_by_hand_drains_again() -> None:
    """Two drains are two events, though no wave lies between them."""
    passes = Passes(1)
    passes.run()
    passes.work(begun(0), failed(0, category=Category.CONFIGURATION))
    passes.run(hold_hours=24)
    passes.tell("retry_requested", events.RetryRequested(request_id="req-2", trials=(0,)))
    passes.run(hold_hours=24)
    assert passes.state.run.state in {"active", "draining"}


def test_a_wave_of_fewer_trials_reserves_a_part_of_the_price() -> None:
    """A retry of one trial does not hold back what three would cost."""
    passes = Passes(3, per_wave=3)
    passes.run()
    draft = passes.work(*(fact for index in range(3) for fact in (begun(index), failed(index) if index == 1 else scored(index))))
    assert payloads(draft, events.Acquired)[0].ranges == ((1, 1, 4, 2),)
    assert payloads(draft, events.ActionReserved)[0].ceiling_usd_micros == 2


@pytest.mark.parametrize(("is_claimed", "settled"), [(True, 5), (False, 0)])
def test_an_unknown_cost_settles_at_its_whole_ceiling(settled: int, *, is_claimed: bool) -> None:
    """What never started cost nothing."""
    passes = Passes(3, per_wave=3)
    passes.run()
    seen = passes.see(gone())
    if is_claimed:
        passes.claim()
    passes.run(seen, is_held=True)
    assert passes.state.settled_usd_micros() == settled


def test_a_run_that_could_cost_more_than_its_ceiling_drains_and_says_so() -> None:
    """A capped run ends by its label; a person may read why."""
    passes = Passes(3, per_wave=3)
    passes.state.run.ceiling_usd_micros = 6
    passes.run()
    draft = passes.work(begun(0), scored(0), begun(1), failed(1))
    assert payloads(draft, events.Acquired) == []
    assert (passes.state.run.state, list(passes.state.run.attention)) == ("draining", ["cap_reached"])


def test_a_run_that_cost_more_than_promised_admits_no_more() -> None:
    """It drains with what it has."""
    passes = Passes(3, per_wave=3)
    passes.run()
    overrun = events.SpendOverrun(action_id=passes.action.action_id, settled_usd_micros=9, ceiling_usd_micros=5)
    passes.tell("spend_overrun", overrun)
    draft = passes.work(begun(0), scored(0), begun(1), failed(1))
    assert (payloads(draft, events.Acquired), passes.state.run.state) == ([], "draining")


def test_the_same_sight_gives_the_same_bytes() -> None:
    """Decisions depend on nothing but the state, what was seen and the time."""

    def history() -> dict[str, bytes]:
        passes = Passes(3, deployments=("d", "e"))
        passes.run()
        passes.work(begun(0), scored(0), begun(1), failed(1))
        passes.run(SeenRun(jobs={passes.action.action_id: (SeenJob("job-1", is_ended=True),)}))
        return passes.said

    assert history() == history()
