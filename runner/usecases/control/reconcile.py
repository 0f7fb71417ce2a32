"""One pass: read the log and the inbox, look at the world, decide, commit once, perform, report.

What must always be true: nothing is done that a commit has not reserved; the pass keeps no memory, so any fresh process goes on
where the last one was killed; cleanup comes before new work; a run whose journal or decision breaks is set aside and stops no
other. Two passes at once are safe: one commit wins, and the performer of a reservation alone may act on it for a while.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from runner.domain.control.envelope import Event, Subject
from runner.domain.control.events import RequestRefused
from runner.domain.control.installation import INSTALLATION
from runner.domain.control.leases import PointerMove
from runner.domain.yields import declare, reach
from runner.evidence.redaction import Redactor
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.control_log import Head
from runner.usecases.control.decide_pass import POINTER, Asked, Decided, decide_pass
from runner.usecases.control.forget_jobs import forget_jobs
from runner.usecases.control.keep_status import keep_status
from runner.usecases.control.keep_views import keep_installation, keep_offers, keep_shown
from runner.usecases.control.pass_world import PassReport, PassWorld
from runner.usecases.control.perform_actions import Performed, Performing, perform_actions
from runner.usecases.control.record_refusals import record_refusals
from runner.usecases.control.write_status import Around, person_needed
from runner.usecases.journals.commits import commit_decision
from runner.usecases.requests.refuse_malformed import refuse_malformed
from runner.usecases.results.publicity import ResultsSeen
from shared.documents.status import RefusalLine
from shared.errors import Refused, SeawallError
from shared.inbox.ddl import MAX_WAITING

HEAD: Final = declare("pass.head", "the pass, before the log's head is read")
BEFORE_REMOVE: Final = declare("pass.before_remove", "the pass, requests are taken and still wait in the inbox")
AFTER_STATUS: Final = declare("pass.after_status", "the pass, everything is done, the status is written")
INBOX_LIMIT: Final = 4 * MAX_WAITING
"""More than may wait, cancels and holds included: a request that cannot be taken hides none behind it."""


class Preview(NamedTuple):
    """What a pass would decide, by run: the events, the targets of the jobs that it would start, the jobs that it would end."""

    events: dict[str, list[str]]
    starts: dict[str, list[str]]
    ends: dict[str, list[str]]
    report: PassReport


def reconcile(world: PassWorld, only: str | None = None) -> PassReport:
    """Carry out one pass over every open run (or `only` one) and every waiting request; return what it did."""
    decided, asked = Decided(), _ask(world, only)
    next_head_s = world.clock.monotonic_s()
    reach(HEAD)

    def decide(head: Head) -> Batch | None:
        nonlocal decided, next_head_s
        decided = decide_pass(world, head, asked)
        decided.since_s, next_head_s = next_head_s, world.clock.monotonic_s()
        return _batch(head, decided, asked.performer)

    while True:
        try:
            version = commit_decision(world.log, decide, clock=world.clock, chance=world.chance)
            break
        except Refused as error:
            _set_aside(asked, decided, error)
    report = _report(decided, world.redactor)
    report.commits = int(version is not None)
    report.behind_s = max(0, decided.head.now_ms - world.clock.now_ms()) // 1000 if decided.head else 0
    report.refused = refuse_malformed(
        decided.malformed, asked.listing, log=world.log, objects=world.objects, clock=world.clock, chance=world.chance
    )
    performed = perform_actions(decided.drafts, decided.plans, Performing(world.jobs, world.clock, world.pace, decided.since_s))
    report.submitted, report.cancelled = performed.submitted, performed.cancelled
    _take_refusals(world, decided, performed)
    # Before the requests go: a run that was closed in this pass is met again only through its request.
    _write_statuses(world, decided)
    _write_views(world, decided, is_whole=only is None)
    taken = [request_id for requests in decided.removable.values() for request_id in requests]
    _remove(world, [*taken, *decided.removable_holds, *(request_id for request_id, _ in decided.malformed)])
    report.faults = frozenset(decided.faults)
    report.forgotten = _forget_jobs(world, decided)
    reach(AFTER_STATUS)
    return report


def preview(world: PassWorld, only: str | None = None) -> Preview:
    """Return what a pass would decide now; nothing is committed, performed or written."""
    decided = decide_pass(world, world.log.head(), _ask(world, only, is_dry=True))
    return Preview(
        events={run_id: [event.kind for event in draft.events] for run_id, draft in decided.drafts.items()},
        starts={run_id: [each.target for each in draft.submits] for run_id, draft in decided.drafts.items()},
        ends={run_id: [each.job_id for each in draft.cancels] for run_id, draft in decided.drafts.items()},
        report=_report(decided, world.redactor),
    )


def _ask(world: PassWorld, only: str | None, *, is_dry: bool = False) -> Asked:
    return Asked(f"pass-{world.chance.uuid7().hex}", world.inbox.list(INBOX_LIMIT), only, is_dry)


def _set_aside(asked: Asked, decided: Decided, error: Refused) -> None:
    """Leave the run out whose event the log refused; raise `error` if it is about none of them."""
    for run_id, draft in decided.drafts.items():
        if any(event.event_id in error.message for event in draft.events):
            asked.set_aside[run_id] = str(error)
            return
    raise error


def _batch(head: Head, decided: Decided, performer: str) -> Batch | None:
    while True:
        try:
            return _whole_batch(head, decided, performer)
        except Refused as error:
            if error.code != "BATCH_TOO_LARGE":
                raise
            decided.leave_out_half(error)


def _whole_batch(head: Head, decided: Decided, performer: str) -> Batch | None:
    appends: dict[Subject, Sequence[Event]] = {draft.subject: draft.events for draft in decided.drafts.values() if draft.events}
    if decided.accounts or decided.holds:
        appends[INSTALLATION] = [*decided.holds, *decided.accounts.values()]
    closes = [
        draft.subject for draft in decided.drafts.values() if draft.is_closed and (draft.events or draft.subject in head.open)
    ]
    if not appends and not closes:
        return None
    opens = [
        draft.subject
        for draft in decided.drafts.values()
        if draft.events and not draft.is_closed and draft.subject not in head.open
    ]
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
        opens=opens,
    )


def _take_refusals(world: PassWorld, decided: Decided, performed: Performed) -> None:
    """Record what was refused; the run's status and report tell of it, and no read would."""
    situations = {run_id: decided.drafts[run_id].situation for run_id in performed.refused}
    for run_id, draft in record_refusals(performed.refused, situations, world).items():
        draft.is_closed = decided.drafts[run_id].is_closed
        decided.drafts[run_id] = draft


