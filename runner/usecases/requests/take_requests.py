"""Taking requests: each waiting request becomes one `request_taken` in its subject's journal, and what it leads to follows.

The pass trusts nothing that a request says: who asks is judged by the installation's settings, what is asked for is planned and
checked again, quotas are judged on what the log says is in use. A request that cannot be read is refused in the installation's
journal. Taking again what was taken is no event; the request is only removed.
"""

from dataclasses import dataclass

from runner.domain.control import events
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.waves import BLOCKING
from runner.domain.control.envelope import Subject
from runner.domain.control.events import TakenRequest
from runner.domain.control.installation import INSTALLATION
from runner.ports.state.inbox import Waiting
from runner.usecases.requests.request_body import MAX_TOLD, RequestBody
from runner.usecases.requests.take_consents import take_consent, take_withdrawal
from runner.usecases.requests.take_submit import refuse_waiting, take_approval, take_submit, waiting_submit
from runner.usecases.requests.taking import Taking
from shared.errors import BadInput, Refused, SeawallError, StoreFault
from shared.ids import is_id
from shared.inbox.codec import Request, decode_request
from shared.inbox.rights import require_right
from shared.states import RUN_TERMINAL, RunState


@dataclass(frozen=True, slots=True)
class Readable:
    """A waiting request that could be read, addressed to a run or, a hold, to the installation."""

    waiting: Waiting
    request: Request


def read_waiting(waiting: Waiting) -> Readable:
    """Return the request that waits; raise BadInput if nobody's journal can take it."""
    request = decode_request(waiting.data)
    if request.request_id != waiting.request_id:
        raise BadInput(
            "REQUEST_INVALID",
            "it waits under another id than its own",
            field="request_id",
            way_out="Ask again with the commands, or on the page Request.",
        )
    subject = request.subject
    is_for_all = (subject.type, subject.id) == INSTALLATION
    if is_for_all is not (request.kind == "hold") or not (is_for_all or (subject.type == "run" and is_id(subject.id, "run"))):
        expected = "the installation" if request.kind == "hold" else "a run"
        raise BadInput(
            "REQUEST_INVALID",
            f"expected {expected} as its subject",
            field="subject",
            way_out="Ask again with the commands, or on the page Request.",
        )
    return Readable(waiting, request)


def take_request(draft: Draft, request: Request, taking: Taking, publication_id: str = "") -> None:
    """Add what taking `request` means to the draft of its run, of which `publication_id` is published.

    Raises StoreFault if that cannot be known now: then the request waits for the next pass.
    """
    if request.request_id in draft.state.run.requests:
        return
    about = Subject("request", request.request_id)
    taken = TakenRequest(
        request_id=request.request_id,
        kind=request.kind,
        user_id=request.actor.user_id,
        org_id=request.actor.org_id,
        role=request.actor.role,
        body=request.body,
        body_sha256=request.body_sha256,
    )
    draft.say("request_taken", events.RequestTaken(request=taken), about, request.request_id)
    try:
        _follow(draft, request, taking, publication_id)
    except StoreFault:
        raise
    except SeawallError as error:
        refused = events.RequestRefused(request_id=request.request_id, code=error.code, message=error.told[:MAX_TOLD])
        draft.say("request_refused", refused, about, request.request_id)


def _follow(draft: Draft, request: Request, taking: Taking, publication_id: str) -> None:
    match request.kind:
        case "submit":
            take_submit(draft, request, taking)
        case "approve":
            take_approval(draft, request, taking)
        case "cancel":
            _cancel(draft, request, taking)
        case "retry":
            _retry(draft, request, taking)
        case "consent":
            take_consent(draft, request, taking)
        case "withdraw":
            take_withdrawal(draft, request, taking, publication_id)
        case _:
            raise Refused(
                "NOT_SUPPORTED",
                f"requests of kind {request.kind} are not taken yet",
                way_out="`run --help`, `request --help` and `control --help` show what may be asked.",
            )


def _cancel(draft: Draft, request: Request, taking: Taking) -> None:
    run = draft.state.run
    if run.state is None:
        raise Refused("NOT_FOUND", "there is no such run", way_out="`run list` shows the runs.")
    require_right(taking.access, request.kind, request.actor, run.requested_by)
    if run.state in RUN_TERMINAL:
        raise Refused("RUN_TERMINAL", f"the run has ended as {run.state}", way_out="Nothing is left to cancel.")
    body = RequestBody(request.body)
    if waiting_submit(draft) is not None:
        refuse_waiting(draft, "CANCELLED", body.text("reason") or "it was cancelled before it was approved")
        return
    is_sharper = body.flag("now") and not run.is_cancel_now and run.state is RunState.CANCEL_REQUESTED
    if run.is_cancel_requested and not is_sharper:
        return  # Cancelling twice is cancelling once.
    requested = events.CancelRequested(request_id=request.request_id, reason=body.text("reason"), now=body.flag("now"))
    draft.say("cancel_requested", requested, draft.subject, request.request_id)


def _retry(draft: Draft, request: Request, taking: Taking) -> None:
    run = draft.state.run
    require_right(taking.access, request.kind, request.actor)
    if run.state not in {RunState.ACTIVE, RunState.DRAINING}:
        message = f"the run is {run.state}" if run.state else "there is no such run"
        raise Refused("RUN_TERMINAL", message, way_out="Submit the manifest again for a new run.")
    trials = tuple(RequestBody(request.body).numbers("trials"))
    retried = events.RetryRequested(request_id=request.request_id, trials=trials)
    draft.say("retry_requested", retried, draft.subject, request.request_id)
    for code in BLOCKING:
        draft.clear_attention(code)  # Whoever retries by hand has acted on what the run was blocked for.
