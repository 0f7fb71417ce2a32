from runner.domain.control import events
from runner.domain.control.actions import Promise, reserve
from tests.builders.journals import RUN, Journal

NOW = 1_700_000_000_000


def reserved(journal: Journal, ceiling: int = 5) -> str:
    """Append the next reservation of one job; return its id."""
    wanted = Promise("job_submit", "wave-1", ceiling, owner="u", wave_id="wave-1")
    promise = reserve(RUN, journal.state.run.generations, wanted, performer="pass", now_ms=NOW)
    journal.put("action_reserved", promise)
    return promise.action_id


def ended(journal: Journal, action_id: str, result: str = "applied") -> Journal:
    """Append the observed end of an action."""
    journal.put("action_observed", events.ActionObserved(action_id=action_id, result=result))
    return journal.put("action_closed", events.ActionClosed(action_id=action_id))


def test_the_same_decision_is_the_same_action() -> None:
    """However often it is made."""
    assert reserved(Journal().submit().acquire()) == reserved(Journal().submit().acquire())


def test_a_generation_rises_only_after_a_recorded_end() -> None:
    """A second reservation before it has no effect; after it, it is another action."""
    journal = Journal().submit().acquire()
    first = reserved(journal)
    second = reserved(journal)
    assert (second != first, journal.anomalies()) == (True, ["action_reserved"])
    assert reserved(ended(journal, first, "absent")) == second
    assert journal.anomalies() == ["action_reserved"]


def test_a_claim_is_won_once() -> None:
    """Another job has lost."""
    journal = Journal().submit().acquire()
    action_id = reserved(journal)
    journal.put("action_claimed", events.ActionClaimed(action_id=action_id, job="job-1"))
    journal.put("action_claimed", events.ActionClaimed(action_id=action_id, job="job-2"))
    assert (journal.anomalies(), journal.state.run.actions[action_id].job) == (["action_claimed"], "job-1")


def test_nothing_is_claimed_after_a_cancel() -> None:
    """In log order: a step never starts after it."""
    journal = Journal().submit().acquire()
    action_id = reserved(journal)
    journal.put("cancel_requested", events.CancelRequested(request_id="req-1"))
    assert journal.put("action_claimed", events.ActionClaimed(action_id=action_id, job="job-1")).anomalies() == ["action_claimed"]


def test_an_action_is_retried_three_times() -> None:
    """Then it ends as what was observed."""
    journal = Journal().submit().acquire()
    action_id = reserved(journal)
    for number in (2, 3, 4):
        retry = events.ActionRetried(action_id=action_id, try_number=number, performer="pass", perform_by_ms=NOW)
        journal.put("action_retried", retry)
    assert journal.anomalies() == []
    fifth = events.ActionRetried(action_id=action_id, try_number=5, performer="pass", perform_by_ms=NOW)
    assert journal.put("action_retried", fifth).anomalies() == ["action_retried"]


def test_a_ceiling_is_held_until_its_cost_is_settled() -> None:
    """A closed action frees its slot, its money only when the cost is known."""
    journal = Journal().submit().acquire()
    action_id = reserved(journal, ceiling=500)
    ended(journal, action_id)
    assert (journal.state.open_actions(), journal.state.open_ceilings_usd_micros()) == ([], 500)
    settled = events.SpendSettled(action_id=action_id, settled_usd_micros=120)
    journal.put("spend_settled", settled)
    assert (journal.state.open_ceilings_usd_micros(), journal.state.settled_usd_micros()) == (0, 120)
    assert journal.put("spend_settled", settled).anomalies() == ["spend_settled"]


def test_an_overrun_admits_no_more() -> None:
    """The run reserves no further wave."""
    journal = Journal(2).submit().acquire(1, [(0, 1, 1, 1)])
    journal.put("spend_overrun", events.SpendOverrun(action_id="act-1", settled_usd_micros=9, ceiling_usd_micros=5))
    assert journal.acquire(2, [(1, 1, 1, 1)]).anomalies() == ["acquired"]
