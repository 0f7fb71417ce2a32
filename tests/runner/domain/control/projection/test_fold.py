"""Properties of the fold: order, repetition, splits and savepoints change nothing, and no event makes it raise."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.domain.control import events
from runner.domain.control.chain import Segment, build_segment, decode_segment
from runner.domain.control.envelope import Event, encode_body
from runner.domain.control.facts import Fact, SegmentHead, encode_segment
from runner.domain.control.facts import decode_segment as decode_facts
from runner.domain.control.kinds import KINDS
from runner.domain.control.projection.fold import fold, fold_segments, fold_strictly
from runner.domain.control.projection.savepoints import make_savepoint, projection_bytes, restore
from runner.domain.control.projection.state import RunProjection
from shared.errors import Refused
from tests.builders.journals import RUN, Journal, begun, event, failed, scored

TRIALS = 5
PAYLOADS: dict[str, events.Payload] = {
    "request_taken": events.RequestTaken(
        request=events.TakenRequest(
            request_id="req-1", kind="cancel", user_id="u", org_id="o", role="r", body="", body_sha256="x"
        )
    ),
    "request_refused": events.RequestRefused(request_id="req-1", code="NOT_AUTHORISED"),
    "approval_requested": events.ApprovalRequested(
        request_id="req-1", body_sha256="x", ceiling_usd_micros=1, trials=1, expires_at="2026-01-01T00:00:00.000Z"
    ),
    "approved": events.Approved(request_id="req-1", body_sha256="x", approver_user_id="m"),
    "cancel_requested": events.CancelRequested(request_id="req-1"),
    "retry_requested": events.RetryRequested(request_id="req-1", trials=(0, 3)),
    "seal_requested": events.SealRequested(request_id="req-1", reason="stuck"),
    "draining": events.Draining(wave_id="wave-1", because="idle"),
    "attention": events.Attention(code="C", message="look"),
    "finished": events.Finished(state="partial", label="partial", counts={}),
    "acquired": events.Acquired(
        wave_id="wave-2", number=2, ranges=((0, 2, 4, 2), (4, 1, 4, 1)), assignment_sha256="a", deployment="d"
    ),
    "provisioned": events.WaveMoved(wave_id="wave-1"),
    "ready": events.WaveMoved(wave_id="wave-1"),
    "started": events.WaveStarted(wave_id="wave-1", job="job-1"),
    "cleaning": events.WaveMoved(wave_id="wave-1"),
    "cleanup_failed": events.CleanupFailed(wave_id="wave-1", code="TIMEOUT"),
    "cleanup_verified": events.WaveMoved(wave_id="wave-1"),
    "closed": events.WaveMoved(wave_id="wave-1"),
    "action_reserved": events.ActionReserved(
        action_id="act-1", verb="job_submit", target="wave-1", generation=1, performer="p", perform_by_ms=9, ceiling_usd_micros=5
    ),
    "action_retried": events.ActionRetried(action_id="act-1", try_number=2, performer="q", perform_by_ms=19),
    "action_claimed": events.ActionClaimed(action_id="act-1", job="job-1"),
    "action_observed": events.ActionObserved(action_id="act-1", result="applied"),
    "action_closed": events.ActionClosed(action_id="act-1"),
    "presumed_lost": events.PresumedLost(wave_id="wave-1", attempts=((0, 1), (1, 1))),
    "evidence_late": events.EvidenceLate(trial=0, ordinal=1, bundle_sha256="ab" * 32),
    "spend_settled": events.SpendSettled(action_id="act-1", settled_usd_micros=4),
    "spend_overrun": events.SpendOverrun(action_id="act-1", settled_usd_micros=9, ceiling_usd_micros=5),
    "consent_requested": events.ConsentRequested(shown_sha256="s", publication_id="pub-1", expires_at="2026-01-01T00:00:00.000Z"),
    "consent_given": events.ConsentGiven(decision="publish", by="requester"),
    "withdraw_requested": events.WithdrawRequested(
        request_id="req-1", publication_id="pub-1", reason="x", user_id="u", by="requester"
    ),
    "hold_set": events.HoldSet(request_id="req-1", is_on=True, reason="x"),
}
facts = st.builds(
    lambda trial, ordinal, kind: {"b": begun, "s": scored, "f": failed}[kind](trial, ordinal),
    st.integers(0, TRIALS),
    st.integers(1, 4),
    st.sampled_from("bbsf"),
)
steps = st.lists(st.one_of(st.sampled_from(sorted(PAYLOADS)), st.lists(facts, max_size=4).map(tuple)), max_size=40)


def journal_of(some: list[str | tuple[Fact, ...]]) -> Journal:
    """Return a journal in which anything may follow anything."""
    journal = Journal(TRIALS).submit().acquire(1, [(0, TRIALS, 1, 3)])
    for step in some:
        if isinstance(step, str):
            journal.put(step, PAYLOADS[step])
        else:
            journal.seal(*step)
    return journal


def folded(some: list[Event], state: RunProjection | None = None) -> RunProjection:
    """Return the fold of `some`."""
    state = state or RunProjection()
    for one in some:
        state = fold(state, one)
    return state


@settings(max_examples=60, deadline=None)
@given(steps)
def test_events_fold_to_the_same_bytes_after_they_were_stored(some: list[str | tuple[Fact, ...]]) -> None:
    """Their lines say all that the projection knows."""
    journal = journal_of(some)
    segment = build_segment([encode_body(one) for one in journal.events], 1, "0" * 64)
    assert projection_bytes(folded(decode_segment(RUN, segment))) == projection_bytes(journal.state)


@settings(max_examples=60, deadline=None)
@given(steps, st.integers(0, 60))
def test_a_savepoint_and_the_tail_equal_the_cold_fold(some: list[str | tuple[Fact, ...]], cut: int) -> None:
    """At any seq, byte for byte."""
    journal = journal_of(some)
    cut = min(cut, len(journal.events))
    saved = make_savepoint(folded(journal.events[:cut]), "f" * 64)
    restored = restore(saved.manifest, saved.parts.get)
    assert restored is not None
    assert (restored.seq, restored.chain) == (cut, "f" * 64)
    assert projection_bytes(folded(journal.events, restored.state)) == projection_bytes(journal.state)


@settings(max_examples=60, deadline=None)
@given(steps, st.integers(0, 60))
def test_segments_that_begin_before_the_state_are_read_from_where_it_stands(some: list[str | tuple[Fact, ...]], cut: int) -> None:
    """A store hands out whole segments: what of them was folded before is skipped, up to and with the newest event."""
    journal = journal_of(some)
    cut = min(cut, len(journal.events))
    whole = Segment(1, journal.events, "0" * 64)
    resumed = fold_segments(folded(journal.events[:cut]), [whole])
    assert projection_bytes(resumed) == projection_bytes(journal.state)


@settings(max_examples=60, deadline=None)
@given(steps)
def test_every_trial_is_somewhere(some: list[str | tuple[Fact, ...]]) -> None:
    """Counts add up to the plan whatever happens, and only listed ends are reached by listed ways."""
    journal = journal_of(some)
    assert sum(journal.state.trials.counts().values()) == TRIALS
    assert journal.state.run.seq == len(journal.events)


@settings(max_examples=40, deadline=None)
@given(steps)
def test_a_writer_is_refused_what_the_fold_calls_an_anomaly(some: list[str | tuple[Fact, ...]]) -> None:
    """Both ask one table; what a refusal leaves behind is nothing."""
    state = RunProjection()
    for one in journal_of(some).events:
        before, probe = projection_bytes(state), folded_copy(state)
        fold(probe, msgspec.structs.replace(one, seq=state.run.seq + 1))
        if probe.run.anomaly_count == state.run.anomaly_count:
            state = fold_strictly(state, one)
        elif one.kind not in {"progress_sealed", "presumed_lost"}:
            with pytest.raises(Refused, match="ILLEGAL_TRANSITION"):
                fold_strictly(state, one)
            assert projection_bytes(state) == before


def folded_copy(state: RunProjection) -> RunProjection:
    """Return an equal state that shares nothing with `state`."""
    saved = make_savepoint(state, "0" * 64)
    restored = restore(saved.manifest, saved.parts.get)
    assert restored is not None
    return restored.state


def test_the_clock_changes_no_state() -> None:
    """Ten minutes of skew, and equal times, give the same projection but for the day that money counts on."""
    calm = journal_of(["ready", (begun(0), scored(0)), "draining"])
    moved = [msgspec.structs.replace(one, observed_at="2023-11-14T22:03:20.000Z") for one in calm.events]
    skewed = folded(moved)
    assert [skewed.trials.trial(index) for index in range(TRIALS)] == [calm.state.trials.trial(index) for index in range(TRIALS)]
    assert skewed.run.state == calm.state.run.state


def test_inline_and_stored_facts_mean_the_same() -> None:
    """The pass reads a stored segment and folds what stands in it."""
    inline = journal_of([(begun(0), scored(0))])
    head = SegmentHead(wave_id="wave-1", action_id="act-1", job="job-1", k=1, at="2026-01-01T00:00:00.000Z")
    data = encode_segment(head, (begun(0), scored(0)))
    read = decode_facts(data)[1]
    last = msgspec.structs.replace(inline.events[-1].payload, facts=read)
    stored = [*inline.events[:-1], msgspec.structs.replace(inline.events[-1], payload=last)]
    assert projection_bytes(folded(stored)) == projection_bytes(inline.state)


def test_twice_the_events_are_twice_the_steps() -> None:
    """Counted, not timed: each event is handled once."""
    journal = journal_of(["attention"] * 50)
    assert journal.state.run.seq == len(journal.events) == 52


def test_only_touched_parts_are_loaded() -> None:
    """10,000 facts that touch 5 of 50 parts load 5."""
    journal = Journal(100_000).submit().acquire(1, [(0, 100_000, 1, 1)])
    saved = make_savepoint(journal.state, "0" * 64)
    loaded: list[str] = []
    restored = restore(saved.manifest, lambda digest: loaded.append(digest) or saved.parts[digest])
    assert restored is not None
    sealed = events.ProgressSealed(
        wave_id="wave-1", k=1, sha256="0", count=10_000, facts=tuple(begun(index) for index in range(20_000, 30_000))
    )
    fold(restored.state, msgspec.structs.replace(event("progress_sealed", sealed), seq=3))
    assert (len(loaded), restored.state.trials.counts()["active"]) == (5, 10_000)


def test_a_savepoint_of_other_rules_is_ignored() -> None:
    """Truth is the journal; a shortcut that may be wrong is not taken."""
    saved = make_savepoint(journal_of([]).state, "0" * 64)
    assert restore(saved.manifest.replace(b'"reducer":"', b'"reducer":"0'), saved.parts.get) is None
    assert restore(saved.manifest[:-5], saved.parts.get) is None
    assert restore(None, saved.parts.get) is None


def test_every_kind_of_a_runs_journal_is_drawn_in_these_properties() -> None:
    """A new kind joins them, or is named here as another journal's."""
    others = {"submitted", "progress_sealed", "malformed_refused", "account_settled", "ended", "noted"}
    assert set(PAYLOADS) | others == set(KINDS)
