"""Waves: seal what their workers reported, close those whose job is gone, start the next.

A wave ends when the job that claimed it has ended. Its reported facts count; attempts that began and were not reported as ended
are presumed lost; untouched trials go back to the queue. A completed trial is never in a wave again, since the fold gives only
trials without a result.
"""

from typing import Final, NamedTuple

from runner.domain import limits
from runner.domain.control import events
from runner.domain.control.decisions.draft import Cancel, Draft
from runner.domain.control.decisions.seen import PlanShape, SeenJob, SeenRun
from runner.domain.control.envelope import Subject, utc_ms
from runner.domain.control.facts import Fact
from runner.domain.control.projection.state import ASSIGNABLE, Action, Wave
from runner.domain.control.projection.trials import Trial
from runner.domain.retries import POLICY
from shared.digests import digest_of
from shared.ids import wave_id
from shared.money import format_usd, prorated
from shared.outcomes import Category
from shared.states import ActionState, AttemptState, RunState

LOST: Final = "lost"
BARREN: Final = "lost, nothing ended"
SILENT: Final = "lost, nothing began"
DONE: Final = "done"
NEVER_CLAIMED: Final = "never claimed"
MAX_SILENT_WAVES: Final = 1 + limits.AUTOMATIC_GENERATIONS
MAX_BARREN_WAVES: Final = 8
BLOCKING: Final = ("configuration", "authentication", "waves_lost", "job_refused", "cap_reached")
"""What a person is asked for before another wave of the run makes sense."""


def settle_waves(draft: Draft, seen: SeenRun) -> None:
    """Put reported progress into the journal, then end every wave whose job has ended, and retry jobs that never came to be."""
    for wave in draft.state.open_waves():
        _seal_progress(draft, wave, seen)
        action = _action_of(draft, wave)
        if action is not None and wave.wave_id not in seen.unread:
            _settle(draft, wave, action, seen)


class NextWave(NamedTuple):
    """The wave that a run would start next, before anybody has admitted it."""

    ranges: tuple[events.TrialRange, ...]
    deployment: str
    route: str
    ceiling_usd_micros: int


def next_wave(draft: Draft, shape: PlanShape) -> NextWave | None:
    """Return the next wave of trials that may be tried; None if there is none, or the run may have no more."""
    run = draft.state.run
    if run.state not in {RunState.QUEUED, RunState.ACTIVE} or draft.situation.is_held or is_blocked(draft):
        return None
    ranges = _next_ranges(draft, shape)
    if not ranges:
        return None
    ceiling = prorated(shape.wave_ceiling_usd_micros, sum(each[1] for each in ranges), shape.trials_per_wave)
    if _is_over_ceiling(draft, ceiling):
        return None
    cell = _CellOfTrial(run.shards).of(ranges[0][0])
    return NextWave(ranges, shape.deployments[cell], shape.route_of(cell), ceiling)


def reserve_wave(draft: Draft, wave: NextWave) -> None:
    """Reserve an admitted wave and the start of its job."""
    number = len(draft.state.run.waves) + 1
    name = wave_id(draft.situation.run_id, number)
    acquired = events.Acquired(
        wave_id=name,
        number=number,
        ranges=wave.ranges,
        assignment_sha256=digest_of([list(each) for each in wave.ranges]),
        deployment=wave.deployment,
        route=wave.route,
    )
    draft.say("acquired", acquired, Subject("wave", name), name)
    draft.reserve_job(name, wave_id=name, ceiling_usd_micros=wave.ceiling_usd_micros)


def is_blocked(draft: Draft) -> bool:
    """Tell whether a person must act before another wave of this run makes sense."""
    run = draft.state.run
    return run.is_overrun or any(code in run.attention for code in BLOCKING)


def _is_over_ceiling(draft: Draft, ceiling_usd_micros: int) -> bool:
    """Tell, and say so once, whether another wave could cost more than is left of the run's own ceiling."""
    state = draft.state
    used = state.settled_usd_micros() + state.open_ceilings_usd_micros()
    if not ceiling_usd_micros or used + ceiling_usd_micros <= state.run.ceiling_usd_micros:
        return False
    if not state.open_waves():
        draft.ask_attention("cap_reached", f"{format_usd(used)} of {format_usd(state.run.ceiling_usd_micros)} are used")
    return True


