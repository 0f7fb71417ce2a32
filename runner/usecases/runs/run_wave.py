"""Run one wave: claim it, keep a sliding window of attempts under way, seal each, report facts, seal the wave.

What must always be true: an attempt's slot is free again only after its bundle is sealed; one attempt's trouble stays its own;
a retry is a new attempt and the wave makes no more of them than it was given; every heartbeat re-reads the log, and a cancel or a
lost claim ends admission. Whatever kills this process, the log and the evidence say what is left to do.
"""

import heapq
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from runner.domain import limits
from runner.domain.control.envelope import utc_text
from runner.domain.retries import POLICY, Cause, decide_retry, retry_delay_ms
from runner.ports.compute.harness import HarnessReport, ReportKind
from runner.usecases.attempts.ended_fact import ended_fact
from runner.usecases.journals.loading import FollowedRun
from runner.usecases.runs.wave_attempts import (
    SealedAttempt,
    begin_attempt,
    finish_attempt,
    lost_fact,
    started_fact,
)
from runner.usecases.runs.wave_orders import Attempt, make_attempt, order_attempt
from runner.usecases.runs.wave_progress import Progress
from runner.usecases.runs.wave_seal import open_wave, seal_wave
from runner.usecases.runs.wave_world import Assigned, WaveClaim, WaveWorld
from shared.errors import BadInput, Conflict, DeadlinePassed, SeawallError, StoreFault
from shared.outcomes import AttemptEnd, Category
from shared.planning.sharding import trial_at
from shared.states import ActionState

POLL_S: Final = 0.2
BUSY_POLL_S: Final = 0.03
SEALERS: Final = 4

type Stop = Callable[[], bool]


def run_wave(claim: WaveClaim, world: WaveWorld, is_stopped: Stop) -> str:
    """Carry out the claimed wave and return why it ended; `is_stopped` tells whether the process was asked to end."""
    open_wave(claim, world)
    tasks = world.work / "tasks"
    with ThreadPoolExecutor(SEALERS, thread_name_prefix="seal") as sealers:
        window = _Window(claim, world, tasks, sealers)
        try:
            window.because = _obstacle(claim, world, sealers)
            if not window.because and not tasks.is_dir():
                world.sources.restore(claim.head.benchmark.source_lock, tasks)
            window.run(is_stopped)
        finally:
            world.harness.stop()
    seal_wave(claim, world, window.progress, because=window.because, counts=window.counts)
    return window.because or "done"


def _obstacle(claim: WaveClaim, world: WaveWorld, threads: ThreadPoolExecutor) -> str:
    """Return why no attempt of this wave could begin here, as a reason that asks for a person; empty if nothing does."""
    try:
        probed = threads.submit(world.probe_sandbox, claim.head.sandbox.kind)
        hello, planned = world.harness.hello(), claim.head.harbor
        probed.result()
        if (hello.harbor, hello.lock_sha256) != (planned.version, planned.lock_sha256):
            return f"configuration: HARNESS_MISMATCH: the installed Harbor is {hello.harbor}, the plan has {planned.version}"
    except SeawallError as error:
        return f"configuration: {error.code}: {error.message}"
    return ""


def _width(claim: WaveClaim) -> int:
    """Return how many attempts may be under way at once: what the plan allows the cells of this wave."""
    indices = {trial_at(claim.head, each.trial).cell_index for each in claim.assigned}
    return min(claim.head.cells[index].concurrency for index in indices)


@dataclass(order=True)
class _Due:
    """A try that waits for a slot, earliest first."""

    at_s: float
    place: int
    trial: Assigned = field(compare=False)
    ordinal: int = field(compare=False)
    retry_reason: str | None = field(compare=False, default=None)


@dataclass
class _Live:
    """A try under way."""

    due: _Due
    attempt: Attempt
    reports: list[tuple[str, HarnessReport]] = field(default_factory=list)


