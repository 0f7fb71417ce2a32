"""Submit a run: keep the source, store plan and shards, lock the run, and put the request into the inbox.

Everything that the request names is readable before the request exists, so a submit that was acknowledged can always be taken.
With `request_key`, submitting again after a lost answer is the same request and the same run.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

from runner.domain.control.envelope import utc_text
from runner.domain.yields import declare, reach
from runner.ports.state.answers import Applied, Busy, Conflict, Full, Throttled
from runner.ports.state.clock import Clock
from runner.ports.state.inbox import Inbox
from runner.ports.stores.answers import Applied as Stored
from runner.ports.stores.answers import Unknown as NotStored
from runner.ports.stores.full_disk import store_full
from runner.ports.stores.objects import Objects
from runner.ports.stores.sources import Sources
from runner.usecases.runs.plan_run import PlannedRun, keep_source, lock_run
from shared.digests import Digest, parse_digest, sha256
from shared.documents.run_lock import RunLock
from shared.documents.submission import Submission
from shared.errors import Conflict as SeawallConflict
from shared.errors import Refused, StoreFault
from shared.ids import RequestId, RunId, generate
from shared.inbox.codec import Actor, Request, RequestSubject, decode_request, encode_request

BEFORE_OBJECTS: Final = declare("submit.before_objects", "submitting, planned, nothing is stored")
BEFORE_PUT: Final = declare("submit.before_put", "submitting, plan and source are stored, the request is not in the inbox")
AFTER_PUT: Final = declare("submit.after_put", "submitting, the request is in the inbox, nobody was told")

INBOX_SEARCHED: Final = 500
"""As many as may wait."""


@dataclass(frozen=True, slots=True)
class SubmitWorld:
    """What submitting needs."""

    inbox: Inbox
    objects: Objects
    sources: Sources
    clock: Clock
    unique: Callable[[], UUID]
    build: Digest
    """What the waves start from: the digest of this checkout's code."""
    servers: frozenset[str]
    """Names of the model servers that are configured."""
    probe_sandbox: Callable[[str], None]
    """Raises Refused SANDBOX_UNAVAILABLE if sandboxes of that kind cannot be made here."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """An acknowledged submit."""

    run_id: RunId
    request_id: RequestId
    lock: RunLock


def submit_run(planned: PlannedRun, beside: Path, actor: Actor, world: SubmitWorld, request_key: str = "") -> Submitted:
    """Put the run of `planned` into the inbox; return once it is acknowledged."""
    _require_runnable(planned, world)
    unique = _unique(request_key, actor) if request_key else world.unique()
    run_id, request_id = RunId(generate("run", unique)), RequestId(generate("req", unique))
    reach(BEFORE_OBJECTS)
    kept = keep_source(planned, beside, world.sources)
    source = parse_digest(str(kept.lock["digest"]))
    for data in (planned.plan.shard_bytes(), planned.plan.head_bytes()):
        _store(world.objects, data)
    lock = lock_run(planned, run_id, world.build, actor.user_id, utc_text(world.clock.now_ms()))
    body = Submission(lock=lock, source_digest=source).to_bytes().decode()
    request = Request(request_id, "submit", actor, RequestSubject("run", run_id), body)
    waiting = _waiting_lock(request_id, world.inbox) if request_key else None
    if waiting is not None and lock.model_copy(update={"submitted_at": waiting.submitted_at}) == waiting:
        return Submitted(run_id, request_id, waiting)  # A repeat after a lost answer: all but the moment is the same.
    reach(BEFORE_PUT)
    put_request(world.inbox, request)
    reach(AFTER_PUT)
    return Submitted(run_id, request_id, lock)


def put_request(inbox: Inbox, request: Request) -> None:
    """Put `request` into the inbox; return once it is acknowledged, raise with the way out otherwise."""
    match inbox.put([(request.request_id, encode_request(request))]):
        case Applied():
            return
        case Conflict():
            raise SeawallConflict(
                "REQUEST_CONFLICT",
                f"request {request.request_id} waits with other content",
                way_out="Use another key, or look at `run status` for what the first one became.",
            )
        case Full(waiting):
            raise SeawallConflict(
                "INBOX_FULL", f"{waiting} requests wait already", way_out="Run `run reconcile --all`, then try again."
            )
        case Busy() | Throttled():
            raise SeawallConflict("INBOX_BUSY", "the inbox takes nothing right now", way_out="Try again in a few seconds.")
        case _:
            raise StoreFault(
                "INBOX_UNKNOWN",
                "it is unknown whether the request was put",
                way_out="Repeat with the same --key: the same request is put once.",
            )


def request_body(**fields: object) -> str:
    """Return the JSON text of a small request body."""
    return json.dumps(fields, sort_keys=True, separators=(",", ":"))


def _require_runnable(planned: PlannedRun, world: SubmitWorld) -> None:
    """Refuse what no wave of this installation could carry out, before anything is stored."""
    world.probe_sandbox(planned.plan.head.sandbox.kind)
    for index, deployment in enumerate(planned.plan.head.deployments):
        field, specification = f"matrix.deployments[{index}]", deployment.specification
        if deployment.kind not in {"none", "server"}:
            message = f"waves on deployments of kind {deployment.kind} are not built yet."
            raise Refused("DEPLOYMENT_UNSUPPORTED", message, field=f"{field}.kind", way_out="Use kind server, or none.")
        if specification.get("parameters"):
            message = "nothing applies request parameters between agent and server yet."
            raise Refused(
                "PARAMETERS_UNAPPLIED", message, field=f"{field}.parameters", way_out="Give them to the agent as kwargs."
            )
        server = specification.get("server")
        if server is not None and server not in world.servers:
            way_out = f"For example SEAWALL_SERVERS={server}=http://127.0.0.1:8000/v1"
            raise Refused("SERVER_UNKNOWN", f"no server is called {server}.", field=f"{field}.server", way_out=way_out)


def _unique(request_key: str, actor: Actor) -> UUID:
    """Return the id that `request_key` always has for `actor`; version 8 of UUID, since nothing of it is time."""
    digest = bytearray(bytes.fromhex(sha256(f"{actor.user_id}\0{request_key}".encode()))[:16])
    digest[6] = 0x80 | digest[6] & 0x0F
    digest[8] = 0x80 | digest[8] & 0x3F
    return UUID(bytes=bytes(digest))


def _waiting_lock(request_id: RequestId, inbox: Inbox) -> RunLock | None:
    """Return the lock that the waiting submit `request_id` brings, if there is one."""
    for waiting in inbox.list(INBOX_SEARCHED).requests:
        if waiting.request_id == request_id:
            return Submission.from_bytes(decode_request(waiting.data).body.encode()).lock
    return None


def _store(objects: Objects, data: bytes) -> None:
    answer = objects.put(data)
    if isinstance(answer, NotStored) and answer.is_full:
        raise store_full()
    if not isinstance(answer, Stored):
        raise StoreFault("PLAN_NOT_STORED", "it is unknown whether the plan was stored", way_out="Submit again.")