def _seal_progress(draft: Draft, wave: Wave, seen: SeenRun) -> None:
    about = Subject("wave", wave.wave_id)
    for segment in seen.segments.get(wave.wave_id, ()):
        payload = events.ProgressSealed(
            wave_id=wave.wave_id,
            k=segment.k,
            sha256=segment.sha256,
            count=len(segment.facts),
            rejected=segment.rejected,
            facts=segment.facts,
        )
        draft.say("progress_sealed", payload, about, wave.wave_id, segment.k)
        for fact in segment.facts:
            if fact.category and POLICY[Category(fact.category)].drains_wave:
                draft.ask_attention(fact.category, _failure(fact))


def _failure(fact: Fact) -> str:
    if fact.detail:
        return f"an attempt failed: {fact.detail}"
    return f"an attempt failed with {fact.reason or fact.category}"


def _settle(draft: Draft, wave: Wave, action: Action, seen: SeenRun) -> None:
    jobs = seen.jobs.get(action.action_id, ())
    alive = [job for job in jobs if not job.is_ended]
    if action.state is ActionState.CLAIMED:
        _end_surplus(draft, action, alive)
        winner = next((job for job in alive if job.job_id == action.job), None)
        if winner is None:
            close_wave(draft, wave, action, said=seen.endings.get(wave.wave_id, ""))
        elif winner.is_overdue or _is_silent(draft, wave, action):
            draft.cancels.append(Cancel(winner.job_id, is_killed=True))
    elif action.state is ActionState.RESERVED:
        _settle_unclaimed(draft, wave, action, jobs, alive)


def _settle_unclaimed(draft: Draft, wave: Wave, action: Action, jobs: tuple[SeenJob, ...], alive: list[SeenJob]) -> None:
    if alive:
        if draft.state.run.is_cancel_requested:
            draft.cancels.extend(Cancel(job.job_id, is_killed=False) for job in alive)
        return
    is_settled = draft.situation.is_settled(action)
    if jobs and is_settled:
        close_wave(draft, wave, action, because=NEVER_CLAIMED)
    elif is_settled:
        if draft.state.run.is_cancel_requested or action.tries > limits.ACTION_RETRIES:
            close_wave(draft, wave, action, because=NEVER_CLAIMED)
        else:
            draft.retry_job(action)


def _is_silent(draft: Draft, wave: Wave, action: Action) -> bool:
    """Tell whether the winner has written no progress for so long that it must be dead, stopped or stuck.

    Judged by the store's clock alone, from the newest sealed segment or, before the first, from the end of its reservation.
    After a cancel, which a living worker acts on within a heartbeat, less patience is needed.
    """
    pace = draft.situation.pace
    since_ms = utc_ms(wave.sealed_at) if wave.sealed_at else action.perform_by_ms
    patience_s = pace.silence_s
    if draft.state.run.is_cancel_requested:
        patience_s = min(patience_s, 2 * pace.cancel_grace_s + pace.heartbeat_s)
    return draft.situation.now_ms - since_ms > patience_s * 1000


def _end_surplus(draft: Draft, action: Action, alive: list[SeenJob]) -> None:
    """End jobs that did not win the claim."""
    draft.cancels.extend(Cancel(job.job_id, is_killed=True) for job in alive if job.job_id != action.job)


def close_wave(draft: Draft, wave: Wave, action: Action, *, because: str = "", said: str = "", result: str = "") -> None:
    """End a wave and its action; `because` is our reason, `said` what its worker said, `result` what became of the action."""
    about = Subject("wave", wave.wave_id)
    started, ended = _attempts_of(draft, wave)
    if started:
        lost = events.PresumedLost(wave_id=wave.wave_id, attempts=tuple(started))
        draft.say("presumed_lost", lost, about, wave.wave_id)
    reason = because or said or _reason(len(started), ended)
    category = said.partition(":")[0]
    if category in {Category.CONFIGURATION, Category.AUTHENTICATION}:
        draft.ask_attention(category, said)
    draft.say("draining", events.Draining(wave_id=wave.wave_id, because=reason), about, wave.wave_id)
    moved = events.WaveMoved(wave_id=wave.wave_id)
    for kind in ("cleaning", "cleanup_verified", "closed"):
        draft.say(kind, moved, about, wave.wave_id)
    draft.end_action(action, result or ("applied" if action.job else "absent"), reason)
    _watch_barren(draft)


