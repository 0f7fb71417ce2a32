"""Verify one published row as an outsider: recompute it, follow it to the run lock, and, with the evidence, to the bundles.

Level 1 needs the published files alone, offline: revision chain and file digests, the table digest and publication id, the
receipt, the run lock, the evidence root and its statements, and the arithmetic of a cell from its trials. Level 2 needs the
evidence folder as well: bundles re-hashed, reward and outcome re-read from Harbor's own result file. The first link that does
not hold is named and nothing after it is believed. Nothing is trusted that was not recomputed here.
"""

from dataclasses import dataclass, field
from typing import Final

from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.published_proofs import Proofs, compare_trials, follow_revisions
from runner.usecases.results.published_tables import PublishedTables, read_publication
from runner.usecases.results.recompute_cell import compare_cell
from runner.usecases.results.verify_evidence import verify_bundles
from shared import paths
from shared.documents.revision import Revision
from shared.errors import BadInput, Refused
from shared.ids import RunId
from shared.plural import counted
from shared.tables.canonical import row_digest
from shared.tables.registry import RESULT_TABLES

EVIDENCE_ONLY_DIGESTS = "evidence: digests only"
EVIDENCE_READ = "evidence: bundles re-read"
NO_BUNDLES = "evidence: no bundle belongs to this row"
_CATALOGS: Final = "`results list` shows which dataset is of which kind."


@dataclass
class RowVerification:
    """What was verified, link by link, and how far it went."""

    table: str
    key: str
    publication_id: str
    run_id: str
    row_sha256: str = ""
    level: str = EVIDENCE_ONLY_DIGESTS
    signature: str = "unsigned"
    links: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class VerifyWorld:
    """Where the published files are, and the evidence if there is access to it."""

    store: ResultStore
    catalog: str
    evidence: EvidenceStore | None = None


def verify_row(dataset: str, number: int | None, table: str, key: str, world: VerifyWorld) -> RowVerification:
    """Verify the row `key` of `table` in revision `number` (default: the newest) of `dataset`; raise Refused VERIFY_BROKEN."""
    if table not in RESULT_TABLES:
        raise BadInput(
            "TABLE_UNKNOWN",
            f"the results have no table {table[:80]!r}",
            field="TABLE",
            way_out=f"Name one of {', '.join(RESULT_TABLES)}; docs/exchange.md describes them.",
        )
    revision = follow_revisions(world.store, dataset, number)
    if revision.kind != "results":
        way_out = "`results list` shows which dataset is of which kind."
        raise BadInput("DATASET_KIND", f"{dataset} is a catalog and has no rows of results", field="DATASET", way_out=way_out)
    published = read_publication(world.store, dataset, revision, table, key)
    found = RowVerification(table, key, published.receipt.publication_id, published.receipt.run_id)
    found.links.append(f"revision {revision.number} of {dataset}: chain and file digests")
    found.links.append("table digests equal the receipt, and give the publication id")
    found.row_sha256 = row_digest(RESULT_TABLES[table][0], published.rows[table], published.index)
    proofs = Proofs(world.store, world.catalog, _catalog_of(published, world), published)
    proofs.verify_lock()
    found.links.append("run lock is the one that the row names")
    statements = proofs.read_statements()
    found.links.append(f"evidence root is the one that the row names; {len(statements)} evidence statements hang on it")
    concerned = _concerned_trials(published, table)
    compare_trials(published, concerned, statements)
    found.links.append(counted(len(concerned), "trial equals its evidence statement", "trials equal their evidence statements"))
    if table in {"cells", "runs"}:
        compare_cell(published, None if table == "runs" else key)
        found.links.append("counts, score, interval and bounds recomputed from the trials are equal")
    if world.evidence is not None:
        _require_evidence(world.evidence, RunId(found.run_id))
        read = verify_bundles(published, concerned, world.evidence)
        found.links.append(f"{read} bundles re-hashed; rewards, ends and files re-read from them are equal")
        found.level = EVIDENCE_READ if read else NO_BUNDLES
    return found


def _catalog_of(published: PublishedTables, world: VerifyWorld) -> Revision:
    """Return the catalog's newest revision; raise BadInput or Refused if it is none, or not the one that records this run."""
    try:
        revision = follow_revisions(world.store, world.catalog)
    except Refused as error:
        if error.code != "REVISION_MISSING":
            raise
        raise BadInput("CATALOG_UNKNOWN", f"there is no catalog {world.catalog}", field="--catalog", way_out=_CATALOGS) from None
    if revision.kind != "catalog":
        raise BadInput(
            "CATALOG_UNKNOWN", f"{world.catalog} holds results and is no catalog", field="--catalog", way_out=_CATALOGS
        )
    if published.receipt.run_id not in revision.runs:
        message = f"the catalog {world.catalog} does not record {published.receipt.run_id}"
        way_out = "Name the catalog that it was published with, or finish its publication with `results publish`."
        raise Refused("NOT_CATALOGUED", message, field="--catalog", way_out=way_out)
    return revision


def _require_evidence(evidence: EvidenceStore, run_id: RunId) -> None:
    if all(evidence.stat(f"{paths.run_prefix(run_id)}/{name}") is None for name in (paths.CHECKSUMS, paths.RUN_LOCK)):
        message = f"there is no evidence of {run_id} in that folder"
        way_out = "Name the folder that holds `runs/`, or leave --evidence out to verify digests only."
        raise BadInput("EVIDENCE_MISSING", message, field="--evidence", way_out=way_out)


def _concerned_trials(published: PublishedTables, table: str) -> list[int]:
    """Return the positions, in `trials`, of the trials that the row is about."""
    trials, row = published.rows["trials"], published.row(table)
    count = range(len(trials["trial_id"]))
    if table == "runs":
        return list(count)
    if table == "cells":
        return [index for index in count if trials["cell_id"][index] == row["cell_id"]]
    owner = row.get("trial_id") or _trial_of(published, str(row["owner_id"]))
    return [index for index in count if trials["trial_id"][index] == owner]


def _trial_of(published: PublishedTables, attempt: str) -> str:
    attempts = published.rows["attempts"]
    return str(attempts["trial_id"][attempts["attempt_id"].index(attempt)])
