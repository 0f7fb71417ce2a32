"""Taking requests: each waiting request becomes one `request_taken` in its subject's journal, and what it leads to follows.

The pass trusts nothing that a request says: the plan, the shards and the source it names must be stored, the lock must name
exactly them. A request that cannot be read is refused in the installation's journal. Taking again what was taken is no event;
the request is only removed.
"""

from dataclasses import dataclass
from typing import Final

from runner.domain.control import events
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.waves import BLOCKING
from runner.domain.control.envelope import Subject
from runner.domain.control.events import Policy, TakenRequest
from runner.ports.state.inbox import Waiting
from runner.ports.stores.objects import Objects
from runner.usecases.journals.loading import load_plan, load_shards
from shared.digests import Digest, is_digest
from shared.documents.document import read_json
from shared.documents.submission import Submission
from shared.errors import BadInput, Refused, SeawallError
from shared.ids import RunId, cell_id, is_id
from shared.inbox.codec import Request, decode_request
from shared.states import RUN_TERMINAL, RunState

MAINTAINERS: Final = frozenset({"write", "admin"})
"""Roles that may do what is not the requester's own."""


@dataclass(frozen=True, slots=True)
class Readable:
    """A waiting request that could be read, addressed to a run."""

    waiting: Waiting
    request: Request


def read_waiting(waiting: Waiting) -> Readable:
    """Return the request that waits; raise BadInput if nobody's journal can take it."""
    request = decode_request(waiting.data)
    if request.request_id != waiting.request_id:
        raise BadInput("REQUEST_INVALID", "it waits under another id than its own", field="request_id")
    if request.subject.type != "run" or not is_id(request.subject.id, "run"):
        raise BadInput("REQUEST_INVALID", "expected a run as its subject", field="subject")
    return Readable(waiting, request)


def take_request(draft: Draft, request: Request, objects: Objects) -> bytes | None:
    """Add what taking `request` means to the draft of its run; return the document that a submit brings, if any."""
    if request.request_id in draft.state.run.requests:
        return None
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
        match request.kind:
            case "submit":
                return _submit(draft, request, objects)
            case "cancel":
                _cancel(draft, request)
            case "retry":
                _retry(draft, request)
            case _:
                raise Refused("NOT_SUPPORTED", f"requests of kind {request.kind} are not taken yet")
    except SeawallError as error:
        refused = events.RequestRefused(request_id=request.request_id, code=error.code, message=error.message[:500])
        draft.say("request_refused", refused, about, request.request_id)
    return None


def _submit(draft: Draft, request: Request, objects: Objects) -> bytes:
    run = draft.state.run
    if run.state is not None or len(run.requests) > 1:
        # A journal that began with a refused request is closed; nothing would ever move the run on.
        raise Refused("RUN_EXISTS", "this run was submitted, or asked about, before", way_out="Submit again for a new run.")
    submission = Submission.from_bytes(request.body.encode())
    lock = submission.lock
    run_id = RunId(request.subject.id)
    for name, digest in (("plan", lock.plan_digest), ("source", str(submission.source_digest))):
        if not is_digest(digest) or not objects.has(Digest(digest)):
            raise Refused("OBJECT_MISSING", f"the {name} that the lock names is not stored", way_out="Submit again.")
    head = load_plan(objects, lock.plan_digest)
    if lock.run_id != run_id or head.digest != lock.plan_digest or head.prices_sha256 != lock.prices_sha256:
        raise Refused("LOCK_MISMATCH", "the run lock does not name this run and its plan", way_out="Submit again.")
    shards = load_shards(objects, head)
    submitted = events.Submitted(
        plan_digest=lock.plan_digest,
        lock_sha256=lock.digest,
        trials=head.arithmetic.trials,
        shards=tuple((shard.cell, shard.first, shard.count) for shard in shards),
        policy=Policy(max_attempts=head.policy.max_attempts, hold_hours=draft.situation.hold_hours),
        requested_by=request.actor.user_id,
        cells=tuple(cell_id(run_id, cell.cell_digest) for cell in head.cells),
        ceiling_usd_micros=head.policy.max_spend_usd_micros,
    )
    draft.say("submitted", submitted, draft.subject)
    return lock.to_bytes()


def _cancel(draft: Draft, request: Request) -> None:
    run = draft.state.run
    if run.state is None:
        raise Refused("NOT_FOUND", "there is no such run", way_out="`run list` shows the runs.")
    if request.actor.user_id != run.requested_by:
        _require_maintainer(request)
    if run.state in RUN_TERMINAL:
        raise Refused("RUN_TERMINAL", f"the run has ended as {run.state}", way_out="Nothing is left to cancel.")
    body = _Body(request.body)
    is_sharper = body.flag("now") and not run.is_cancel_now and run.state is RunState.CANCEL_REQUESTED
    if run.is_cancel_requested and not is_sharper:
        return  # Cancelling twice is cancelling once.
    requested = events.CancelRequested(request_id=request.request_id, reason=body.text("reason"), now=body.flag("now"))
    draft.say("cancel_requested", requested, draft.subject, request.request_id)


def _retry(draft: Draft, request: Request) -> None:
    run = draft.state.run
    _require_maintainer(request)
    if run.state not in {RunState.ACTIVE, RunState.DRAINING}:
        message = f"the run is {run.state}" if run.state else "there is no such run"
        raise Refused("RUN_TERMINAL", message, way_out="Submit the manifest again for a new run.")
    trials = tuple(_Body(request.body).numbers("trials"))
    retried = events.RetryRequested(request_id=request.request_id, trials=trials)
    draft.say("retry_requested", retried, draft.subject, request.request_id)
    for code in BLOCKING:
        draft.clear_attention(code)  # Whoever retries by hand has acted on what the run was blocked for.


def _require_maintainer(request: Request) -> None:
    """Whoever wrote the request states the actor's role as the identity provider gave it; the pass judges what it allows."""
    if request.actor.role not in MAINTAINERS:
        raise Refused("NOT_AUTHORISED", f"this {request.kind} is a maintainer's to ask for", way_out="Ask a maintainer.")


class _Body:
    """The small JSON body of a request that carries no document."""

    def __init__(self, text: str) -> None:
        self._found = read_json(text.encode(), what="the body", code="REQUEST_INVALID") if text else {}
        if not isinstance(self._found, dict):
            raise BadInput("REQUEST_INVALID", "expected a JSON object", field="body")

    def text(self, name: str) -> str:
        value = self._found.get(name, "")
        if not isinstance(value, str):
            raise BadInput("REQUEST_INVALID", "expected text", field=f"body.{name}")
        return value[:500]

    def flag(self, name: str) -> bool:
        return self._found.get(name) is True

    def numbers(self, name: str) -> list[int]:
        value = self._found.get(name, [])
        if not isinstance(value, list) or not all(isinstance(each, int) and not isinstance(each, bool) for each in value):
            raise BadInput("REQUEST_INVALID", "expected a list of plan indices", field=f"body.{name}")
        return value
