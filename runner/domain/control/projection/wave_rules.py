"""How a wave moves, and what its reservation and its closing do to the trials that it holds.

A wave reserves tries at trials that no other wave holds; ordinals are never reserved twice. When it closes, untouched trials go
back to the queue, unreached ordinals are released and closure is final: nothing that comes later opens it. Called by the fold.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from runner.domain import limits
from runner.domain.control import events
from runner.domain.control.envelope import Event
from runner.domain.control.projection import run_rules, trial_rules
from runner.domain.control.projection.state import ASSIGNABLE, RunProjection, Wave
from runner.domain.control.projection.trials import (
    ATTEMPT_CODE,
    CATEGORY_CODE,
    PACKED_ORDINALS,
    PART,
    TRIAL_CODE,
    TrialPart,
)
from shared.outcomes import Category
from shared.states import WAVE_MOVES, AttemptState, RunState, TrialState, WaveState

_STEP: Final = {"provisioned": WaveState.PROVISIONING, "ready": WaveState.READY, "cleaning": WaveState.CLEANING}
_ASSIGNABLE: Final = frozenset(TRIAL_CODE[state] for state in ASSIGNABLE)
_QUEUED: Final = TRIAL_CODE[TrialState.QUEUED]
_PLANNED: Final = TRIAL_CODE[TrialState.PLANNED]
_ACTIVE: Final = TRIAL_CODE[TrialState.ACTIVE]
_RETRY_WAIT: Final = TRIAL_CODE[TrialState.RETRY_WAIT]
_CANCELLED: Final = TRIAL_CODE[TrialState.CANCELLED]
_RESERVED: Final = ATTEMPT_CODE[AttemptState.RESERVED]
_STARTED: Final = ATTEMPT_CODE[AttemptState.STARTED]
_RELEASED: Final = ATTEMPT_CODE[AttemptState.RELEASED]
_LOST: Final = ATTEMPT_CODE[AttemptState.LOST]
_MAX_ORDINAL: Final = (1 << 16) - 1


def acquired(state: RunProjection, payload: events.Acquired, event: Event) -> None:
    """The wave holds its trials and the tries at them."""
    run = state.run
    if run.state not in {RunState.QUEUED, RunState.ACTIVE} or run.is_cancel_requested or run.is_overrun:
        state.note(event.kind, f"a run that is {run.state} reserves no wave")
        return
    if payload.wave_id in run.waves or payload.number != len(run.waves) + 1:
        state.note(event.kind, f"wave {payload.number} does not follow {len(run.waves)} waves")
        return
    objection = _objection_to_ranges(state, payload.ranges)
    if objection:
        state.note(event.kind, objection)
        return
    run.waves[payload.wave_id] = Wave(
        wave_id=payload.wave_id,
        number=payload.number,
        state=WaveState.ACQUIRING,
        ranges=payload.ranges,
        assignment_sha256=payload.assignment_sha256,
        deployment=payload.deployment,
        route=payload.route,
    )
    for part, at, ordinal, allowed in _each(state, payload.ranges):
        part.state[at], part.wave[at], part.next[at] = _QUEUED, payload.number, ordinal + allowed
    run.state = RunState.ACTIVE


def moved(state: RunProjection, payload: events.WaveMoved, event: Event) -> None:
    """The wave is provisioned, ready or cleaning."""
    wave = _wave(state, payload.wave_id, event)
    if wave is not None and _may_become(state, wave, _STEP[event.kind], event):
        wave.state = _STEP[event.kind]


def started(state: RunProjection, payload: events.WaveStarted, event: Event) -> None:
    """The wave's worker began."""
    wave = _wave(state, payload.wave_id, event)
    if wave is not None and _may_become(state, wave, WaveState.ACTIVE, event):
        wave.state, wave.job = WaveState.ACTIVE, payload.job


def draining(state: RunProjection, payload: events.Draining, event: Event) -> None:
    """The wave (or, without a wave, the run) takes no further work."""
    if not payload.wave_id:
        run_rules.draining(state, payload, event)
        return
    wave = _wave(state, payload.wave_id, event)
    if wave is not None and _may_become(state, wave, WaveState.DRAINING, event):
        wave.state, wave.because = WaveState.DRAINING, payload.because


def cleanup_failed(state: RunProjection, payload: events.CleanupFailed, event: Event) -> None:
    """A try at cleaning failed; after three, a person is needed."""
    wave = _wave(state, payload.wave_id, event)
    if wave is None:
        return
    if wave.state is not WaveState.CLEANING or wave.is_cleanup_verified:
        state.note(event.kind, f"a wave that is {wave.state} does not fail its cleanup")
        return
    wave.cleanup_failures += 1
    if wave.cleanup_failures >= limits.CLEANUP_TRIES:
        wave.state = WaveState.CLEANUP_FAILED


