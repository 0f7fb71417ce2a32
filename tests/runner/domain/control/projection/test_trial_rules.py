import pytest

from runner.domain.control import events
from runner.domain.control.projection.savepoints import make_savepoint, restore
from runner.domain.control.projection.state import MAX_REASONS, Reason
from shared.states import AttemptState, TrialState
from tests.builders.journals import BUNDLE, Journal, begun, cancelled, failed, scored

OTHER_BUNDLE = "cd" * 32


def working(trials: int = 2, tries: int = 3, max_attempts: int = 3) -> Journal:
    """Return the journal of a run whose first wave is at work."""
    return Journal(trials, max_attempts).submit().acquire(1, [(0, trials, 1, tries)]).begin()


def lose(journal: Journal, *attempts: tuple[int, int]) -> Journal:
    """Append that attempts of the first wave are presumed lost."""
    return journal.put("presumed_lost", events.PresumedLost(wave_id="wave-1", attempts=attempts))


def test_a_trial_is_scored_when_its_bundle_is_sealed() -> None:
    """The first verified bundle in log order is the result."""
    journal = working().seal(begun(0), scored(0, reward=0.25))
    trial = journal.state.trials.trial(0)
    assert (trial.state, trial.selected, trial.bundle_sha256, trial.reward) == (TrialState.SCORED, 1, BUNDLE, 0.25)


@pytest.mark.parametrize("reward", [0.0, 1.0, -3.5])
def test_the_value_of_a_reward_moves_no_state(reward: float) -> None:
    """Zero, negative and full rewards are scored alike."""
    assert working().seal(begun(0), scored(0, reward=reward)).states()[0] == "scored"


def test_a_success_without_a_bundle_is_an_anomaly() -> None:
    """Nothing is scored without evidence."""
    journal = working().seal(begun(0), scored(0, bundle="zz" * 32))
    assert (journal.states()[0], journal.anomalies()) == ("active", ["progress_sealed"])


def test_a_failure_is_retried_in_the_same_wave() -> None:
    """The wave holds further tries, so no commit stands between them."""
    journal = working().seal(begun(0), failed(0), begun(0, 2), scored(0, 2))
    trial = journal.state.trials.trial(0)
    assert (trial.state, trial.selected) == (TrialState.SCORED, 2)
    assert trial.attempts == (AttemptState.FAILED, AttemptState.SUCCEEDED, AttemptState.RESERVED)


def test_spent_tries_exhaust_a_trial() -> None:
    """Tries are counted in the log, per trial."""
    journal = working(max_attempts=2).seal(begun(0), failed(0), begun(0, 2), failed(0, 2))
    assert journal.states()[0] == "exhausted"


def test_an_agents_failure_is_final() -> None:
    """The deciding attempt is the trial's selected one."""
    journal = working().seal(begun(0), failed(0, category="agent"))
    trial = journal.state.trials.trial(0)
    assert (trial.state, trial.selected) == (TrialState.AGENT_FAILED, 1)


def test_a_missing_session_is_retried_once() -> None:
    """A session deleted twice is the agent's failure."""
    journal = working().seal(begun(0), failed(0, category="agent", reason="session_missing"))
    assert journal.states()[0] == "retry_wait"
    journal.seal(begun(0, 2), failed(0, 2, category="agent", reason="session_missing"))
    assert journal.states()[0] == "agent_failed"


def test_rejected_evidence_is_a_failure_of_evidence() -> None:
    """A bundle that did not verify scores nothing."""
    journal = working().seal(begun(0), scored(0), rejected=((0, 1, "BUNDLE_DIGEST"),))
    trial = journal.state.trials.trial(0)
    assert (trial.state, trial.category, trial.selected) == (TrialState.RETRY_WAIT, "evidence", 0)


def test_evidence_of_a_lost_attempt_beats_the_inference() -> None:
    """A genuine result that arrives after the loss is accepted, and the loss costs no try."""
    journal = lose(working().seal(begun(0)), (0, 1))
    assert journal.states()[0] == "retry_wait"
    trial = journal.seal(scored(0)).state.trials.trial(0)
    assert (trial.state, trial.failures, journal.anomalies()) == (TrialState.SCORED, {}, [])


