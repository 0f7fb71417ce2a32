"""How a trial moves: what the sealed facts of a worker, a presumed loss and late evidence do to it.

Evidence beats inference: a valid bundle of an attempt that was presumed lost is accepted as long as its trial has no result, and
the first in log order wins. A result is never changed. The value of a reward moves no state. Called by the fold;
`progress_sealed` is its innermost loop and is written for speed.
"""

from functools import lru_cache
from typing import Final

import msgspec

from runner.domain.control import events
from runner.domain.control.envelope import Event
from runner.domain.control.facts import STARTED, Fact
from runner.domain.control.projection.state import Reason, RunProjection, Wave
from runner.domain.control.projection.trials import (
    ATTEMPT_CODE,
    CATEGORIES,
    CATEGORY_CODE,
    FIRST_ORDINALS,
    PART,
    TRIAL_CODE,
    TrialPart,
    failures_of,
)
from runner.domain.retries import POLICY, SESSION_MISSING, Cause, decide_retry
from shared.outcomes import Category, Outcome
from shared.states import TRIAL_TERMINAL, AttemptState, TrialState

_BEGUN: Final = ATTEMPT_CODE[AttemptState.STARTED]
_SUCCEEDED: Final = ATTEMPT_CODE[AttemptState.SUCCEEDED]
_FAILED: Final = ATTEMPT_CODE[AttemptState.FAILED]
_CANCELLED: Final = ATTEMPT_CODE[AttemptState.CANCELLED]
_LOST: Final = ATTEMPT_CODE[AttemptState.LOST]
_UNDER_WAY: Final = frozenset({_BEGUN, _LOST})
_LOST_CATEGORY: Final = CATEGORY_CODE[Category.LOST]
_CODE_OF_NAME: Final = {str(category): code for category, code in CATEGORY_CODE.items()}
_ACTIVE: Final = TRIAL_CODE[TrialState.ACTIVE]
_SCORED: Final = TRIAL_CODE[TrialState.SCORED]
_AGENT_FAILED: Final = TRIAL_CODE[TrialState.AGENT_FAILED]
_TRIAL_CANCELLED: Final = TRIAL_CODE[TrialState.CANCELLED]
_STARTABLE: Final = frozenset({TRIAL_CODE[TrialState.QUEUED], TRIAL_CODE[TrialState.RETRY_WAIT]})
_ENDED: Final = frozenset(TRIAL_CODE[state] for state in TRIAL_TERMINAL)
_INFRASTRUCTURE: Final = frozenset(CATEGORY_CODE[one] for one, rule in POLICY.items() if rule.cause is Cause.INFRASTRUCTURE)


def progress_sealed(  # noqa: C901, PLR0912 - the innermost loop; calls would cost more than the work
    state: RunProjection, payload: events.ProgressSealed, event: Event
) -> None:
    """The worker's facts of one heartbeat count from here on; those whose bundle was rejected count as failed evidence."""
    wave = state.run.waves.get(payload.wave_id)
    facts = payload.facts
    if wave is None or payload.k != wave.segments + 1 or len(facts) != payload.count:
        _note_unfit(state, wave, payload)
        return
    wave.segments = payload.k
    wave.sealed_at = event.observed_at
    if payload.rejected:
        rejected = {(trial, ordinal) for trial, ordinal, _code in payload.rejected}
        state.run.rejected += len(rejected)
        facts = tuple(_as_rejected(fact) if (fact.trial, fact.ordinal) in rejected else fact for fact in facts)
    trials = state.trials
    for fact in facts:
        index, ordinal = fact.trial, fact.ordinal
        if not 0 <= index < trials.count:
            state.note("progress_sealed", f"the plan has no trial {index}")
            continue
        which = index // PART
        part, at = trials.parts[which] or trials.part(which), index - which * PART
        if not 0 < ordinal < part.next[at]:
            state.note("progress_sealed", f"attempt {ordinal} at trial {index} was not reserved")
            continue
        code = part.attempts[FIRST_ORDINALS * at + ordinal - 1] if ordinal <= FIRST_ORDINALS else part.attempt(at, ordinal)
        if fact.event != STARTED:
            if code in _UNDER_WAY:
                _END[fact.end](state, wave, part, at, fact, was_lost=code == _LOST)
            else:
                state.note("progress_sealed", f"attempt {ordinal} at trial {index} ended without being under way")
        elif code or part.wave[at] != wave.number or part.state[at] == _ACTIVE:
            state.note("progress_sealed", f"attempt {ordinal} at trial {index} may not start")
        else:
            if ordinal <= FIRST_ORDINALS:
                part.attempts[FIRST_ORDINALS * at + ordinal - 1] = _BEGUN
            else:
                part.set_attempt(at, ordinal, _BEGUN)
            if part.state[at] in _STARTABLE:
                part.state[at] = _ACTIVE