def cleanup_verified(state: RunProjection, payload: events.WaveMoved, event: Event) -> None:
    """What the wave owned was read and costs nothing any more."""
    wave = _wave(state, payload.wave_id, event)
    if wave is None:
        return
    if wave.state not in {WaveState.CLEANING, WaveState.CLEANUP_FAILED} or wave.is_cleanup_verified:
        state.note(event.kind, f"a wave that is {wave.state} has no cleanup to verify")
        return
    wave.is_cleanup_verified = True


def closed(state: RunProjection, payload: events.WaveMoved, event: Event) -> None:
    """The wave ends for good and gives back what it holds."""
    wave = _wave(state, payload.wave_id, event)
    if wave is None or not _may_become(state, wave, WaveState.CLOSED, event):
        return
    if not wave.is_cleanup_verified:
        state.note(event.kind, "the cleanup of the wave was not verified")
        return
    for part, at, ordinal, allowed in _each(state, wave.ranges):
        if part.wave[at] == wave.number:
            _give_back(state, wave, part, at, tries=(ordinal, allowed))
    wave.state, wave.ranges = WaveState.CLOSED, ()


def _give_back(state: RunProjection, wave: Wave, part: TrialPart, at: int, *, tries: tuple[int, int]) -> None:
    ordinal, allowed = tries
    part.wave[at] = 0
    if ordinal + allowed - 1 <= PACKED_ORDINALS:
        shift = 4 * (ordinal - 1)
        nibbles = part.attempts[at] >> shift & ((1 << 4 * allowed) - 1)
        ended, lost = _ended(nibbles, allowed)
        if ended != nibbles:
            part.attempts[at] ^= (nibbles ^ ended) << shift
    else:
        lost = _end_each(part, at, ordinal, allowed)
    for _ in range(lost):
        trial_rules.fail(state, wave, part, at, CATEGORY_CODE[Category.LOST], reason="")
    code = part.state[at]
    if state.run.is_cancel_requested and code in {_QUEUED, _RETRY_WAIT, _ACTIVE}:
        part.state[at] = _CANCELLED
    elif code == _QUEUED:
        part.state[at] = _PLANNED


@lru_cache(maxsize=4096)
def _ended(nibbles: int, allowed: int) -> tuple[int, int]:
    """Return the states of `allowed` attempts after their wave closed, and how many were started and never ended."""
    ended, lost = 0, 0
    for place in range(allowed):
        code = nibbles >> (4 * place) & 0xF
        lost += code == _STARTED
        ended |= {_RESERVED: _RELEASED, _STARTED: _LOST}.get(code, code) << (4 * place)
    return ended, lost


def _end_each(part: TrialPart, at: int, ordinal: int, allowed: int) -> int:
    lost = 0
    for one in range(ordinal, ordinal + allowed):
        code = part.attempt(at, one)
        lost += code == _STARTED
        part.set_attempt(at, one, {_RESERVED: _RELEASED, _STARTED: _LOST}.get(code, code))
    return lost


def _objection_to_ranges(state: RunProjection, ranges: tuple[events.TrialRange, ...]) -> str:
    end = 0
    for first, count, ordinal, allowed in sorted(ranges):
        if first < end or count < 1 or first + count > state.trials.count or not allowed >= 1 or ordinal < 1:
            return f"range [{first}, {count}, {ordinal}, {allowed}] overlaps another or leaves the plan"
        end = first + count
        if ordinal + allowed > _MAX_ORDINAL:
            return "no ordinals are left"
    for part, at, ordinal, _allowed in _each(state, ranges):
        if part.wave[at] or part.state[at] not in _ASSIGNABLE:
            return "a trial of the range is held by another wave or has its result"
        if ordinal < part.next[at]:
            return f"ordinal {ordinal} was reserved before"
    return "" if ranges else "a wave holds at least one trial"


def _each(state: RunProjection, ranges: tuple[events.TrialRange, ...]) -> Iterator[tuple[TrialPart, int, int, int]]:
    for first, count, ordinal, allowed in ranges:
        for index in range(first, first + count):
            yield state.trials.part(index // PART), index % PART, ordinal, allowed


def _wave(state: RunProjection, wave_id: str, event: Event) -> Wave | None:
    wave = state.run.waves.get(wave_id)
    if wave is None:
        state.note(event.kind, f"the run has no wave {wave_id}")
    return wave


def _may_become(state: RunProjection, wave: Wave, after: WaveState, event: Event) -> bool:
    if after in WAVE_MOVES.get(wave.state, frozenset()):
        return True
    state.note(event.kind, f"a wave that is {wave.state} does not become {after}")
    return False
