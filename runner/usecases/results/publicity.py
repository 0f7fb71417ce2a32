"""What the publishing job does for a run that has ended: publish, show what would be published, keep private, withdraw.

Each is idempotent and judged anew from the journal: nothing of a requested run is published before its journal says that its
requester let it. `results_of` is the other side, by which a pass sees what of it stands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from runner.domain.control.decisions.draft import KEEP_PRIVATE, PUBLISH, SHOW, WITHDRAW
from runner.domain.control.envelope import utc_ms, utc_text
from runner.domain.control.projection.run_rules import PRIVATE
from runner.domain.control.projection.run_rules import PUBLISH as LET
from runner.domain.control.projection.state import Run
from runner.ports.state.clock import Clock
from runner.ports.state.control_log import ControlLog
from runner.ports.stores.answers import Unknown
from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.objects import Objects
from runner.ports.stores.result_store import ResultStore
from runner.usecases.journals.loading import load_finished, load_lock, load_plan, load_run
from runner.usecases.results.gather_run import GatherWorld, gather_run
from runner.usecases.results.publish_run import Publication, PublishWorld, publish_run
from runner.usecases.results.record_later import RecordWorld, is_recorded, keep_private, withdraw
from runner.usecases.results.show_run import shown_run
from shared import paths
from shared.documents.plan import PlanHead
from shared.errors import Refused, StoreFault
from shared.ids import RunId, private_record_id, withdrawal_record_id


@dataclass(frozen=True, slots=True)
class PublicityWorld:
    """Where runs, their evidence and their results are."""

    log: ControlLog
    objects: Objects
    evidence: EvidenceStore
    results: ResultStore
    clock: Clock


class ResultsSeen(NamedTuple):
    """What of one run stands in its results."""

    publication_id: str = ""
    """Once both its dataset and the catalog have it."""
    is_kept_private: bool = False
    is_withdrawn: bool = False


def results_of(run_id: RunId, plan: PlanHead, results: ResultStore) -> ResultsSeen:
    """Return what stands of the run in the dataset and the catalog of its plan."""
    dataset, catalog = results.head(plan.publishing.dataset), results.head(plan.publishing.catalog)
    found = {head.runs.get(run_id, "") if head else "" for head in (dataset, catalog)}
    publication = found.pop() if len(found) == 1 else ""
    return ResultsSeen(
        publication,
        is_kept_private=is_recorded(catalog, private_record_id(run_id)),
        is_withdrawn=bool(publication) and is_recorded(catalog, withdrawal_record_id(publication)),
    )


def make_public(run_id: RunId, target: str, world: PublicityWorld) -> str:
    """Do what the job `target` is for; return what was done, in words."""
    steps: dict[str, Callable[[RunId, PublicityWorld], str]] = {
        PUBLISH: lambda run, found: f"published {run} as {publish(run, found).publication_id}",
        SHOW: _show,
        KEEP_PRIVATE: _keep_private,
        WITHDRAW: _withdraw,
    }
    return steps[target](run_id, world)


def publish(run_id: RunId, world: PublicityWorld, into: ResultStore | None = None) -> Publication:
    """Publish a finished run from its journal and evidence, into its own datasets or into another store.

    Raises Refused CONSENT_MISSING for a requested run that its requester did not let out.
    """
    run = load_run(world.log, run_id, world.log.head().version).run
    if not may_be_public(run):
        way_out = "Its requester decides; without an answer in time it stays private."
        raise Refused("CONSENT_MISSING", f"the requester of {run_id} has not agreed to its publication", way_out=way_out)
    gathering, plan = _gathering(run_id, world)
    publishing = plan.publishing
    store = world.results if into is None else into
    now = utc_text(world.clock.now_ms())
    where = PublishWorld(store, world.evidence, publishing.dataset, publishing.catalog, gathering.lock, now)
    return publish_run(gather_run(gathering), where)


def may_be_public(run: Run) -> bool:
    """Tell whether nothing forbids to publish the run: it needs no consent, or has it."""
    return not run.needs_consent or run.consent == LET


def _show(run_id: RunId, world: PublicityWorld) -> str:
    gathering, plan = _gathering(run_id, world)
    shown = shown_run(gather_run(gathering), plan.publishing.dataset, plan.publishing.catalog)
    if isinstance(world.evidence.put(paths.shown_run(run_id), shown.to_bytes()), Unknown):
        raise StoreFault("EVIDENCE_UNKNOWN", "it is unknown whether what is shown was stored", way_out="A later job tries again.")
    return f"shows {run_id} as {shown.publication_id}"


def _keep_private(run_id: RunId, world: PublicityWorld) -> str:
    run = load_run(world.log, run_id, world.log.head().version).run
    if run.consent != PRIVATE:
        raise Refused("CONSENT_MISSING", f"nobody decided to keep {run_id} private", way_out="Nothing: it is not recorded.")
    plan = load_plan(world.objects, run.plan_digest)
    at_micros = utc_ms(run.drains_since) * 1000
    keep_private(run_id, [cell.cell_digest for cell in plan.cells], at_micros, _records(plan, world))
    return f"kept {run_id} private"


def _withdraw(run_id: RunId, world: PublicityWorld) -> str:
    run = load_run(world.log, run_id, world.log.head().version).run
    asked = run.withdrawal
    if asked is None:
        raise Refused("NOT_PUBLISHABLE", f"nobody asked to withdraw {run_id}", way_out="Nothing: it is not recorded.")
    plan = load_plan(world.objects, run.plan_digest)
    withdraw(asked.publication_id, asked.by, asked.reason, asked.at_ms * 1000, _records(plan, world))
    return f"withdrew {asked.publication_id}"


def _gathering(run_id: RunId, world: PublicityWorld) -> tuple[GatherWorld, PlanHead]:
    ended = load_finished(world.log, run_id, world.log.head().version)
    run = ended.state.run
    plan, lock = load_plan(world.objects, run.plan_digest), load_lock(world.log, run.lock_sha256)
    return GatherWorld(run_id, ended.state, plan, lock, world.evidence, ended.chain), plan


def _records(plan: PlanHead, world: PublicityWorld) -> RecordWorld:
    return RecordWorld(world.results, plan.publishing.catalog, utc_text(world.clock.now_ms()))
