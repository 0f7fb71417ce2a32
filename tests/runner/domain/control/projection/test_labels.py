"""The end of a run, as its trials say: the goldens that people read on the leaderboard."""

from runner.domain.control import events
from tests.builders.journals import Journal, begun, failed, scored


def test_all_rewards_zero_is_clean() -> None:
    """A reward of 0 is a score like any other."""
    journal = Journal(2).submit().acquire().begin()
    journal.seal(begun(0), scored(0, reward=0.0), begun(1), scored(1, reward=0.0)).end_wave().finish()
    assert (journal.state.run.state, journal.state.run.label, journal.anomalies()) == ("completed", "clean", [])


def test_one_scored_and_two_exhausted_is_degraded() -> None:
    """Every trial has an outcome, some are worth 0."""
    journal = Journal(3, max_attempts=1).submit().acquire().begin()
    journal.seal(begun(0), scored(0), begun(1), failed(1), begun(2), failed(2)).end_wave().finish()
    assert (journal.state.run.state, journal.state.run.label) == ("completed", "degraded")
    assert journal.states() == ["scored", "infrastructure_exhausted", "infrastructure_exhausted"]


def test_cancelled_after_one_score_is_partial() -> None:
    """Results stay; the rest has no outcome."""
    journal = Journal(3).submit().acquire().begin().seal(begun(0), scored(0), begun(1))
    journal.put("cancel_requested", events.CancelRequested(request_id="req-1")).end_wave().finish()
    assert (journal.state.run.state, journal.state.run.label) == ("partial", "partial")
    assert journal.states() == ["scored", "cancelled", "cancelled"]


def test_cancelled_after_all_ended_is_completed() -> None:
    """A cancel that comes too late changes nothing."""
    journal = Journal(1).submit().acquire().begin().seal(begun(0), scored(0))
    journal.put("cancel_requested", events.CancelRequested(request_id="req-1")).end_wave().finish()
    assert (journal.state.run.state, journal.state.run.label) == ("completed", "clean")


def test_cancelled_before_its_start_is_cancelled() -> None:
    """No trial was tried."""
    journal = Journal(2).submit().put("cancel_requested", events.CancelRequested(request_id="req-1")).finish()
    assert (journal.state.run.state, journal.states()) == ("cancelled", ["cancelled", "cancelled"])


def test_none_scored_is_failed() -> None:
    """Everything ended and nothing counts."""
    journal = Journal(2, max_attempts=1).submit().acquire().begin()
    journal.seal(begun(0), failed(0), begun(1), failed(1, category="benchmark")).end_wave().finish()
    assert (journal.state.run.state, journal.states()) == ("failed", ["infrastructure_exhausted", "benchmark_failed"])


def test_an_end_that_the_trials_do_not_say_has_no_effect() -> None:
    """A label is computed, never believed."""
    journal = Journal(1).submit().acquire().begin().seal(begun(0), failed(0)).end_wave().put("draining", events.Draining())
    journal.put("finished", events.Finished(state="completed", label="clean", counts={}))
    assert (journal.state.run.state, journal.anomalies()) == ("draining", ["finished"])


def test_a_run_with_an_open_action_does_not_end() -> None:
    """What may still cost money keeps its run open."""
    promise = events.ActionReserved(
        action_id="act-1", verb="endpoint_pause", target="e", generation=1, performer="p", perform_by_ms=1
    )
    journal = Journal(1).submit().acquire().begin().seal(begun(0), scored(0)).end_wave()
    journal.put("action_reserved", promise).finish()
    assert (journal.state.run.state, journal.anomalies()) == ("draining", ["finished"])
