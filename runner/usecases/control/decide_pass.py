"""What a pass decides at one version of the log: pure in what it was given, deciding again gives the same bytes.

Four steps, each over all runs: load them and what they use; take requests and settle what was under way; admit new waves under
the caps of all together; end what can end. A run that breaks in any of them is set aside and the others go on.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from runner.domain.control import events
from runner.domain.control.account import Account
from runner.domain.control.accounts import Accounts, account_of, still_counting
from runner.domain.control.decisions.draft import PRODUCER, Draft
from runner.domain.control.decisions.endings import end_run
from runner.domain.control.decisions.seen import PlanShape, SeenRun, Situation
from runner.domain.control.decisions.waves import settle_waves
from runner.domain.control.envelope import Event, derived_event_id
from runner.domain.control.installation import INSTALLATION, Installation
from runner.domain.control.kinds import record
from runner.domain.control.projection.savepoints import SavepointLost
from runner.domain.control.projection.state import Run, RunProjection
from runner.domain.yields import declare, reach
from runner.ports.compute.jobs import JobView
from runner.ports.state.control_log import Head
from runner.ports.state.inbox import Listing
from runner.usecases.control.admit_waves import Room, admit_waves
from runner.usecases.control.observe_run import Looking, observe_run
from runner.usecases.control.pass_world import PassWorld
from runner.usecases.control.presume_run import UNREADABLE, presume_run
from runner.usecases.journals.loading import RUN, load_plan, run_subject
from runner.usecases.journals.warm_loading import load_installation, load_warm
from runner.usecases.requests.take_hold import take_hold
from runner.usecases.requests.take_requests import Readable, read_waiting, take_request
from runner.usecases.requests.take_submit import expire_waiting
from runner.usecases.requests.taking import Taking
from runner.usecases.results.publicity import ResultsSeen
from shared.documents.plan import PlanHead
from shared.errors import BadInput, Refused, StoreFault
from shared.ids import RunId
from shared.inbox.codec import URGENT_KINDS
from shared.states import RunState

LOAD = declare("pass.load", "the pass, the head is read, no subject is loaded")
OBSERVE = declare("pass.observe", "the pass, a run is loaded, the world is not looked at")
DECIDE = declare("pass.decide", "the pass, the world is seen, nothing is decided")
POINTER = "reconciler"
HOLD = "hold"
ON_HOLD = "HOLD"
"""What holds a run back while new work is held back in the whole installation."""
NOTHING_SEEN = ResultsSeen()


@dataclass(frozen=True, slots=True)
class Asked:
    """Who passes, over what, and which requests waited when it began."""

    performer: str
    listing: Listing
    only: str | None
    is_dry: bool = False
    """Nothing is stored."""
    set_aside: dict[str, str] = field(default_factory=dict)
    """Runs whose decision the log refused in this pass, and why."""
    cold: set[str] = field(default_factory=set)
    """Runs whose savepoint turned out to be unusable."""


@dataclass
class Decided:
    """What the last decision was, for performing after its commit."""

    since_s: float = 0.0
    """Monotonic time before the head was read: the performer's own deadline counts from here, never from after the commit."""
    drafts: dict[str, Draft] = field(default_factory=dict)
    plans: dict[str, PlanHead | None] = field(default_factory=dict)
    results: dict[str, ResultsSeen] = field(default_factory=dict)
    accounts: dict[str, Event] = field(default_factory=dict)
    """By run whose journal closes: what it used, for the installation's journal."""
    holds: list[Event] = field(default_factory=list)
    """What taken holds say in the installation's journal."""
    removable_holds: list[str] = field(default_factory=list)
    removable: dict[str, list[str]] = field(default_factory=dict)
    """By run: its requests that are in its journal once the batch is."""
    held: dict[str, str] = field(default_factory=dict)
    """By run: the limit that holds its next wave back."""
    malformed: list[tuple[str, BadInput]] = field(default_factory=list)
    frozen: dict[str, str] = field(default_factory=dict)
    faults: set[str] = field(default_factory=set)
    """Runs that a store's failure set aside."""
    jobs: Sequence[JobView] = ()
    head: Head | None = None
    installation: Installation = field(default_factory=Installation)
    unread: frozenset[str] = frozenset()
    """Open runs that could not be loaded: they count as presumed, and a person has to look at each."""
    accounts_after: Accounts = field(default_factory=lambda: Accounts(()))
    """What is used once the batch stands."""
    opened: frozenset[str] = frozenset()
    """Every run that was open in the head."""

    def leave_out_half(self, error: Refused) -> None:
        """Leave what does not fit to the next pass; a single run that never fits is set aside."""
        speaking = [run_id for run_id, draft in self.drafts.items() if draft.events]
        for run_id in speaking[len(speaking) // 2 :]:
            del self.drafts[run_id], self.removable[run_id]
            self.accounts.pop(run_id, None)
            if len(speaking) == 1:
                self.frozen[run_id] = str(error)


def decide_pass(world: PassWorld, head: Head, asked: Asked) -> Decided:
    """Return what is to be done at `head`; nothing is written but savepoints, which are no truth."""
    reach(LOAD)
    while True:
        try:
            return _Pass(world, head, asked).decide()
        except SavepointLost:
            continue  # Whose it was is noted; that run is folded from its beginning now.


@dataclass
class _Met:
    """One run as a pass meets it."""

    draft: Draft
    requests: list[str]
    plan: PlanHead | None = None
    seen: SeenRun | None = None
    results: ResultsSeen = NOTHING_SEEN


class _Pass:
    """One decision over all runs."""

    def __init__(self, world: PassWorld, head: Head, asked: Asked) -> None:
        self._world = world
        self._head = head
        self._asked = asked
        self._decided = Decided(frozen=dict(asked.set_aside))
        self._loaded: dict[str, RunProjection] = {}
        self._presumed: dict[str, Run] = {}
        self._is_uncounted = False
        self._met: dict[str, _Met] = {}
        # Listed after the head was read: a job that the head says has claimed its action is always among them.
        self._decided.jobs = world.jobs.list()
        self._decided.opened = frozenset(subject.id for subject in head.open if subject.type == RUN)
        self._installation = load_installation(world.log, world.savepoints, head.version, may_save=not asked.is_dry)
        self._accounts = Accounts(still_counting(self._installation.accounts.values(), head.now_ms))
        self._taking = Taking(
            log=world.log,
            version=head.version,
            pointers=head.pointers,
            objects=world.objects,
            limits=world.rules.limits,
            access=world.rules.access,
            accounts=self._accounts,
            redactor=world.redactor,
            build=world.build,
            is_dry=asked.is_dry,
        )

    def decide(self) -> Decided:
        """Carry out the four steps."""
        requests = self._take_holds(_readable(self._asked.listing, self._decided))
        for run_id in _order(self._head, requests):
            self._guard(run_id, self._load)
        self._presume()
        for run_id in list(self._loaded):
            if self._asked.only in {None, run_id} and run_id not in self._asked.set_aside:
                mine = [each for each in requests if each.request.subject.id == run_id]
                self._guard(run_id, partial(self._meet, requests=mine))
        self._admit()
        for run_id in list(self._met):
            self._guard(run_id, self._end)
        decided = self._decided
        decided.head, decided.installation, decided.accounts_after = self._head, self._installation, self._accounts
        return decided

    def _take_holds(self, requests: Sequence[Readable]) -> list[Readable]:
        """Take what is asked of the installation as a whole; return the requests that runs are asked."""
        decided, access = self._decided, self._world.rules.access
        for request in (each.request for each in requests if each.request.kind == HOLD):
            decided.holds += take_hold(request, self._installation, access, self._head.now_ms)
            decided.removable_holds.append(request.request_id)
        return [each for each in requests if each.request.kind != HOLD]

    def _guard(self, run_id: str, step: Callable[[str], None]) -> None:
        """Carry out one step for one run; what breaks sets it aside."""
        try:
            step(run_id)
        except Exception as error:  # noqa: BLE001 - whatever breaks one run must not stop the others; it is reported and re-tried
            self._set_aside(run_id, error)

    def _set_aside(self, run_id: str, error: Exception) -> None:
        if isinstance(error, SavepointLost) and run_id not in self._asked.cold:
            self._asked.cold.add(run_id)
            raise error
        self._decided.frozen[run_id] = f"{type(error).__name__}: {error}"
        self._decided.faults |= {run_id} if isinstance(error, StoreFault) else set()
        self._met.pop(run_id, None)

    def _load(self, run_id: str) -> None:
        world = self._world
        is_cold, may_save = run_id in self._asked.cold, not self._asked.is_dry
        state = load_warm(world.log, world.savepoints, run_id, self._head.version, is_cold=is_cold, may_save=may_save)
        self._loaded[run_id] = state
        self._account(run_id, state.run)

    def _presume(self) -> None:
        """Count the open runs that could not be loaded as far as something of them can be read; else hold new work back."""
        self._decided.unread = frozenset(self._decided.opened - self._loaded.keys())
        for run_id in self._decided.unread:
            run = presume_run(self._world, run_id, self._head)
            if run is None:
                self._is_uncounted = True
            else:
                self._presumed[run_id] = run
                self._account(run_id, run)

    def _account(self, run_id: str, run: Run) -> None:
        account = account_of(run_id, run, self._head.now_ms)
        if account is not None:
            self._accounts.put(account)

    def _meet(self, run_id: str, requests: Sequence[Readable]) -> None:
        """Take the requests of the run and settle what was under way."""
        world, state = self._world, self._loaded[run_id]
        draft = Draft(state, self._situation(run_id))
        met = _Met(draft, [each.request.request_id for each in requests])
        if state.run.label:
            met.results = world.find_results(RunId(run_id), self._plan(state))
        for readable in requests:
            take_request(draft, readable.request, self._taking, met.results.publication_id)
            self._account(run_id, state.run)
        expire_waiting(draft)
        if state.run.plan_digest:
            met.plan = self._plan(state)
            reach(OBSERVE)
            jobs, is_dry = self._decided.jobs, self._asked.is_dry
            looking = Looking(RunId(run_id), state, met.plan, jobs, world.evidence, self._head.now_ms, is_dry=is_dry)
            met.seen = observe_run(looking, met.results)
            reach(DECIDE)
            settle_waves(draft, met.seen)
        self._met[run_id] = met

    def _plan(self, state: RunProjection) -> PlanHead:
        digest = state.run.plan_digest
        return self._taking.plans.get(digest) or load_plan(self._world.objects, digest)

    def _admit(self) -> None:
        """Start waves, in the order and under the caps of all runs together."""
        wanting = {run_id: (met.draft, shape_of(met.plan)) for run_id, met in self._met.items() if met.plan is not None}
        runs = {**self._presumed, **{run_id: state.run for run_id, state in self._loaded.items()}}
        found = admit_waves(wanting, Room(self._world.rules.limits, self._accounts, runs, self._head.now_ms))
        for run_id, error in found.broken.items():
            self._set_aside(run_id, error)
        self._decided.held = {**found.held, **self._on_hold()}

    def _on_hold(self) -> dict[str, str]:
        """Return the runs that would go on if new work were not held back."""
        held_by = ON_HOLD if self._installation.is_held else UNREADABLE if self._is_uncounted else ""
        if not held_by:
            return {}
        runs = ((run_id, met.draft.state) for run_id, met in self._met.items())
        return {
            run_id: held_by
            for run_id, state in runs
            if state.run.state in {RunState.QUEUED, RunState.ACTIVE} and not state.open_waves()
        }

    def _end(self, run_id: str) -> None:
        """Take the run towards its end, and put its account away if its journal closes."""
        met, decided = self._met[run_id], self._decided
        if met.plan is None or met.seen is None:
            met.draft.is_closed = met.draft.state.run.state is not RunState.WAITING_APPROVAL
        else:
            end_run(met.draft, met.seen)
        decided.drafts[run_id], decided.plans[run_id] = met.draft, met.plan
        decided.results[run_id], decided.removable[run_id] = met.results, met.requests
        self._account(run_id, met.draft.state.run)
        account = account_of(run_id, met.draft.state.run, self._head.now_ms) if met.draft.is_closed else None
        if account is not None and self._installation.accounts.get(run_id) != account:
            decided.accounts[run_id] = self._settled(account, met.draft.state.run.seq)

    def _settled(self, account: Account, seq: int) -> Event:
        return record(
            "account_settled",
            events.AccountSettled(account=account),
            about=run_subject(account.run_id),
            event_id=derived_event_id("account_settled", INSTALLATION, account.run_id, seq),
            at_ms=self._head.now_ms,
            producer=PRODUCER,
        )

    def _situation(self, run_id: str) -> Situation:
        pointer = self._head.pointers.get(POINTER)
        return Situation(
            run_id=RunId(run_id),
            now_ms=self._head.now_ms,
            pace=self._world.pace,
            performer=self._asked.performer,
            generation=(pointer.generation if pointer else 0) + 1,
            is_held=self._installation.is_held or self._is_uncounted,
            hold_hours=self._world.hold_hours,
        )


def shape_of(plan: PlanHead) -> PlanShape:
    """Return what decisions need of `plan`."""
    servers = {each.id: each.specification.get("server") or "" for each in plan.deployments}
    return PlanShape(
        deployments=tuple(cell.deployment_digest for cell in plan.cells),
        trials_per_wave=plan.policy.trials_per_shard * plan.policy.shards_per_wave,
        wave_ceiling_usd_micros=plan.arithmetic.wave_ceiling_usd_micros,
        routes=tuple(str(servers[cell.deployment_id]) for cell in plan.cells),
    )


def _readable(listing: Listing, decided: Decided) -> list[Readable]:
    found = []
    for waiting in listing.requests:
        try:
            found.append(read_waiting(waiting))
        except BadInput as error:
            decided.malformed.append((waiting.request_id, error))
    return found


def _order(head: Head, requests: Sequence[Readable]) -> list[str]:
    """Return the runs to decide about: those that somebody wants to end first, then the open ones, then what is asked anew."""
    urgent = [each.request.subject.id for each in requests if each.request.kind in URGENT_KINDS]
    opened = [subject.id for subject in head.open if subject.type == RUN]
    return list(dict.fromkeys([*urgent, *opened, *(each.request.subject.id for each in requests)]))
