"""The end of a run: drained, sealed, finished, published, each once."""

from runner.domain.control import events
from runner.domain.control.decisions.seen import SeenRun
from tests.builders.journals import begun, failed, scored
from tests.runner.domain.control.decisions.passes import Passes, alive, gone, kinds, payloads

HOUR_MS = 3_600_000


def worked(*, is_scored: bool = True) -> Passes:
    """Return a run whose only trial has ended, drained, with its sealing job reserved."""
    passes = Passes(1, max_attempts=1)
    passes.run()
    passes.work(begun(0), scored(0) if is_scored else failed(0))
    return passes


def finished() -> Passes:
    """Return a clean run with its publishing job reserved."""
    passes = worked()
    passes.claim()
    passes.run(passes.see(gone(), is_root_sealed=True))
    return passes


def test_a_run_without_work_drains_and_is_sealed_by_a_job() -> None:
    """In one pass with the end of its last wave."""
    passes = Passes(1)
    passes.run()
    draft = passes.work(begun(0), scored(0))
    assert (kinds(draft)[-2:], [each.target for each in draft.submits]) == (["draining", "action_reserved"], ["seal"])


def test_a_sealing_job_at_work_is_waited_for() -> None:
    """Nothing is said meanwhile."""
    passes = worked()
    passes.claim()
    assert kinds(passes.run(passes.see(alive()))) == []


def test_a_sealed_root_finishes_the_run() -> None:
    """With the label that its trials give; a clean run is published next."""
    passes = worked()
    passes.claim()
    draft = passes.run(passes.see(alive(), is_root_sealed=True))
    assert payloads(draft, events.Finished)[0] == events.Finished(state="completed", label="clean", counts={"scored": 1})
    assert [each.target for each in draft.submits] == ["publish"]
    assert not draft.is_closed


def test_a_run_without_a_scored_trial_is_finished_and_not_published() -> None:
    """Its journal closes at once."""
    passes = worked(is_scored=False)
    draft = passes.run(passes.see(gone(), is_root_sealed=True))
    assert payloads(draft, events.Finished)[0].label == "failed"
    assert (draft.submits, draft.is_closed) == ([], True)


def test_a_sealing_job_that_ended_without_a_seal_is_followed_by_another() -> None:
    """Another action, another generation."""
    passes = worked()
    first = passes.action
    passes.claim()
    assert "action_closed" in kinds(passes.run(passes.see(gone())))
    draft = passes.run()
    assert [each.target for each in draft.submits] == ["seal"]
    assert passes.action.action_id != first.action_id


def test_a_sealing_job_that_never_came_to_be_is_tried_again() -> None:
    """The same action, its next try."""
    passes = worked()
    assert kinds(passes.run(after_ms=1)) == []
    assert kinds(passes.run()) == ["action_retried"]


def test_a_run_that_cannot_be_sealed_asks_for_a_person() -> None:
    """After four jobs; it stays open, starts no more, and says so once."""
    passes = worked()
    for _ in range(4):
        passes.claim()
        passes.run(passes.see(gone()))
        draft = passes.run()
    assert list(passes.state.run.attention) == ["seal_failed"]
    assert (kinds(draft), draft.submits, draft.is_closed) == (["attention"], [], False)
    assert kinds(passes.run()) == []


def test_an_incomplete_run_waits_for_a_retry_by_hand() -> None:
    """As long as its policy holds it, then its end is final."""
    passes = Passes(1, max_attempts=1)
    passes.run()
    passes.claim()
    seen = passes.see(gone(), segments=passes.segment(begun(0), failed(0)))
    assert passes.run(seen, hold_hours=2).submits == []
    assert passes.run(hold_hours=2, after_ms=2 * HOUR_MS - 1).submits == []
    assert [each.target for each in passes.run(hold_hours=2, after_ms=1).submits] == ["seal"]


def test_a_complete_run_is_not_held() -> None:
    """Nothing of it could be retried."""
    passes = Passes(1)
    passes.run()
    passes.claim()
    draft = passes.run(passes.see(gone(), segments=passes.segment(begun(0), scored(0))), hold_hours=24)
    assert [each.target for each in draft.submits] == ["seal"]


def test_a_cancelled_run_is_not_held() -> None:
    """Nobody waits for it; before its start it ends as cancelled."""
    passes = Passes(1)
    passes.cancel()
    assert kinds(passes.run(hold_hours=24)) == ["draining", "action_reserved"]
    draft = passes.run(passes.see(gone(), is_root_sealed=True), hold_hours=24)
    assert payloads(draft, events.Finished)[0].label == "cancelled"


def test_a_cancel_while_the_run_is_sealed_changes_no_result() -> None:
    """All trials have their outcome: the run ends clean, and is published."""
    passes = worked()
    passes.cancel()
    draft = passes.run(passes.see(alive(), is_root_sealed=True))
    assert payloads(draft, events.Finished)[0].label == "clean"


def test_a_published_run_is_closed() -> None:
    """Its publication ends the publishing job's action."""
    passes = finished()
    draft = passes.run(passes.see(alive(), publication_id="pub-1"))
    assert (kinds(draft), draft.is_closed) == (["action_observed", "action_closed"], True)
    assert payloads(draft, events.ActionObserved)[0].detail == "pub-1"


def test_a_run_that_was_published_by_hand_needs_no_job() -> None:
    """What stands in the results is what counts."""
    passes = worked()
    passes.claim()
    draft = passes.run(passes.see(gone(), is_root_sealed=True, publication_id="pub-1"))
    assert (draft.submits, draft.is_closed) == ([], True)


def test_a_publishing_job_that_failed_is_followed_by_others_and_then_by_a_person() -> None:
    """Four jobs; then the journal closes, and the run can still be published by hand."""
    passes = finished()
    for _ in range(4):
        passes.claim()
        passes.run(passes.see(gone()))
        draft = passes.run()
    assert (list(passes.state.run.attention), draft.is_closed) == (["publish_failed"], True)


def test_a_closed_run_says_nothing_more() -> None:
    """However often it is looked at."""
    passes = finished()
    passes.run(passes.see(gone(), publication_id="pub-1"))
    draft = passes.run(SeenRun(publication_id="pub-1"))
    assert (kinds(draft), draft.is_closed) == ([], True)
