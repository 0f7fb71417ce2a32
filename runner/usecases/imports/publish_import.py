"""Publish a sealed import by the way of every publication; the catalog's record says who brought it in and why."""

from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.result_store import ResultStore
from runner.usecases.imports.gather_import import gather_import
from runner.usecases.results.publish_run import Publication, PublishWorld, publish_run
from shared.ids import RunId


def publish_import(run_id: RunId, evidence: EvidenceStore, store: ResultStore, now: str) -> Publication:
    """Publish the import `run_id` into `store`; publishing it again adds nothing."""
    found = gather_import(run_id, evidence)
    record = found.record
    world = PublishWorld(
        store=store,
        evidence=evidence,
        dataset=record.dataset,
        catalog=record.catalog,
        lock=found.lock,
        now=now,
        actor=record.imported_by,
        reason=record.reason,
    )
    return publish_run(found.facts, world)
