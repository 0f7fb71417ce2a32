"""One pass: read the log and the inbox, look at the world, decide, commit once, perform, report.

What must always be true: nothing is done that a commit has not reserved; the pass keeps no memory, so any fresh process goes on
where the last one was killed; cleanup comes before new work; a run whose journal or decision breaks is set aside and stops no
other. Two passes at once are safe: one commit wins, and the performer of a reservation alone may act on it for a while.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from runner.domain import limits
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.endings import end_run
from runner.domain.control.decisions.seen import PlanShape, Situation
from runner.domain.control.decisions.waves import settle_waves, start_waves
from runner.domain.control.envelope import Event, Subject
from runner.domain.control.events import RequestRefused
from runner.domain.control.installation import INSTALLATION, fold_installation
from runner.domain.control.leases import PointerMove
from runner.domain.yields import declare, reach
from runner.ports.compute.jobs import JobView
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.control_log import Head
from runner.ports.state.inbox import Listing
from runner.usecases.control.commits import commit_decision
from runner.usecases.control.keep_status import keep_status
from runner.usecases.control.loading import RUN, load_plan, load_run
from runner.usecases.control.observe_run import Looking, observe_run
from runner.usecases.control.pass_world import PassReport, PassWorld
from runner.usecases.control.perform_actions import Performing, perform_actions
from runner.usecases.control.refuse_malformed import refuse_malformed
from runner.usecases.control.take_requests import Readable, read_waiting, take_request
from runner.usecases.control.write_status import person_needed
from shared.documents.plan import PlanHead
from shared.documents.status import RefusalLine
from shared.errors import BadInput, Refused, SeawallError, StoreFault
from shared.ids import RunId
from shared.states import RunState

HEAD: Final = declare("pass.head", "the pass, before the log's head is read")
LOAD: Final = declare("pass.load", "the pass, the head is read, no subject is loaded")
OBSERVE: Final = declare("pass.observe", "the pass, a run is loaded, the world is not looked at")
DECIDE: Final = declare("pass.decide", "the pass, the world is seen, nothing is decided")
BEFORE_REMOVE: Final = declare("pass.before_remove", "the pass, requests are taken and still wait in the inbox")
AFTER_STATUS: Final = declare("pass.after_status", "the pass, everything is done, the status is written")
POINTER: Final = "reconciler"
INBOX_LIMIT: Final = 100


@dataclass(frozen=True, slots=True)
class _Asked:
    """Who passes, over what, and which requests waited when it began."""

    performer: str
    listing: Listing
    only: str | None
    set_aside: dict[str, str] = field(default_factory=dict)
    """Runs whose decision the log refused in this pass, and why."""


class Preview(NamedTuple):
    """What a pass would decide, by run: the events, the targets of the jobs that it would start, the jobs that it would end."""

    events: dict[str, list[str]]
    starts: dict[str, list[str]]
    ends: dict[str, list[str]]
    report: PassReport


@dataclass
class _Decided:
    """What the last decision was, for performing after its commit."""

    since_s: float = 0.0
    """Monotonic time before the head was read: the performer's own deadline counts from here, never from after the commit."""
    drafts: dict[str, Draft] = field(default_factory=dict)
    plans: dict[str, PlanHead | None] = field(default_factory=dict)
    publications: dict[str, str] = field(default_factory=dict)
    removable: dict[str, list[str]] = field(default_factory=dict)
    """By run: its requests that are in its journal once the batch is."""
    malformed: list[tuple[str, BadInput]] = field(default_factory=list)
    frozen: dict[str, str] = field(default_factory=dict)
    faults: set[str] = field(default_factory=set)
    """Runs that a store's failure set aside."""

    def leave_out_half(self, error: Refused) -> None:
        """Leave what does not fit to the next pass; a single run that never fits is set aside."""
        speaking = [run_id for run_id, draft in self.drafts.items() if draft.events]
        for run_id in speaking[len(speaking) // 2 :]:
            del self.drafts[run_id], self.removable[run_id]
            if len(speaking) == 1:
                self.frozen[run_id] = str(error)


def reconcile(world: PassWorld, only: str | None = None) -> PassReport:
    """Carry out one pass over every open run (or `only` one) and every waiting request; return what it did."""
    decided, asked = _Decided(), _ask(world, only)
    next_head_s = world.clock.monotonic_s()
    reach(HEAD)

    def decide(head: Head) -> Batch | None:
        nonlocal decided, next_head_s
        reach(LOAD)
        decided = _decide_all(world, head, asked)
        decided.since_s, next_head_s = next_head_s, world.clock.monotonic_s()
        return _batch(head, decided, asked.performer)

    while True:
        try:
            version = commit_decision(world.log, decide, clock=world.clock, chance=world.chance)
            break
        except Refused as error:
            _set_aside(asked, decided, error)
    report = _report(decided)
    report.commits = int(version is not None)
    report.refused = refuse_malformed(
        decided.malformed, asked.listing, log=world.log, objects=world.objects, clock=world.clock, chance=world.chance
    )
    performed = perform_actions(decided.drafts, decided.plans, Performing(world.jobs, world.clock, world.pace, decided.since_s))
    report.submitted, report.cancelled = performed.submitted, performed.cancelled
    decided.frozen |= performed.refused
    # Before the requests go: a run that was closed in this pass is met again only through its request.
    _write_statuses(world, decided)
    taken = [request_id for requests in decided.removable.values() for request_id in requests]
    _remove(world, [*taken, *(request_id for request_id, _ in decided.malformed)])
    report.faults = frozenset(decided.faults)
    reach(AFTER_STATUS)
    return report


def preview(world: PassWorld, only: str | None = None) -> Preview:
    """Return what a pass would decide now; nothing is committed, performed or written."""
    decided = _decide_all(world, world.log.head(), _ask(world, only))
    return Preview(
        events={run_id: [event.kind for event in draft.events] for run_id, draft in decided.drafts.items()},
        starts={run_id: [each.target for each in draft.submits] for run_id, draft in decided.drafts.items()},
        ends={run_id: [each.job_id for each in draft.cancels] for run_id, draft in decided.drafts.items()},
        report=_report(decided),
    )


def _ask(world: PassWorld, only: str | None) -> _Asked:
    return _Asked(f"pass-{world.chance.uuid7().hex}", world.inbox.list(INBOX_LIMIT), only)


def _set_aside(asked: _Asked, decided: _Decided, error: Refused) -> None:
    """Leave the run out whose event the log refused; raise `error` if it is about none of them."""
    for run_id, draft in decided.drafts.items():
        if any(event.event_id in error.message for event in draft.events):
            asked.set_aside[run_id] = str(error)
            return
    raise error


def _decide_all(world: PassWorld, head: Head, asked: _Asked) -> _Decided:
    decided = _Decided(frozen=dict(asked.set_aside))
    requests = _readable(asked.listing, decided)
    # Listed after the head was read: a job that the head says has claimed its action is always among them.
    jobs = world.jobs.list()
    runs = dict.fromkeys([subject.id for subject in head.open if subject.type == RUN])
    runs.update(dict.fromkeys(readable.request.subject.id for readable in requests))
    is_held = fold_installation(world.log.read(INSTALLATION, 0, head.version)).is_held
    billable = limits.MAX_NEW_BILLABLE
    for run_id in runs:
        if (asked.only is not None and run_id != asked.only) or run_id in asked.set_aside:
            continue
        mine = [each for each in requests if each.request.subject.id == run_id]
        situation = _situation(world, head, run_id, asked.performer, is_held=is_held or billable <= 0)
        try:
            draft = _decide_run(_Run(world, head, situation, mine, jobs), decided)
        except Exception as error:  # noqa: BLE001 - whatever breaks one run must not stop the others; it is reported and re-tried
            decided.frozen[run_id] = f"{type(error).__name__}: {error}"
            decided.faults |= {run_id} if isinstance(error, StoreFault) else set()
            continue
        decided.drafts[run_id] = draft
        decided.removable[run_id] = [each.request.request_id for each in mine]
        billable -= len(draft.submits)
    return decided


def _readable(listing: Listing, decided: _Decided) -> list[Readable]:
    found = []
    for waiting in listing.requests:
        try:
            found.append(read_waiting(waiting))
        except BadInput as error:
            decided.malformed.append((waiting.request_id, error))
    return found


def _situation(world: PassWorld, head: Head, run_id: str, performer: str, *, is_held: bool) -> Situation:
    pointer = head.pointers.get(POINTER)
    return Situation(
        run_id=RunId(run_id),
        now_ms=head.now_ms,
        pace=world.pace,
        performer=performer,
        generation=(pointer.generation if pointer else 0) + 1,
        is_held=is_held,
        hold_hours=world.hold_hours,
        waves_per_run=world.waves_per_run,
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """One run as a pass meets it."""

    world: PassWorld
    head: Head
    situation: Situation
    requests: Sequence[Readable]
    jobs: Sequence[JobView]


def _decide_run(run: _Run, decided: _Decided) -> Draft:
    world, head, situation, run_id = run.world, run.head, run.situation, run.situation.run_id
    draft = Draft(load_run(world.log, run_id, head.version), situation)
    for readable in run.requests:
        lock = take_request(draft, readable.request, world.objects)
        if lock is not None:
            draft.documents.append(lock)
    if not draft.state.run.plan_digest:
        draft.is_closed = draft.state.run.state is not RunState.WAITING_APPROVAL
        decided.plans[run_id] = None
        return draft
    plan = load_plan(world.objects, draft.state.run.plan_digest)
    decided.plans[run_id] = plan
    reach(OBSERVE)
    decided.publications[run_id] = world.find_publication(run_id, plan) if draft.state.run.label else ""
    looking = Looking(run_id, draft.state, plan, run.jobs, world.evidence, situation.now_ms)
    found = observe_run(looking, decided.publications[run_id])
    reach(DECIDE)
    settle_waves(draft, found)
    start_waves(draft, _shape(plan))
    end_run(draft, found)
    return draft


def _shape(plan: PlanHead) -> PlanShape:
    return PlanShape(
        deployments=tuple(cell.deployment_digest for cell in plan.cells),
        trials_per_wave=plan.policy.trials_per_shard * plan.policy.shards_per_wave,
        wave_ceiling_usd_micros=plan.arithmetic.wave_ceiling_usd_micros,
    )


def _batch(head: Head, decided: _Decided, performer: str) -> Batch | None:
    while True:
        try:
            return _whole_batch(head, decided, performer)
        except Refused as error:
            if error.code != "BATCH_TOO_LARGE":
                raise
            decided.leave_out_half(error)


def _whole_batch(head: Head, decided: _Decided, performer: str) -> Batch | None:
    appends: Mapping[Subject, Sequence[Event]] = {
        draft.subject: draft.events for draft in decided.drafts.values() if draft.events
    }
    closes = [
        draft.subject for draft in decided.drafts.values() if draft.is_closed and (draft.events or draft.subject in head.open)
    ]
    if not appends and not closes:
        return None
    has_effects = any(draft.submits for draft in decided.drafts.values())
    pointer = head.pointers.get(POINTER)
    move = PointerMove(POINTER, pointer.generation if pointer else 0, performer, "a pass reserved actions")
    return make_batch(
        appends,
        parent=head.version,
        nonce=performer,
        moves=[move] if has_effects else [],
        documents=[document for draft in decided.drafts.values() for document in draft.documents],
        closes=closes,
    )


def _remove(world: PassWorld, request_ids: Sequence[str]) -> None:
    if request_ids:
        reach(BEFORE_REMOVE)
        world.inbox.remove(request_ids)


def _write_statuses(world: PassWorld, decided: _Decided) -> None:
    for run_id, draft in decided.drafts.items():
        try:
            keep_status(world, run_id, draft.state, decided.plans.get(run_id), decided.publications.get(run_id, ""))
        except SeawallError as error:
            decided.frozen[run_id] = str(error)  # The status is a view; the next pass writes it again.


def _report(decided: _Decided) -> PassReport:
    """Return what was decided, in a report that says nothing yet of what was performed."""
    said = [(run_id, event) for run_id, draft in decided.drafts.items() for event in draft.events]
    refusals = [
        (run_id, RefusalLine(request=event.payload.request_id, code=event.payload.code, message=event.payload.message))
        for run_id, event in said
        if isinstance(event.payload, RequestRefused)
    ]
    refusals += [
        ("", RefusalLine(request=each[:64], code=error.code, message=error.message)) for each, error in decided.malformed
    ]
    needed = {run_id: person_needed(draft.state) for run_id, draft in decided.drafts.items()}
    return PassReport(
        events=len(said),
        taken=sum(event.kind == "request_taken" for _, event in said),
        frozen=decided.frozen,
        refusals=refusals,
        open=frozenset(run_id for run_id, draft in decided.drafts.items() if not draft.is_closed),
        looked_at=len(decided.drafts),
        persons={run_id: what for run_id, what in needed.items() if what},
    )
