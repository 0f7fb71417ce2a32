import pytest

from runner.domain.control import events
from tests.builders.journals import Journal, begun, failed, scored


def take(journal: Journal, kind: str = "submit") -> Journal:
    """Append that a request was taken."""
    asked = events.TakenRequest(
        request_id="req-1", kind=kind, user_id="user-1", org_id="o", role="member", body="{}", body_sha256="sha"
    )
    return journal.put("request_taken", events.RequestTaken(request=asked))


def wait(journal: Journal) -> Journal:
    """Append that the submit waits for approval."""
    waiting = events.ApprovalRequested(
        request_id="req-1", body_sha256="sha", ceiling_usd_micros=9, trials=4, expires_at="2026-01-08T00:00:00.000Z"
    )
    return journal.put("approval_requested", waiting)


def approve(journal: Journal, body_sha256: str = "sha") -> Journal:
    """Append a maintainer's approval."""
    approval = events.Approved(request_id="req-1", body_sha256=body_sha256, approver_user_id="m", is_single=True)
    return journal.put("approved", approval)


def exhausted() -> Journal:
    """Return the journal of two trials of which one is scored and one has spent its only try."""
    journal = Journal(2, max_attempts=1).submit().acquire().begin()
    return journal.seal(begun(0), scored(0), begun(1), failed(1)).end_wave()


def retry(journal: Journal, *trials: int) -> Journal:
    """Append a retry by hand."""
    return journal.put("retry_requested", events.RetryRequested(request_id="req-2", trials=trials))


def test_a_request_is_taken_once() -> None:
    """Many takes are one."""
    journal = take(take(Journal()))
    assert (journal.anomalies(), list(journal.state.run.requests)) == (["request_taken"], ["req-1"])


def test_a_refused_submit_ends_its_run() -> None:
    """At once, or after waiting; a refused cancel ends nothing."""
    refusal = events.RequestRefused(request_id="req-1", code="NOT_AUTHORISED")
    assert take(Journal()).put("request_refused", refusal).state.run.state == "refused"
    assert wait(take(Journal())).put("request_refused", refusal).state.run.state == "refused"
    journal = take(Journal().submit(), kind="cancel").put("request_refused", refusal)
    assert (journal.state.run.state, journal.state.run.requests["req-1"].refused) == ("queued", "NOT_AUTHORISED")


def test_a_waiting_submit_needs_its_approval() -> None:
    """Of exactly the bytes that wait."""
    journal = wait(take(Journal()))
    assert journal.submit().state.run.state == "waiting_approval"
    assert approve(journal, "other").anomalies() == ["submitted", "approved"]
    run = approve(journal).submit().state.run
    assert (run.state, run.approved_by, run.is_single_approval) == ("queued", "m", True)


@pytest.mark.parametrize("shards", [((0, 0, 3),), ((0, 1, 3),), ((0, 0, 2), (0, 1, 3)), ((0, 0, 4), (1, 4, 0)), ()])
def test_shards_cover_every_trial_once(shards: tuple[tuple[int, int, int], ...]) -> None:
    """A plan that forgets a trial would shrink the denominator."""
    plan = events.Submitted(
        plan_digest="p", lock_sha256="l", trials=4, shards=shards, policy=events.Policy(max_attempts=1), requested_by="u"
    )
    assert Journal().put("submitted", plan).anomalies() == ["submitted"]


def test_one_lost_trial_is_retried_alone_in_the_same_run() -> None:
    """Same identity, next ordinal, a fresh budget: 88 of 89 become 89."""
    journal = retry(exhausted().put("draining", events.Draining()), 1)
    assert (journal.state.run.state, journal.states()) == ("active", ["scored", "queued"])
    journal.acquire(2, [(1, 1, 2, 1)]).begin(2).seal(begun(1, 2), scored(1, 2), number=2).end_wave(2).finish()
    assert (journal.state.run.label, journal.state.trials.trial(1).selected, journal.anomalies()) == ("clean", 2, [])


def test_a_retry_has_a_fresh_budget() -> None:
    """What was spent before does not end it at its first failure."""
    journal = Journal(1, max_attempts=2).submit().acquire(1, [(0, 1, 1, 2)]).begin()
    journal.seal(begun(0), failed(0), begun(0, 2), failed(0, 2)).end_wave()
    retry(journal, 0).acquire(2, [(0, 1, 3, 2)]).begin(2).seal(begun(0, 3), failed(0, 3), number=2)
    assert journal.states() == ["retry_wait"]


@pytest.mark.parametrize("trials", [(0,), (), (7,), (0, 1)])
def test_a_result_is_never_retried(trials: tuple[int, ...]) -> None:
    """Nothing of a retry that names one is taken."""
    journal = retry(exhausted(), *trials)
    assert (journal.anomalies(), journal.states()) == (["retry_requested"], ["scored", "exhausted"])


def test_a_cancelled_run_takes_no_retry() -> None:
    """A cancel is durable."""
    journal = exhausted().put("cancel_requested", events.CancelRequested(request_id="req-3"))
    assert retry(journal, 1).anomalies() == ["retry_requested"]


def test_sealing_by_hand_gives_open_trials_their_outcome() -> None:
    """The run then ends degraded, and says so."""
    journal = Journal(2).submit().acquire(1, [(0, 1, 1, 1)]).begin().seal(begun(0), scored(0)).end_wave()
    journal.put("seal_requested", events.SealRequested(request_id="req-2", reason="stuck")).finish()
    assert (journal.states(), journal.state.run.label) == (["scored", "infrastructure_exhausted"], "degraded")
    assert journal.state.run.is_hand_sealed


def test_a_run_with_an_open_wave_is_not_sealed() -> None:
    """What is under way may still score."""
    journal = Journal(2).submit().acquire().put("seal_requested", events.SealRequested(request_id="req-2", reason="stuck"))
    assert journal.anomalies() == ["seal_requested"]


def test_attention_is_on_until_it_is_cleared() -> None:
    """An empty message clears it."""
    journal = Journal().submit().put("attention", events.Attention(code="ORPHAN", message="look"))
    assert journal.state.run.attention == {"ORPHAN": "look"}
    assert journal.put("attention", events.Attention(code="ORPHAN")).state.run.attention == {}


def test_a_kind_of_another_journal_has_no_effect() -> None:
    """A hold stands in the installation's journal alone."""
    journal = Journal().submit().put("hold_set", events.HoldSet(request_id="req-1", is_on=True, reason="x"))
    assert journal.anomalies() == ["hold_set"]
