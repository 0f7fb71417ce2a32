"""Verify one published row as an outsider: recompute it, follow it to the run lock, and, with the evidence, to the bundles.

Level 1 needs the published files alone, offline: revision chain and file digests, the table digest and publication id, the
receipt, the run lock, the evidence root and its statements, and the arithmetic of a cell from its trials. Level 2 needs the
evidence folder as well: bundles re-hashed, reward and outcome re-read from Harbor's own result file. The first link that does
not hold is named and nothing after it is believed. Nothing is trusted that was not recomputed here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.published_tables import PublishedTables, read_publication
from runner.usecases.results.recompute_cell import compare_cell
from runner.usecases.results.verify_evidence import verify_bundles
from shared import paths
from shared.digests import sha256
from shared.documents.evidence.evidence_statement import EvidenceStatement
from shared.documents.manifest import Manifest
from shared.documents.revision import Revision
from shared.documents.run_lock import RunLock
from shared.errors import BadInput, Refused
from shared.ids import RunId
from shared.tables.canonical import row_digest
from shared.tables.registry import TABLES

EVIDENCE_ONLY_DIGESTS = "evidence: digests only"
EVIDENCE_READ = "evidence: bundles re-read"


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
    if table not in TABLES or table == "catalog":
        raise BadInput("TABLE_UNKNOWN", f"expected one of {', '.join(sorted(set(TABLES) - {'catalog'}))}", field="TABLE")
    revision = _chain(world.store, dataset, number)
    published = read_publication(world.store, dataset, revision, table, key)
    found = RowVerification(table, key, published.receipt.publication_id, published.receipt.run_id)
    found.links.append(f"revision {revision.number} of {dataset}: chain and file digests")
    found.links.append("table digests equal the receipt, and give the publication id")
    found.row_sha256 = row_digest(TABLES[table], published.rows[table], published.index)
    catalog = _chain(world.store, world.catalog, None)
    _verify_lock(world, catalog, published)
    found.links.append("run lock is the one that the row names")
    statements = _statements(world, catalog, published)
    found.links.append(f"evidence root is the one that the row names; {len(statements)} evidence statements hang on it")
    concerned = _concerned_trials(published, table)
    _compare_trials(published, concerned, statements)
    found.links.append(f"{len(concerned)} trials equal their evidence statements")
    if table in {"cells", "runs"}:
        compare_cell(published, None if table == "runs" else key)
        found.links.append("counts, score, interval and bounds recomputed from the trials are equal")
    if world.evidence is not None:
        read = verify_bundles(published, concerned, world.evidence)
        found.links.append(f"{read} bundles re-hashed; reward and outcome re-read from Harbor's results are equal")
        found.level = EVIDENCE_READ
    return found


def broken(link: str, message: str) -> Refused:
    """Return the refusal that names the first broken link."""
    return Refused(
        "VERIFY_BROKEN", message, field=link, way_out="Do not rely on this row; compare with another copy of the published files."
    )


def _chain(store: ResultStore, dataset: str, number: int | None) -> Revision:
    """Return the wanted revision after checking that every revision names the one before it."""
    head = store.head(dataset)
    if head is None:
        raise Refused("REVISION_MISSING", f"{dataset} has no revision", field=dataset)
    wanted = head.number if number is None else number
    previous: Revision | None = None
    for each in range(1, wanted + 1):
        try:
            revision = store.revision(dataset, each)
        except BadInput:
            raise broken(f"{dataset}/{paths.revision_file(each)}", "the revision cannot be read") from None
        if revision.number != each or revision.previous_sha256 != (previous.digest if previous else None):
            raise broken(f"{dataset}/{paths.revision_file(each)}", "the revision does not follow the one before it")
        if previous is not None and not {file.path for file in previous.files} <= {file.path for file in revision.files}:
            raise broken(f"{dataset}/{paths.revision_file(each)}", "the revision dropped a published file")
        previous = revision
    if previous is None:
        raise Refused("REVISION_MISSING", f"{dataset} has no revision {number}", field=dataset)
    return previous


def _verify_lock(world: VerifyWorld, catalog: Revision, published: PublishedTables) -> None:
    run_id, receipt = RunId(published.receipt.run_id), published.receipt
    data = _catalog_file(world, catalog, paths.lock_file(run_id))
    if sha256(data) != receipt.run_lock_sha256:
        raise broken(paths.lock_file(run_id), "the published run lock is not the one that the receipt names")
    lock = RunLock.from_bytes(data)
    runs = published.rows["runs"]
    said = {"run_id": runs["run_id"][0], "plan_digest": runs["plan_digest"][0], "manifest_sha256": runs["manifest_sha256"][0]}
    if said != {"run_id": lock.run_id, "plan_digest": lock.plan_digest, "manifest_sha256": lock.manifest_sha256}:
        raise broken(paths.lock_file(run_id), "the run lock is of another run, plan or manifest")


def _statements(world: VerifyWorld, catalog: Revision, published: PublishedTables) -> dict[str, EvidenceStatement]:
    run_id, receipt = RunId(published.receipt.run_id), published.receipt
    root_path = paths.published_checksums(run_id)
    root = _catalog_file(world, catalog, root_path)
    if sha256(root) != receipt.evidence_sha256:
        raise broken(root_path, "the published evidence root is not the one that the receipt names")
    manifest = Manifest.from_bytes(root)
    listed = {file.path: file for file in manifest.files}
    if listed[paths.RUN_LOCK].sha256 != receipt.run_lock_sha256:
        raise broken(root_path, "the evidence root lists another run lock")
    found: dict[str, EvidenceStatement] = {}
    number = 0
    for path, file in sorted(listed.items()):
        if not path.startswith("evidence-statements-"):
            continue
        number += 1
        data = _catalog_file(world, catalog, paths.published_statements(run_id, number))
        if (sha256(data), len(data)) != (file.sha256, file.size):
            raise broken(paths.published_statements(run_id, number), "the statements are not those that the evidence root lists")
        statements = (EvidenceStatement.from_bytes(line) for line in data.splitlines())
        found.update((statement.trial_id, statement) for statement in statements)
    return found


def _catalog_file(world: VerifyWorld, catalog: Revision, path: str) -> bytes:
    try:
        return world.store.read(world.catalog, catalog, path)
    except Refused as error:
        raise broken(path, error.message) from None


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


def _compare_trials(published: PublishedTables, concerned: Sequence[int], statements: dict[str, EvidenceStatement]) -> None:
    trials, attempts = published.rows["trials"], published.rows["attempts"]
    bundles = dict(zip(attempts["attempt_id"], attempts["bundle_sha256"], strict=True))
    for index in concerned:
        trial = str(trials["trial_id"][index])
        statement = statements.get(trial)
        if statement is None:
            raise broken(trial, "the trial has no evidence statement")
        said: tuple[Any, ...] = (statement.outcome, statement.reward, statement.attempt_id, statement.bundle_sha256)
        selected = trials["selected_attempt_id"][index]
        row = (trials["outcome"][index], trials["reward"][index], selected, bundles.get(selected) if selected else None)
        if said != row:
            raise broken(trial, "the trial's row and its evidence statement differ")
