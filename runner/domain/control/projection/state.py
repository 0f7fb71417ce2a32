"""The state of a run as its journal tells it: what the fold writes and everybody else only reads.

Small things (the run, its waves, its open actions, its money) stand in `Run`, which is also the savepoint's head; the trials
stand in arrays beside it. A state is owned by one fold at a time: `fold` changes it in place and returns it. Anomalies are
events that the tables of shared/states.py do not allow: they are noted, counted and otherwise without effect.
"""

from typing import Final

import msgspec

from runner.domain.control import events
from runner.domain.control.events import Policy, TrialRange
from runner.domain.control.projection.trials import Trial, Trials
from shared.outcomes import Label, Outcome, label_of
from shared.states import ActionState, RunState, TrialState, WaveState

MAX_ANOMALIES: Final = 100
MAX_REASONS: Final = 200
WITH_OUTCOME: Final = frozenset(
    {TrialState.SCORED, TrialState.AGENT_FAILED, TrialState.BENCHMARK_FAILED, TrialState.INFRASTRUCTURE_EXHAUSTED}
)
ASSIGNABLE: Final = frozenset({TrialState.PLANNED, TrialState.QUEUED, TrialState.RETRY_WAIT, TrialState.CANCELLED})


class Wave(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One wave of a run."""

    wave_id: str
    number: int
    state: WaveState
    ranges: tuple[TrialRange, ...]
    """Empty once closed."""
    assignment_sha256: str
    deployment: str
    route: str = ""
    job: str = ""
    because: str = ""
    """Why it drains."""
    cleanup_failures: int = 0
    is_cleanup_verified: bool = False
    segments: int = 0
    """Progress segments sealed, so the next one is this + 1."""
    sealed_at: str = ""
    """Recorder's time of the newest; evidence for status pages."""
    equal_failures: int = 0
    """Equal infrastructure failures in a row."""
    last_failure: str = ""


class Action(msgspec.Struct, kw_only=True, omit_defaults=True):
    """One decided side effect whose slot or ceiling is not free yet."""

    action_id: str
    verb: str
    target: str
    generation: int
    state: ActionState
    performer: str
    perform_by_ms: int
    reserved_on: str
    """UTC day of the reservation: its cost counts on that day."""
    tries: int = 1
    ceiling_usd_micros: int = 0
    is_settled: bool = False
    owner: str = ""
    wave_id: str = ""
    job: str = ""
    result: str = ""
    detail: str = ""
    lease_generation: int = 0


class Anomaly(msgspec.Struct, frozen=True):
    """An event that had no effect because the tables do not allow it."""

    seq: int
    kind: str
    message: str


class Reason(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Why an attempt failed, finer than its category: the words that a status shows."""

    code: str
    phase: str
    exception: str


class Asked(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A request that was taken into this journal."""

    request_id: str
    kind: str
    user_id: str
    body_sha256: str
    seq: int
    refused: str = ""
    """The code, once it ended without effect."""
    message: str = ""
    """Why it did."""


class Run(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Everything of a run but its trials."""

    seq: int = 0
    state: RunState | None = None
    label: str = ""
    requested_by: str = ""
    owner: str = ""
    submitted_ms: int = 0
    plan_digest: str = ""
    lock_sha256: str = ""
    trials: int = 0
    shards: tuple[tuple[int, int, int], ...] = ()
    cells: tuple[str, ...] = ()
    policy: Policy = Policy(max_attempts=0)
    ceiling_usd_micros: int = 0
    approval: str = ""
    """Digest of the body that waits for approval, then empty; `approved_by` says who let it in."""
    approval_expires_at: str = ""
    approved_by: str = ""
    is_single_approval: bool = False
    cancel_because: str = ""
    is_cancel_requested: bool = False
    is_cancel_now: bool = False
    is_hand_sealed: bool = False
    is_overrun: bool = False
    drains_since: str = ""
    needs_consent: bool = False
    shown_sha256: str = ""
    """Of the rows that the requester is shown before deciding."""
    shown_publication: str = ""
    consent_expires_at: str = ""
    consent: str = ""
    """publish or private, once it is decided."""
    consent_by: str = ""
    withdrawal: events.WithdrawRequested | None = None
    starts: tuple[int, ...] = ()
    """Store times of the job starts of the newest hour."""
    requests: dict[str, Asked] = {}
    waves: dict[str, Wave] = {}
    actions: dict[str, Action] = {}
    generations: dict[str, int] = {}
    """Newest generation by `verb target`."""
    settled: dict[str, int] = {}
    """Micro-USD by `owner day`."""
    reasons: tuple[Reason, ...] = ()
    """The first 200 different ones; trials name them by their place."""
    attention: dict[str, str] = {}
    late: tuple[tuple[int, int, str], ...] = ()
    """[trial, ordinal, bundle] that came after the trial had a result."""
    surplus: int = 0
    """Attempts that ended after their trial had a result."""
    rejected: int = 0
    skipped: int = 0
    """Events of unknown kinds that need not be understood."""
    anomalies: tuple[Anomaly, ...] = ()
    """The first 100."""
    anomaly_count: int = 0


class RunProjection:
    """The state of one run."""

    __slots__ = ("run", "trials")

    def __init__(self, run: Run | None = None, trials: Trials | None = None) -> None:
        """Nothing is known of the run yet."""
        self.run = run or Run()
        self.trials = trials or Trials(self.run.trials)

    def note(self, kind: str, message: str) -> None:
        """Remember that the event just read had no effect."""
        run = self.run
        run.anomaly_count += 1
        if len(run.anomalies) < MAX_ANOMALIES:
            run.anomalies = (*run.anomalies, Anomaly(run.seq, kind, message))

    def reason_of(self, trial: Trial) -> Reason | None:
        """Return why the trial's newest failure happened, as far as that is known."""
        return self.run.reasons[trial.reason - 1] if trial.reason else None

    def place_of(self, reason: Reason) -> int:
        """Return the number by which trials name `reason`; 0 if it says nothing, or once too many different ones were met."""
        reasons = self.run.reasons
        if not any((reason.code, reason.phase, reason.exception)):
            return 0
        if reason in reasons:
            return reasons.index(reason) + 1
        if len(reasons) >= MAX_REASONS:
            return 0
        self.run.reasons = (*reasons, reason)
        return len(reasons) + 1

    def label(self) -> Label:
        """Return the label that the trials give now."""
        counts = self.trials.counts()
        ended = sum(counts[state] for state in WITH_OUTCOME) + counts[TrialState.EXHAUSTED]
        scored = counts[TrialState.SCORED]
        return label_of(self.run.trials, scored, ended, is_cancel_requested=self.run.is_cancel_requested)

    def open_waves(self) -> list[Wave]:
        """Return the waves that are not closed, in the order of their numbers."""
        return [wave for wave in self.run.waves.values() if wave.state is not WaveState.CLOSED]

    def open_actions(self) -> list[Action]:
        """Return the actions that something may still happen for."""
        return [action for action in self.run.actions.values() if action.state is not ActionState.CLOSED]

    def open_ceilings_usd_micros(self) -> int:
        """Return the ceilings that are reserved and not settled."""
        return sum(action.ceiling_usd_micros for action in self.run.actions.values() if not action.is_settled)

    def settled_usd_micros(self) -> int:
        """Return what ended actions cost."""
        return sum(self.run.settled.values())


def due_outcome(category_outcome: Outcome | None) -> TrialState:
    """Return the end of an exhausted trial whose newest failure leads to `category_outcome`."""
    is_benchmark = category_outcome is Outcome.BENCHMARK_FAILED
    return TrialState.BENCHMARK_FAILED if is_benchmark else TrialState.INFRASTRUCTURE_EXHAUSTED