def _forget_jobs(world: PassWorld, decided: Decided) -> int:
    states = {run_id: draft.state for run_id, draft in decided.drafts.items()}
    return forget_jobs(decided.jobs, states, decided.opened, world.jobs, world.clock.now_ms())


def _remove(world: PassWorld, request_ids: Sequence[str]) -> None:
    if request_ids:
        reach(BEFORE_REMOVE)
        world.inbox.remove(request_ids)


def _write_statuses(world: PassWorld, decided: Decided) -> None:
    for run_id, draft in decided.drafts.items():
        try:
            results = decided.results.get(run_id, ResultsSeen())
            around = Around(results.publication_id, decided.held.get(run_id, ""), results.is_withdrawn)
            keep_status(world, run_id, draft.state, decided.plans.get(run_id), around)
        except SeawallError as error:
            decided.frozen[run_id] = str(error)  # The status is a view; the next pass writes it again.


def _write_views(world: PassWorld, decided: Decided, *, is_whole: bool) -> None:
    """Write the views that are no run's; one that could not be written now is written by the next pass."""
    if decided.head is not None:
        with suppress(SeawallError):
            keep_shown(world, {run_id: draft.state for run_id, draft in decided.drafts.items()})
            keep_offers(world, decided.head)
            unread = {run_id: decided.frozen.get(run_id, "") for run_id in decided.unread}
            keep_installation(world, decided.head, decided.installation, decided.accounts_after, unread, is_whole=is_whole)


def _report(decided: Decided, redactor: Redactor) -> PassReport:
    """Return what was decided, in a report that says nothing yet of what was performed."""
    said = [(run_id, event) for run_id, draft in decided.drafts.items() for event in draft.events]
    redact = redactor.redact_text
    refusals = [
        (run_id, RefusalLine(request=event.payload.request_id, code=event.payload.code, message=redact(event.payload.message)))
        for run_id, event in said
        if isinstance(event.payload, RequestRefused)
    ]
    refusals += [
        ("", RefusalLine(request=each[:64], code=error.code, message=redact(error.message))) for each, error in decided.malformed
    ]
    needed = {run_id: person_needed(draft.state, decided.held.get(run_id, "")) for run_id, draft in decided.drafts.items()}
    return PassReport(
        events=len(said),
        taken=sum(event.kind == "request_taken" for event in (*(event for _, event in said), *decided.holds)),
        frozen=decided.frozen,
        refusals=refusals,
        open=frozenset(run_id for run_id, draft in decided.drafts.items() if not draft.is_closed),
        looked_at=len(decided.drafts),
        persons={run_id: redact(what) for run_id, what in needed.items() if what},
    )