def fail(state: RunProjection, wave: Wave, part: TrialPart, at: int, category: int, *, fact: Fact | None = None) -> None:
    """Count one failure of the trial at `at` and move it to what the policy says, unless it has its result.

    `fact` is what a worker said of it; None for an attempt that is presumed lost.
    """
    packed = part.count_failure(at, category)
    if category in _INFRASTRUCTURE:
        name = CATEGORIES[category]
        wave.equal_failures = wave.equal_failures + 1 if wave.last_failure == name else 1
        wave.last_failure = name
    else:
        wave.equal_failures, wave.last_failure = 0, ""
    if part.state[at] in _ENDED:
        state.run.surplus += 1
        return
    part.category[at] = category + 1
    part.reason[at] = 0 if fact is None else state.place_of(Reason(fact.reason, fact.phase, fact.exception))
    is_session_missing = fact is not None and fact.reason == SESSION_MISSING
    part.state[at] = _after(category, is_session_missing, packed, state.run.policy.max_attempts)


def presumed_lost(state: RunProjection, payload: events.PresumedLost, event: Event) -> None:
    """Started attempts of a job that is gone are lost."""
    wave = state.run.waves.get(payload.wave_id)
    if wave is None:
        state.note(event.kind, f"the run has no wave {payload.wave_id}")
        return
    for index, ordinal in payload.attempts:
        if not 0 <= index < state.trials.count or ordinal < 1:
            state.note(event.kind, f"the plan has no trial {index}")
            continue
        part, at = state.trials.part(index // PART), index % PART
        if part.attempt(at, ordinal) != _BEGUN:
            state.note(event.kind, f"attempt {ordinal} at trial {index} is not under way")
            continue
        part.set_attempt(at, ordinal, _LOST)
        fail(state, wave, part, at, _LOST_CATEGORY)


def evidence_late(state: RunProjection, payload: events.EvidenceLate, event: Event) -> None:
    """A bundle that came after its trial's result is linked, once."""
    link = (payload.trial, payload.ordinal, payload.bundle_sha256)
    if not 0 <= payload.trial < state.trials.count or link in state.run.late:
        state.note(event.kind, f"no new evidence of trial {payload.trial}")
        return
    state.run.late = (*state.run.late, link)


def _note_unfit(state: RunProjection, wave: Wave | None, payload: events.ProgressSealed) -> None:
    if wave is None:
        message = f"the run has no wave {payload.wave_id}"
    elif payload.k != wave.segments + 1:
        message = f"expected progress segment {wave.segments + 1}, found {payload.k}"
    else:
        message = f"segment {payload.k} has {payload.count} facts, {len(payload.facts)} were read"
    state.note("progress_sealed", message)


def _as_rejected(fact: Fact) -> Fact:
    if fact.event == STARTED:
        return fact
    changes = {"end": "failed", "category": Category.EVIDENCE, "bundle_sha256": "", "reason": "rejected"}
    return msgspec.structs.replace(fact, **changes, phase="", exception="", cost_usd_micros=None)


def _end_succeeded(state: RunProjection, wave: Wave, part: TrialPart, at: int, fact: Fact, *, was_lost: bool) -> None:
    try:
        bundle = bytes.fromhex(fact.bundle_sha256)
    except ValueError:
        bundle = b""
    if len(bundle) != 32:
        state.note("progress_sealed", f"attempt {fact.ordinal} at trial {fact.trial} succeeded without a bundle")
        return
    if was_lost:
        part.count_failure(at, _LOST_CATEGORY, -1)
    ordinal = fact.ordinal
    if ordinal <= FIRST_ORDINALS:
        part.attempts[FIRST_ORDINALS * at + ordinal - 1] = _SUCCEEDED
    else:
        part.set_attempt(at, ordinal, _SUCCEEDED)
    if wave.equal_failures:
        wave.equal_failures = 0
    part.add_cost(at, fact.cost_usd_micros)
    if part.state[at] in _ENDED:
        state.run.surplus += 1
        return
    part.state[at] = _SCORED
    part.selected[at] = ordinal
    part.bundle[at] = bundle
    part.kept[at] = ordinal
    reward = fact.reward
    if reward is not None:
        part.reward[at] = reward


def _end_failed(state: RunProjection, wave: Wave, part: TrialPart, at: int, fact: Fact, *, was_lost: bool) -> None:
    category = _CODE_OF_NAME.get(fact.category)
    if category is None:
        state.note("progress_sealed", f"unknown category {fact.category!r} of trial {fact.trial}")
        return
    part.set_attempt(at, fact.ordinal, _FAILED)
    part.add_cost(at, fact.cost_usd_micros)
    if part.state[at] not in _ENDED:
        _keep_bundle(part, at, fact)
    if was_lost:
        part.count_failure(at, _LOST_CATEGORY, -1)
        part.count_failure(at, category)
        return
    fail(state, wave, part, at, category, fact=fact)
    if part.state[at] == _AGENT_FAILED and not part.selected[at]:
        part.selected[at] = fact.ordinal


def _end_cancelled(state: RunProjection, _wave: Wave, part: TrialPart, at: int, fact: Fact, *, was_lost: bool) -> None:
    if was_lost:
        state.note("progress_sealed", f"attempt {fact.ordinal} at trial {fact.trial} was presumed lost and cannot be cancelled")
        return
    part.set_attempt(at, fact.ordinal, _CANCELLED)
    part.add_cost(at, fact.cost_usd_micros)
    if part.state[at] in _ENDED:
        state.run.surplus += 1
    elif part.state[at] == _ACTIVE:
        part.state[at] = _TRIAL_CANCELLED


def _end_unsaid(state: RunProjection, _wave: Wave, _part: TrialPart, _at: int, fact: Fact, *, was_lost: bool) -> None:
    state.note("progress_sealed", f"attempt {fact.ordinal} at trial {fact.trial} ended without saying how ({was_lost=})")


_END: Final = {"succeeded": _end_succeeded, "failed": _end_failed, "cancelled": _end_cancelled, "": _end_unsaid}


def _keep_bundle(part: TrialPart, at: int, fact: Fact) -> None:
    try:
        bundle = bytes.fromhex(fact.bundle_sha256)
    except ValueError:
        return
    if len(bundle) == 32:
        part.bundle[at], part.kept[at] = bundle, fact.ordinal


@lru_cache(maxsize=4096)
def _after(category: int, is_session_missing: bool, packed: int, max_attempts: int) -> int:
    """Return the code of the state that a trial gets after a failure."""
    reason = SESSION_MISSING if is_session_missing else ""
    decision = decide_retry(CATEGORIES[category], reason, failures_of(packed), max_attempts)
    if decision.is_retried:
        return TRIAL_CODE[TrialState.RETRY_WAIT]
    if decision.outcome is Outcome.AGENT_FAILED:
        return _AGENT_FAILED
    return TRIAL_CODE[TrialState.EXHAUSTED if decision.outcome else TrialState.CANCELLED]