def test_evidence_during_the_retry_wins_and_the_retry_is_surplus() -> None:
    """The first in log order is the result, never the better reward."""
    journal = lose(working().seal(begun(0)), (0, 1)).seal(begun(0, 2), scored(0, reward=0.0), scored(0, 2, 1.0, OTHER_BUNDLE))
    trial = journal.state.trials.trial(0)
    assert (trial.selected, trial.reward, trial.bundle_sha256, journal.state.run.surplus) == (1, 0.0, BUNDLE, 1)


def test_evidence_after_the_retry_changes_nothing() -> None:
    """A result is never changed."""
    journal = lose(working().seal(begun(0)), (0, 1)).seal(begun(0, 2), scored(0, 2, 0.0, OTHER_BUNDLE), scored(0, 1, 1.0))
    trial = journal.state.trials.trial(0)
    assert (trial.selected, trial.reward, journal.state.run.surplus) == (2, 0.0, 1)


def test_late_evidence_is_linked_and_reopens_nothing() -> None:
    """Closure is monotonic: after the end it is a link."""
    journal = working(1).seal(begun(0), scored(0)).end_wave().finish()
    link = events.EvidenceLate(trial=0, ordinal=2, bundle_sha256=OTHER_BUNDLE)
    journal.put("evidence_late", link)
    assert (journal.state.run.state, journal.state.run.late) == ("completed", ((0, 2, OTHER_BUNDLE),))
    assert journal.put("evidence_late", link).anomalies() == ["evidence_late"]


def test_a_lost_attempt_that_failed_counts_as_what_it_was() -> None:
    """The loss is replaced by the real category."""
    journal = lose(working().seal(begun(0)), (0, 1)).seal(failed(0, category="quota"))
    assert journal.state.trials.trial(0).failures == {"quota": 1}


def test_a_cancelled_attempt_in_a_live_run_may_run_again() -> None:
    """A bound of its wave ended it; a new generation costs no budget."""
    journal = working(1).seal(begun(0), cancelled(0)).end_wave().acquire(2, [(0, 1, 4, 1)])
    assert (journal.states(), journal.state.trials.trial(0).failures) == (["queued"], {})


def test_progress_segments_are_sealed_in_order() -> None:
    """A segment that is missing, or sealed twice, has no effect."""
    journal = working().seal(begun(0))
    again = events.ProgressSealed(wave_id="wave-1", k=1, sha256="0" * 64, count=1, facts=(begun(1),))
    assert journal.put("progress_sealed", again).anomalies() == ["progress_sealed"]
    assert journal.states()[1] == "queued"


def test_facts_that_were_not_read_are_an_anomaly() -> None:
    """A segment is folded with all of its facts or not at all."""
    journal = working().put("progress_sealed", events.ProgressSealed(wave_id="wave-1", k=1, sha256="0" * 64, count=1))
    assert journal.anomalies() == ["progress_sealed"]


@pytest.mark.parametrize("fact", [begun(9), begun(-1), begun(0, 9), begun(0, 0), scored(0, 1), failed(0, 2)])
def test_a_fact_of_no_reserved_or_running_attempt_has_no_effect(fact: events.Fact) -> None:
    """Unclaimed evidence is reported only."""
    journal = working().seal(fact)
    assert (journal.states(), journal.anomalies()) == (["queued", "queued"], ["progress_sealed"])


def test_equal_infrastructure_failures_in_a_row_are_counted() -> None:
    """Five of them stop the wave's admission; a success starts the count anew."""
    journal = working(4)
    journal.seal(*[fact for trial in range(3) for fact in (begun(trial), failed(trial, category="quota"))])
    assert journal.state.run.waves["wave-1"].equal_failures == 3
    journal.seal(begun(3), scored(3))
    assert journal.state.run.waves["wave-1"].equal_failures == 0


def test_ordinals_above_sixteen_are_kept() -> None:
    """A trial retried by hand again and again loses no attempt."""
    journal = working(1, tries=20, max_attempts=30)
    journal.seal(*[fact for ordinal in range(1, 19) for fact in (begun(0, ordinal), failed(0, ordinal))])
    journal.seal(begun(0, 19)).end_wave()
    attempts = journal.state.trials.trial(0).attempts
    assert (attempts[17], attempts[18], attempts[19]) == (AttemptState.FAILED, AttemptState.LOST, AttemptState.RELEASED)