class _Window:
    """The sliding window of attempts of one wave."""

    def __init__(self, claim: WaveClaim, world: WaveWorld, tasks: Path, sealers: ThreadPoolExecutor) -> None:
        self.progress = Progress(claim, world)
        self.because = ""
        self.counts: Counter[str] = Counter()
        self._claim = claim
        self._world = world
        self._run = FollowedRun(world.log, claim.run_id)
        self._tasks = tasks
        self._sealers = sealers
        self._due = [_Due(0.0, place, trial, trial.first_ordinal) for place, trial in enumerate(claim.assigned)]
        self._live: dict[str, _Live] = {}
        self._sealing: dict[Future[SealedAttempt], _Live] = {}
        self._failures = {trial.trial: Counter(trial.failures) for trial in claim.assigned}
        self._width = _width(claim)
        self._equal: tuple[Category | None, int] = (None, 0)
        self._cancelled_s: float | None = None
        policy = claim.head.policy
        self._bound_s = world.clock.monotonic_s() + policy.wave_max_seconds - policy.wave_reserve_seconds
        self._is_blind = False

    def run(self, is_stopped: Stop) -> None:
        """Work until nothing is due and nothing is under way."""
        while True:
            if is_stopped():
                self._cancel("stopped")
            self._collect_sealed()
            self._admit()
            if self.progress.is_due():
                self._beat()
            if not self._live and not self._sealing and (not self._due or self.because):
                break
            self._take(self._world.harness.wait(self._patience()))
        self._flush_for_certain()

    def _admit(self) -> None:
        now = self._world.clock.monotonic_s()
        if self._due and not self.because and now >= self._bound_s:
            self.because = "its time is over"
        while self._due and not self.because and not self._is_blind and self._busy() < self._width and self._due[0].at_s <= now:
            self._begin(heapq.heappop(self._due))

    def _busy(self) -> int:
        """Return how many slots are taken: a slot is free again only when its attempt's bundle is sealed."""
        return len(self._live) + len(self._sealing)

    def _begin(self, due: _Due) -> None:
        attempt = make_attempt(due.trial.trial, due.ordinal, due.retry_reason, self._claim, self._world)
        try:
            order = order_attempt(attempt, self._claim, self._world, self._tasks)
            is_ours = begin_attempt(attempt, self._world)
        except BadInput as error:
            self.because = f"configuration: {error.code}: {error.message}"
            return
        except StoreFault:
            heapq.heappush(self._due, replace(due, at_s=self._world.clock.monotonic_s() + self._world.pace.heartbeat_s))
            return
        if not is_ours:
            self.progress.add([started_fact(attempt, self._world), lost_fact(attempt, self._world)])
            self._follow(due, Category.LOST, "lost", attempt.attempt_id)
            return
        self.progress.add([started_fact(attempt, self._world)])
        self.counts["started"] += 1
        self._live[attempt.attempt_id] = _Live(due, attempt)
        self._world.harness.start(order)

    def _take(self, reports: Sequence[HarnessReport]) -> None:
        for report in reports:
            live = self._live.get(report.attempt_id)
            if live is None:
                continue
            live.reports.append((utc_text(self._world.clock.now_ms()), report))
            if report.kind is not ReportKind.PHASE:
                del self._live[report.attempt_id]
                future = self._sealers.submit(finish_attempt, live.attempt, live.reports, self._claim, self._world)
                self._sealing[future] = live

    def _collect_sealed(self) -> None:
        for future in [future for future in self._sealing if future.done()]:
            live = self._sealing.pop(future)
            try:
                sealed = future.result()
            except (SeawallError, OSError) as error:
                self._lose(live, error)
                continue
            fact = ended_fact(sealed.stored, live.attempt.planned.index, utc_text(self._world.clock.now_ms()))
            self.progress.add([fact])
            meaning = sealed.stored.reading.classification
            self.counts[meaning.attempt.value] += 1
            if meaning.category is None:
                self._equal = (None, 0)
            else:
                self._follow(live.due, meaning.category, meaning.reason_code, live.attempt.attempt_id, fact.detail)

    def _lose(self, live: _Live, error: Exception) -> None:
        """An attempt whose evidence could not be stored is lost; its trouble stays its own."""
        sys.stderr.write(f"attempt {live.attempt.attempt_id} is lost, {type(error).__name__} while it was sealed: {error}\n")
        self.progress.add([lost_fact(live.attempt, self._world)])
        self.counts[AttemptEnd.LOST.value] += 1
        self._follow(live.due, Category.LOST, "lost", live.attempt.attempt_id)

    def _follow(self, due: _Due, category: Category, reason: str, attempt_id: str, detail: str = "") -> None:
        """Decide what a failed try leads to: a retry within the wave's allowance, or a wave that drains."""
        failures = self._failures[due.trial.trial]
        failures[category] += 1
        decision = decide_retry(category, reason, failures, self._claim.max_attempts)
        self._count_equal(category)
        if decision.drains_wave and not self.because:
            self.because = f"{category.value}: {detail or reason}"
        if decision.is_retried and due.ordinal + 1 < due.trial.first_ordinal + due.trial.attempts_allowed:
            delay_s = 0.0 if category is Category.LOST else retry_delay_ms(category, attempt_id, failures.total()) / 1000
            at_s = self._world.clock.monotonic_s() + delay_s
            heapq.heappush(self._due, _Due(at_s, due.place, due.trial, due.ordinal + 1, category.value))

    def _count_equal(self, category: Category) -> None:
        if POLICY[category].cause is not Cause.INFRASTRUCTURE:
            self._equal = (None, 0)
            return
        before, count = self._equal
        self._equal = (category, count + 1 if before is category else 1)
        if self._equal[1] >= limits.EQUAL_FAILURES_STOP and not self.because:
            self.because = f"{limits.EQUAL_FAILURES_STOP} failures in a row were {category.value}"

    def _beat(self) -> None:
        """Write the heartbeat and learn what became of the run meanwhile."""
        is_written = self.progress.flush(len(self._live))
        if not is_written and self.progress.silent_s() > self._world.pace.silence_s:
            raise DeadlinePassed("EVIDENCE_SILENT", "no progress could be written", way_out="Nothing: a new wave follows.")
        try:
            state = self._run.at(self._world.log.head().version)
        except StoreFault:
            self._is_blind = True  # Nothing new begins; what is under way goes on, and the next beat looks again.
            return
        self._is_blind = False
        action = state.run.actions.get(self._claim.action_id)
        if action is None or action.state is not ActionState.CLAIMED or action.job != self._world.job_id:
            raise Conflict("CLAIM_LOST", "another decision ended this claim", way_out="Nothing: a new wave follows.")
        if state.run.is_cancel_requested:
            self._cancel("cancelled", is_now=state.run.is_cancel_now)

    def _cancel(self, because: str, *, is_now: bool = False) -> None:
        """End admission at once and, after the grace, the attempts under way."""
        now = self._world.clock.monotonic_s()
        self.because = self.because or because
        if self._cancelled_s is None:
            self._cancelled_s = now
        if is_now or because == "stopped" or now - self._cancelled_s >= self._world.pace.cancel_grace_s:
            for attempt_id in self._live:
                self._world.harness.cancel(attempt_id)

    def _patience(self) -> float:
        """Return how long to wait for reports: a seal or a due try is looked for soon, everything else wakes us."""
        if self._sealing:
            return BUSY_POLL_S
        is_waiting_for_time = self._due and not self.because and self._busy() < self._width
        until_due_s = self._due[0].at_s - self._world.clock.monotonic_s() if is_waiting_for_time else POLL_S
        return min(POLL_S, max(BUSY_POLL_S, until_due_s))

    def _flush_for_certain(self) -> None:
        while not self.progress.flush(0):
            if self.progress.silent_s() > self._world.pace.silence_s:
                raise DeadlinePassed("EVIDENCE_SILENT", "no progress could be written", way_out="Nothing: a new wave follows.")
            self._world.clock.sleep(POLL_S)
