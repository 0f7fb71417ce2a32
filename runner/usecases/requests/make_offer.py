"""Making an offer: a reviewed manifest becomes what requesters may choose from, pinned in the log under its name.

Whoever can run this is a maintainer of the installation; what is offered is what was planned here and now, with Harbor's reading
of it, its task package and the prices. Offering again replaces the offer; requests that were made from the one before are refused
as changed. Taking it back leaves nothing to choose.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runner.domain.control.envelope import Subject, utc_text
from runner.domain.control.leases import PointerMove
from runner.domain.yields import declare, reach
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.clock import Chance, Clock
from runner.ports.state.control_log import ControlLog, Head
from runner.ports.state.status import StatusStore
from runner.ports.stores.sources import Sources
from runner.usecases.journals.commits import commit_decision
from runner.usecases.runs.plan_run import PlannedRun, keep_source
from shared.digests import Digest
from shared.documents.reviewed.offer import Offer, OfferedTask
from shared.documents.reviewed.prices import PriceDocument
from shared.errors import Refused
from shared.inbox.offers import OFFER, offer_pointer
from shared.planning.inputs import SourceTask
from shared.planning.requested import Choice, offered_ids, plan_requested, require_offerable

BEFORE_OFFER: Final = declare("offer.before_commit", "offering, planned and stored, the log does not name the offer")
AFTER_OFFER: Final = declare("offer.after_commit", "offering, the log names the offer, the Space does not see it")


@dataclass(frozen=True, slots=True)
class OfferWorld:
    """What making an offer needs."""

    log: ControlLog
    status: StatusStore
    sources: Sources
    prices: PriceDocument
    clock: Clock
    chance: Chance
    actor: str


@dataclass(frozen=True, slots=True)
class Titled:
    """What an offer is called."""

    name: str
    title: str


def build_offer(planned: PlannedRun, manifest: bytes, source_digest: str, titled: Titled, world: OfferWorld) -> Offer:
    """Return the offer of `manifest`; raise BadInput or Refused if it cannot be offered or not everything of it be planned."""
    require_offerable(manifest)
    offer = Offer(
        name=titled.name,
        title=titled.title,
        offered_at=utc_text(world.clock.now_ms()),
        manifest=manifest.decode("utf-8"),
        source_lock=planned.inputs.source.lock,
        source_digest=Digest(source_digest),
        tasks=tuple(_offered(task) for task in planned.inputs.source.tasks),
        agents=planned.inputs.harbor.agents,
        job=planned.inputs.harbor.job,
        prices=world.prices,
    )
    _, agents = offered_ids(offer)
    models = sorted({cell.model_id for cell in planned.plan.head.cells})
    plan_requested(offer, Choice(models, agents, planned.plan.head.policy.max_spend_usd_micros))
    return offer


def make_offer(planned: PlannedRun, manifest: bytes, beside: Path, titled: Titled, world: OfferWorld) -> Offer:
    """Store the tasks of `planned` and let the log name the offer; return it."""
    require_offerable(manifest)
    kept = keep_source(planned, beside, world.sources)
    offer = build_offer(planned, manifest, str(kept.lock["digest"]), titled, world)
    reach(BEFORE_OFFER)
    generation = _point(offer.name, offer.digest, [offer.to_bytes()], world)
    reach(AFTER_OFFER)
    world.status.write(Subject(OFFER, offer.name), offer.to_bytes(), generation)
    return offer


def take_offer_back(name: str, world: OfferWorld) -> None:
    """Let nobody choose from the offer `name` any more; raise Refused NOT_FOUND if there is none."""
    pointer = world.log.head().pointers.get(offer_pointer(name))
    if pointer is None or not pointer.target:
        raise Refused("NOT_FOUND", f"there is no offer {name}", field="NAME", way_out="`request offers` shows them.")
    generation = _point(name, "", [], world)
    world.status.write(Subject(OFFER, name), b"", generation)


def _point(name: str, target: str, documents: list[bytes], world: OfferWorld) -> int:
    """Move the pointer of the offer; return its generation."""
    generation = 0

    def decide(head: Head) -> Batch:
        nonlocal generation
        pointer = head.pointers.get(offer_pointer(name))
        expected = pointer.generation if pointer else 0
        generation = expected + 1
        move = PointerMove(offer_pointer(name), expected, target, f"offered by {world.actor}" if target else f"by {world.actor}")
        nonce = world.chance.uuid7().hex
        return make_batch({}, parent=head.version, nonce=nonce, moves=[move], documents=documents, commit_class="request")

    commit_decision(world.log, decide, clock=world.clock, chance=world.chance)
    return generation


def _offered(task: SourceTask) -> OfferedTask:
    needs = task.needs
    return OfferedTask(
        name=task.name,
        path=task.path,
        task_digest=task.digest,
        docker_image=needs.docker_image,
        gpus=needs.gpus,
        has_compose=needs.has_compose,
        network=needs.network,
        agent_seconds=needs.agent_seconds,
        verifier_seconds=needs.verifier_seconds,
        local_obstacles=needs.local_obstacles,
    )
