"""What a submit's body asks for, resolved: the plan, its shards, and the lock of the run.

Two bodies exist. A maintainer's command line stores plan and source itself and sends their lock; the pass checks that every
digest leads to what it says. A requester chooses from an offer; the pass plans that choice itself, from the offer that the log
holds now, and compares with the plan that the requester saw. Called when a submit is taken, and again when it is approved.
"""

from dataclasses import dataclass

from runner.domain.control.envelope import utc_text
from runner.ports.stores.answers import Applied
from runner.usecases.journals.loading import load_plan, load_shards
from runner.usecases.requests.taking import Taking
from shared.digests import Digest, is_digest, parse_digest
from shared.documents.document import read_json
from shared.documents.plan import PlanHead, Shard
from shared.documents.reviewed.offer import Offer
from shared.documents.run_lock import HarborLock, RunLock
from shared.documents.run_request import RunRequest
from shared.documents.submission import Submission
from shared.errors import BadInput, Refused, StoreFault
from shared.ids import RunId
from shared.inbox.codec import Actor
from shared.inbox.offers import offer_pointer
from shared.inbox.quotas import Asked
from shared.inbox.rights import Standing, standing_of
from shared.planning.requested import Choice, plan_requested


@dataclass(frozen=True, slots=True)
class Resolved:
    """A run as it would be submitted."""

    head: PlanHead
    shards: tuple[Shard, ...]
    lock: RunLock
    asked: Asked


def resolve_submit(run_id: RunId, actor: Actor, body: str, now_ms: int, taking: Taking) -> Resolved:
    """Return what `body` asks for; raise Refused or BadInput with what does not hold."""
    found = read_json(body.encode(), what="the body", code="REQUEST_INVALID")
    if isinstance(found, dict) and "lock" in found:
        if standing_of(taking.access, actor) is not Standing.MAINTAINER:
            raise Refused("NOT_AUTHORISED", "only a maintainer submits a plan of their own", way_out="Choose from an offer.")
        head, shards, lock = _of_submission(run_id, actor, Submission.from_json(found), taking)
    else:
        head, shards, lock = _of_offer(run_id, actor, RunRequest.from_json(found), now_ms, taking)
    asked = Asked(
        trials=head.arithmetic.trials,
        cells=head.arithmetic.cells,
        body_bytes=len(body.encode()),
        ceiling_usd_micros=head.policy.max_spend_usd_micros,
    )
    return Resolved(head, shards, lock, asked)


def _of_submission(
    run_id: RunId, actor: Actor, submission: Submission, taking: Taking
) -> tuple[PlanHead, tuple[Shard, ...], RunLock]:
    lock, objects = submission.lock, taking.objects
    for name, digest in (("plan", lock.plan_digest), ("source", str(submission.source_digest))):
        if not is_digest(digest) or not objects.has(Digest(digest)):
            raise Refused("OBJECT_MISSING", f"the {name} that the lock names is not stored", way_out="Submit again.")
    head = load_plan(objects, lock.plan_digest)
    is_of_plan = head.digest == lock.plan_digest and head.prices_sha256 == lock.prices_sha256
    if lock.run_id != run_id or lock.requested_by != actor.user_id or not is_of_plan:
        raise Refused("LOCK_MISMATCH", "the run lock does not name this run, its requester and its plan", way_out="Submit again.")
    return head, load_shards(objects, head), lock


def _of_offer(
    run_id: RunId, actor: Actor, asked: RunRequest, now_ms: int, taking: Taking
) -> tuple[PlanHead, tuple[Shard, ...], RunLock]:
    offer = _current_offer(asked, taking)
    made = plan_requested(offer, Choice(asked.models, asked.agents, asked.max_spend_usd_micros))
    if made.plan.digest != asked.plan_digest:
        message = "planning this choice now gives another plan than the one that was shown"
        raise Refused("request.preview_changed", message, way_out="Look at the new preview, then confirm it.")
    if not taking.objects.has(parse_digest(str(offer.source_digest))):
        raise Refused("OBJECT_MISSING", "the tasks of the offer are not stored", way_out="A maintainer makes the offer again.")
    if not taking.is_dry:
        for data in (made.plan.shard_bytes(), made.plan.head_bytes()):
            if not isinstance(taking.objects.put(data), Applied):
                raise StoreFault(
                    "PLAN_NOT_STORED", "it is unknown whether the plan was stored", way_out="The next pass tries again."
                )
    head = made.plan.head
    taking.plans[made.plan.digest] = head
    lock = RunLock(
        run_id=run_id,
        plan_digest=made.plan.digest,
        manifest_sha256=made.manifest_sha256,
        source_lock_sha256=head.benchmark.source_lock_sha256,
        prices_sha256=head.prices_sha256,
        build=taking.build(),
        harbor=HarborLock(version=head.harbor.version, lock_sha256=head.harbor.lock_sha256),
        requested_by=actor.user_id,
        submitted_at=utc_text(now_ms),
    )
    return head, made.plan.shards, lock


def _current_offer(asked: RunRequest, taking: Taking) -> Offer:
    """Return the offer that the request was made from, if it is the one that stands now."""
    pointer = taking.pointers.get(offer_pointer(asked.offer))
    if pointer is None or not pointer.target:
        raise Refused("request.profile_unknown", f"there is no offer {asked.offer}", way_out="Choose one that is offered now.")
    if pointer.target != asked.offer_sha256:
        raise Refused("request.preview_changed", f"the offer {asked.offer} has changed", way_out="Look at the new preview.")
    data = taking.log.document(parse_digest(pointer.target))
    if data is None:
        raise StoreFault(
            "OFFER_MISSING", f"the log does not have the offer {asked.offer}", way_out="Restore the log from a copy."
        )
    try:
        return Offer.from_bytes(data)
    except BadInput as error:
        raise StoreFault(
            "OFFER_MISSING",
            f"the offer {asked.offer} cannot be read: {error.message}",
            way_out="A maintainer makes the offer again.",
        ) from error