def _reason(started: int, ended: int) -> str:
    """Return why a wave whose worker said nothing ended, from the attempts that were under way and that had ended."""
    if not ended:
        return BARREN if started else SILENT
    return LOST if started else DONE


def _attempts_of(draft: Draft, wave: Wave) -> tuple[list[tuple[int, int]], int]:
    """Return the attempts of `wave` that are under way, and how many have ended."""
    started, ended = [], 0
    for first, count, ordinal, allowed in wave.ranges:
        for index in range(first, first + count):
            attempts = draft.state.trials.trial(index).attempts
            for one in range(ordinal, min(ordinal + allowed, len(attempts) + 1)):
                if attempts[one - 1] is AttemptState.STARTED:
                    started.append((index, one))
                elif attempts[one - 1] not in {AttemptState.RESERVED, AttemptState.RELEASED}:
                    ended += 1
    return started, ended


def _watch_barren(draft: Draft) -> None:
    """Ask for a person when several waves in a row ended without one ended attempt: more of them would not help."""
    waves = sorted(draft.state.run.waves.values(), key=lambda wave: -wave.number)
    for causes, most in (({NEVER_CLAIMED, SILENT}, MAX_SILENT_WAVES), ({NEVER_CLAIMED, SILENT, BARREN}, MAX_BARREN_WAVES)):
        if sum(wave.because in causes for wave in waves[:most]) == most:
            draft.ask_attention("waves_lost", f"{most} waves in a row ended before any attempt did")


def _next_ranges(draft: Draft, shape: PlanShape) -> tuple[events.TrialRange, ...]:
    """Return the next trials of one deployment as ranges of equal tries, in plan order, at most a wave's worth."""
    chosen: list[tuple[int, int, int]] = []
    deployment = ""
    cells = _CellOfTrial(draft.state.run.shards)
    for index in draft.state.trials.unassigned(ASSIGNABLE):
        cell = shape.deployments[cells.of(index)]
        deployment = deployment or cell
        if cell != deployment:
            continue
        trial = draft.state.trials.trial(index)
        chosen.append((index, trial.next_ordinal, _tries_left(trial, draft.state.run.policy.max_attempts)))
        if len(chosen) >= shape.trials_per_wave:
            break
    return _compress(chosen)


def _tries_left(trial: Trial, max_attempts: int) -> int:
    spent = sum(count for category, count in trial.failures.items() if POLICY[category].costs_budget)
    return max(1, max_attempts - spent)


def _compress(chosen: list[tuple[int, int, int]]) -> tuple[events.TrialRange, ...]:
    ranges: list[events.TrialRange] = []
    for index, ordinal, allowed in chosen:
        if ranges:
            first, count, last_ordinal, last_allowed = ranges[-1]
            if first + count == index and (last_ordinal, last_allowed) == (ordinal, allowed):
                ranges[-1] = (first, count + 1, ordinal, allowed)
                continue
        ranges.append((index, 1, ordinal, allowed))
    return tuple(ranges)


def _action_of(draft: Draft, wave: Wave) -> Action | None:
    return next((action for action in draft.state.open_actions() if action.wave_id == wave.wave_id), None)


class _CellOfTrial:
    """Finds the cell of trials that are asked for in rising order, one shard after the other."""

    def __init__(self, shards: tuple[tuple[int, int, int], ...]) -> None:
        self._shards = shards
        self._at = 0

    def of(self, index: int) -> int:
        while index >= self._shards[self._at][1] + self._shards[self._at][2]:
            self._at += 1
        return self._shards[self._at][0]
