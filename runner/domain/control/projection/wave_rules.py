"""How a wave moves, and what its reservation and its closing do to the trials that it holds.

A wave reserves tries at trials that no other wave holds; ordinals are never reserved twice. When it closes, untouched trials go
back to the queue, unreached ordinals are released and closure is final: nothing that comes later opens it. Called by the fold.
"""

from array import array
from collections.abc import Iterator
from typing import Final

from runner.domain import limits
from runner.domain.control import events
from runner.domain.control.envelope import Event
from runner.domain.control.projection import run_rules, trial_rules
from runner.domain.control.projection.state import ASSIGNABLE, RunProjection, Wave
from runner.domain.control.projection.trials import (
    ATTEMPT_CODE,
    CATEGORY_CODE,
    FIRST_ORDINALS,
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
_LOST_CATEGORY: Final = CATEGORY_CODE[Category.LOST]
_CLOSING: Final = bytes({_RESERVED: _RELEASED, _STARTED: _LOST}.get(code, code) for code in range(256))
"""What becomes of each attempt state when its wave closes."""
_REQUEUEING: Final = bytes(_PLANNED if code == _QUEUED else code for code in range(256))
_CANCELLING: Final = bytes(_CANCELLED if code in {_QUEUED, _RETRY_WAIT, _ACTIVE} else code for code in range(256))
"""What becomes of each trial state when its wave closes, in a live run and in a cancelled one."""
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
    for part, start, stop, ordinal, allowed in _pieces(state, payload.ranges):
        size = stop - start
        part.state[start:stop] = bytes([_QUEUED]) * size
        part.wave[start:stop] = array("I", [payload.number]) * size
        part.next[start:stop] = array("H", [ordinal + allowed]) * size
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
    for part, start, stop, ordinal, allowed in _pieces(state, wave.ranges):
        _give_back(state, wave, part, slice(start, stop), tries=range(ordinal, ordinal + allowed))
    wave.state, wave.ranges = WaveState.CLOSED, ()


def _give_back(state: RunProjection, wave: Wave, part: TrialPart, places: slice, *, tries: range) -> None:
    """End what the wave holds of `part`: unreached tries are released, tries under way are lost, the trials are free."""
    for ordinal in tries:
        if ordinal <= FIRST_ORDINALS:
            first = ordinal - 1
            column = slice(FIRST_ORDINALS * places.start + first, FIRST_ORDINALS * places.stop, FIRST_ORDINALS)
            tried = part.attempts[column]
            part.attempts[column] = tried.translate(_CLOSING)
        else:
            tried = bytearray(part.attempt(at, ordinal) for at in range(places.start, places.stop))
            for at, code in enumerate(tried, places.start):
                part.set_attempt(at, ordinal, _CLOSING[code])
        for place in range(len(tried)) if _STARTED in tried else ():
            if tried[place] == _STARTED:
                trial_rules.fail(state, wave, part, places.start + place, _LOST_CATEGORY)
    part.wave[places] = array("I", bytes(4 * (places.stop - places.start)))
    part.state[places] = part.state[places].translate(_CANCELLING if state.run.is_cancel_requested else _REQUEUEING)


def _objection_to_ranges(state: RunProjection, ranges: tuple[events.TrialRange, ...]) -> str:
    end = 0
    for first, count, ordinal, allowed in sorted(ranges):
        if first < end or count < 1 or first + count > state.trials.count or not allowed >= 1 or ordinal < 1:
            return f"range [{first}, {count}, {ordinal}, {allowed}] overlaps another or leaves the plan"
        end = first + count
        if ordinal + allowed > _MAX_ORDINAL:
            return "no ordinals are left"
    for part, start, stop, ordinal, _allowed in _pieces(state, ranges):
        if any(part.wave[start:stop]) or not _ASSIGNABLE.issuperset(part.state[start:stop]):
            return "a trial of the range is held by another wave or has its result"
        if ordinal < max(part.next[start:stop]):
            return f"ordinal {ordinal} was reserved before"
    return "" if ranges else "a wave holds at least one trial"


def _pieces(state: RunProjection, ranges: tuple[events.TrialRange, ...]) -> Iterator[tuple[TrialPart, int, int, int, int]]:
    """Yield each range part by part: the part, where the range starts and stops in it, its first ordinal and its tries."""
    for first, count, ordinal, allowed in ranges:
        begin, end = first, first + count
        while begin < end:
            number, start = divmod(begin, PART)
            stop = min(PART, start + end - begin)
            yield state.trials.part(number), start, stop, ordinal, allowed
            begin += stop - start


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