def test_why_a_trial_failed_last_is_remembered() -> None:
    """Reason, phase and exception of its newest failure, kept once for all trials that share them."""
    said = {"phase": "agent", "exception": "AgentTimeoutError"}
    journal = working(3, max_attempts=5).seal(begun(0), begun(1), begun(2), failed(0, reason="one"))
    journal.seal(begun(0, 2), failed(0, 2, "agent", "agent_timeout", **said), failed(1, 1, "agent", "agent_timeout", **said))
    journal.seal(failed(2))
    state = journal.state
    found = [state.reason_of(state.trials.trial(index)) for index in range(3)]
    assert found == [Reason("agent_timeout", "agent", "AgentTimeoutError")] * 2 + [None]
    assert state.run.reasons == (Reason("one", "", ""), Reason("agent_timeout", "agent", "AgentTimeoutError"))
    assert state.trials.failures() == {"agent": 2, "transient": 1}


def test_too_many_different_reasons_are_told_by_their_category_alone() -> None:
    """An exception's name is the task's own to choose, the run's memory is not."""
    trials = MAX_REASONS + 5
    journal = working(trials, max_attempts=1)
    journal.seal(*(begun(trial) for trial in range(trials)))
    journal.seal(*(failed(trial, exception=f"Error{trial}") for trial in range(trials)))
    state = journal.state
    assert len(state.run.reasons) == MAX_REASONS
    assert state.reason_of(state.trials.trial(MAX_REASONS - 1)) == Reason("", "", f"Error{MAX_REASONS - 1}")
    assert state.reason_of(state.trials.trial(trials - 1)) is None
    assert state.trials.failures() == {"transient": trials}


@pytest.mark.parametrize(
    ("costs", "expected"),
    [([1_500, 20], 1_520), ([1_500, None], None), ([None, 20], None), ([0, 0], 0), ([10**15, 10**15], 10**15)],
)
def test_a_trial_costs_what_all_its_tries_report(costs: list[int | None], expected: int | None) -> None:
    """Or nobody knows what it cost: a try that reports nothing is not free."""
    journal = working().seal(begun(0), failed(0, cost_usd_micros=costs[0]), begun(0, 2))
    journal.seal(failed(0, 2, cost_usd_micros=costs[1]))
    assert journal.state.trials.trial(0).cost_usd_micros == expected
    assert journal.state.trials.trial(1).cost_usd_micros is None


def test_a_try_that_is_lost_leaves_the_cost_unknown() -> None:
    """Until its evidence turns up."""
    journal = lose(working().seal(begun(0), failed(0, cost_usd_micros=5), begun(0, 2)), (0, 2))
    assert journal.state.trials.trial(0).cost_usd_micros is None
    journal.seal(failed(0, 2, cost_usd_micros=7))
    assert journal.state.trials.trial(0).cost_usd_micros == 12


def test_the_attempt_whose_bundle_stands_for_a_trial_is_known() -> None:
    """The newest that left one, then the one that gave the result; a rejected bundle stands for nothing."""
    journal = working(max_attempts=5).seal(begun(0), failed(0), begun(0, 2))
    assert journal.state.trials.trial(0).kept == 1
    journal.seal(failed(0, 2), rejected=((0, 2, "EVIDENCE_BROKEN"),))
    assert journal.state.trials.trial(0).kept == 1
    journal.seal(begun(0, 3), scored(0, 3))
    assert journal.state.trials.trial(0).kept == 3


def test_what_failures_count_survives_a_savepoint() -> None:
    """Also of parts that are not loaded."""
    journal = working().seal(begun(0), failed(0, 1, "agent", "agent_timeout", phase="agent", cost_usd_micros=3))
    stored = make_savepoint(journal.state, "")
    restored = restore(stored.manifest, stored.parts.get)
    assert restored is not None
    assert restored.state.trials.failures() == {"agent": 1}
    assert restored.state.trials.trial(0) == journal.state.trials.trial(0)
    assert restored.state.reason_of(restored.state.trials.trial(0)) == Reason("agent_timeout", "agent", "")
