import pytest

from runner.domain.control import events
from runner.domain.control.projection.state import ASSIGNABLE
from shared.states import AttemptState, WaveState
from tests.builders.journals import Journal, begun, failed, scored


def test_a_reservation_holds_its_trials() -> None:
    """Held trials wait in their wave; the others are still to be assigned."""
    journal = Journal(4).submit().acquire(1, [(1, 2, 1, 2)])
    assert journal.states() == ["planned", "queued", "queued", "planned"]
    assert list(journal.state.trials.unassigned(ASSIGNABLE)) == [0, 3]
    assert journal.state.run.state == "active"


@pytest.mark.parametrize(
    "ranges",
    [
        [(0, 3, 2, 1), (2, 2, 2, 1)],
        [(3, 2, 1, 1)],
        [(0, 0, 1, 1)],
        [(0, 1, 1, 1)],
        [(2, 1, 1, 0)],
        [],
        [(1, 2, 1, 1)],
    ],
    ids=["overlap", "beyond the plan", "empty range", "held", "no tries", "nothing", "partly held"],
)
def test_an_illegal_reservation_holds_nothing(ranges: list[events.TrialRange]) -> None:
    """A reservation is taken whole or not at all."""
    journal = Journal(4).submit().acquire(1, [(0, 2, 1, 1)]).acquire(2, ranges)
    assert (journal.states(), journal.anomalies()) == (["queued", "queued", "planned", "planned"], ["acquired"])


def test_an_ordinal_is_reserved_once() -> None:
    """After a wave closed, its unreached tries are never used again."""
    journal = Journal(1).submit().acquire(1, [(0, 1, 1, 3)]).end_wave()
    assert journal.state.trials.trial(0).attempts == (AttemptState.RELEASED,) * 3
    assert journal.acquire(2, [(0, 1, 3, 1)]).anomalies() == ["acquired"]
    assert journal.acquire(2, [(0, 1, 4, 1)]).anomalies() == ["acquired"]


def test_closing_returns_untouched_trials_to_the_queue() -> None:
    """No trial stays assigned to a wave that is over."""
    journal = Journal(3).submit().acquire().begin().seal(begun(0), scored(0), begun(1), failed(1)).end_wave()
    assert journal.states() == ["scored", "retry_wait", "planned"]
    assert list(journal.state.trials.unassigned(ASSIGNABLE)) == [1, 2]


def test_closing_loses_what_never_ended() -> None:
    """An attempt under way when its wave is over is lost and counted."""
    journal = Journal(1).submit().acquire().begin().seal(begun(0)).end_wave()
    trial = journal.state.trials.trial(0)
    assert (trial.state, trial.attempts, trial.failures) == ("retry_wait", (AttemptState.LOST,), {"lost": 1})


def test_a_wave_closes_only_after_its_cleanup_was_verified() -> None:
    """Nothing that may still cost money is called over."""
    journal = Journal(1).submit().acquire().put("draining", events.Draining(wave_id="wave-1"))
    journal.put("cleaning", events.WaveMoved(wave_id="wave-1")).put("closed", events.WaveMoved(wave_id="wave-1"))
    assert (journal.state.run.waves["wave-1"].state, journal.anomalies()) == (WaveState.CLEANING, ["closed"])


def test_three_failed_cleanups_need_a_person() -> None:
    """The fourth does not count; a verified cleanup closes the wave all the same."""
    journal = Journal(1).submit().acquire().put("draining", events.Draining(wave_id="wave-1"))
    journal.put("cleaning", events.WaveMoved(wave_id="wave-1"))
    for _ in range(3):
        journal.put("cleanup_failed", events.CleanupFailed(wave_id="wave-1", code="TIMEOUT"))
    assert journal.state.run.waves["wave-1"].state is WaveState.CLEANUP_FAILED
    for kind in ("cleanup_verified", "closed"):
        journal.put(kind, events.WaveMoved(wave_id="wave-1"))
    assert (journal.state.run.waves["wave-1"].state, journal.anomalies()) == (WaveState.CLOSED, [])


def test_late_facts_open_no_closed_wave() -> None:
    """A result that comes after the closing counts, the wave stays closed."""
    journal = Journal(1).submit().acquire().begin().seal(begun(0)).end_wave().seal(scored(0))
    assert (journal.states(), journal.state.run.waves["wave-1"].state) == (["scored"], WaveState.CLOSED)


def test_nothing_is_reserved_after_a_cancel() -> None:
    """In log order, whatever the clocks say."""
    journal = Journal(2).submit().acquire(1, [(0, 1, 1, 1)])
    journal.put("cancel_requested", events.CancelRequested(request_id="req-1")).acquire(2, [(1, 1, 1, 1)])
    assert (journal.anomalies(), len(journal.state.run.waves)) == (["acquired"], 1)
