"""Publish a run: its rows into the benchmark's dataset, then its records into the catalog; each one commit, in this order.

What must always be true: a publication's id follows from its rows, the run lock and the evidence root; publishing again adopts
what is there; one run never has two publications; a kill between the two commits is finished by the next call. Called by the
publishing job and by `results publish`.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from runner.domain.yields import declare, reach
from runner.evidence.reading import read_small
from runner.ports.stores.answers import Unknown
from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.result_store import ResultStore, not_committed
from shared import paths
from shared.arrow import write_parquet
from shared.digests import Digest
from shared.documents.manifest import Manifest
from shared.documents.receipt import Receipt, TableReceipt
from shared.documents.revision import Revision
from shared.documents.run_lock import RunLock
from shared.errors import Conflict, Refused
from shared.ids import PublicationId, RunId
from shared.tables import catalog
from shared.tables.published import PublishedRun
from shared.tables.registry import RESULT_TABLES, TABLES, build_tables
from shared.tables.schema import Columns, Table
from shared.tables.score import COMPLETE, MANUAL
from shared.versions import PUBLICATION_CONTRACT

BEFORE_ROWS: Final = declare("publish.before_rows", "publishing, facts are gathered, no row is written")
AFTER_ROWS: Final = declare("publish.after_rows", "publishing, the dataset has the rows, the catalog has no record")
AFTER_CATALOG: Final = declare("publish.after_catalog", "publishing, the catalog has the records")
COMMIT_TRIES: Final = 20
ROWS_PER_FILE: Final = 500_000
PUBLISHED_KINDS: Final = frozenset({COMPLETE, MANUAL})


@dataclass(frozen=True, slots=True)
class PublishWorld:
    """Where a run is published."""

    store: ResultStore
    evidence: EvidenceStore
    dataset: str
    catalog: str
    lock: RunLock
    now: str
    actor: str | None = None
    """Who brought results in that were made elsewhere, and why; the catalog's record says so."""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication that stands in dataset and catalog."""

    publication_id: str
    revision: int
    catalog_revision: int
    is_new: bool
    digests: Mapping[str, Digest]
    dataset: str
    catalog: str


def publish_run(facts: PublishedRun, world: PublishWorld) -> Publication:
    """Publish `facts`; raise Conflict PUBLISH_CONFLICT if the run stands there with other rows."""
    if facts.scope.kind not in PUBLISHED_KINDS:
        raise Refused(
            "NOT_PUBLISHABLE",
            f"the run is {facts.scope.quality}; only clean and degraded runs are published",
            way_out="Submit the manifest again with `run submit MANIFEST`; a run that has ended takes no retry.",
        )
    publication, rows, digests = build_tables(facts)
    reach(BEFORE_ROWS)
    with tempfile.TemporaryDirectory() as scratch:
        revision, is_new = _publish_rows(facts, world, _Rows(publication, rows, digests, Path(scratch)))
        reach(AFTER_ROWS)
        recorded = _publish_records(facts, world, publication, revision, Path(scratch))
    reach(AFTER_CATALOG)
    return Publication(publication, revision.number, recorded.number, is_new, digests, world.dataset, world.catalog)


@dataclass(frozen=True, slots=True)
class _Rows:
    publication: str
    tables: Mapping[str, Columns]
    digests: Mapping[str, Digest]
    scratch: Path


def _publish_rows(facts: PublishedRun, world: PublishWorld, rows: _Rows) -> tuple[Revision, bool]:
    run_id = facts.trace.run_id
    files = _write_tables(facts, rows)
    receipt = _receipt(facts, rows, files)
    files[paths.receipt_file(PublicationId(rows.publication))] = receipt.to_bytes()
    for _ in range(COMMIT_TRIES):
        head = world.store.head(world.dataset)
        found = head.runs.get(run_id) if head else None
        if head is not None and found == rows.publication:
            return head, False
        if found is not None:
            raise Conflict(
                "PUBLISH_CONFLICT",
                f"run {run_id} is published as {found}, these rows would be {rows.publication}",
                way_out="Run `results audit`; what is published is never rewritten.",
            )
        answer = world.store.commit(
            world.dataset,
            head,
            files,
            kind="results",
            runs={run_id: rows.publication},
            rows=sum(each.rows for each in receipt.tables.values()),
            because=f"publish {run_id}",
            created_at=world.now,
        )
        if isinstance(answer, Revision):
            return answer, True
        if isinstance(answer, Unknown) and answer.is_full:
            break
    raise not_committed(world.dataset, answer)


def _write_tables(facts: PublishedRun, rows: _Rows) -> dict[str, Path | bytes]:
    files: dict[str, Path | bytes] = {}
    for name, (table, _) in RESULT_TABLES.items():
        for number, part in enumerate(_parts(rows.tables[name]), start=1):
            path = paths.table_file(name, facts.trace.benchmark, PublicationId(rows.publication), number)
            files[path] = _write(table, part, rows.scratch / f"{name}-{number}.parquet")
    return files


def _write(table: Table, rows: Columns, into: Path) -> Path:
    write_parquet(table, rows, into)
    return into


def _parts(rows: Columns) -> list[dict[str, Any]]:
    count = len(next(iter(rows.values())))
    starts = range(0, max(count, 1), ROWS_PER_FILE)
    if len(starts) == 1:
        return [dict(rows)]
    return [{name: values[start : start + ROWS_PER_FILE] for name, values in rows.items()} for start in starts]


def _receipt(facts: PublishedRun, rows: _Rows, files: Mapping[str, Path | bytes]) -> Receipt:
    tables = {}
    for name, (table, _) in RESULT_TABLES.items():
        tables[name] = TableReceipt(
            version=table.version,
            rows=len(rows.tables[name][table.key]),
            sha256=rows.digests[name],
            files=tuple(sorted(path for path in files if path.startswith(f"tables/{name}/"))),
        )
    return Receipt(
        contract=PUBLICATION_CONTRACT,
        publication_id=rows.publication,
        run_id=RunId(facts.trace.run_id),
        benchmark=facts.trace.benchmark,
        run_lock_sha256=Digest(facts.trace.run_lock_sha256),
        evidence_sha256=Digest(facts.trace.evidence_sha256),
        control_commit=facts.trace.control_commit,
        tables=tables,
    )


def _publish_records(facts: PublishedRun, world: PublishWorld, publication: str, revision: Revision, scratch: Path) -> Revision:
    run_id = RunId(facts.trace.run_id)
    receipt_path = paths.receipt_file(PublicationId(publication))
    receipt_sha256 = next(file.sha256 for file in revision.files if file.path == receipt_path)
    proofs = _proofs(run_id, world)
    for _ in range(COMMIT_TRIES):
        head = world.store.head(world.catalog)
        if head is not None and head.runs.get(run_id) == publication:
            return head
        rows = catalog.rows(
            facts,
            publication,
            first_sequence=(head.rows if head else 0) + 1,
            dataset=world.dataset,
            dataset_revision=str(revision.number),
            receipt_sha256=receipt_sha256,
            actor=world.actor,
            reason=world.reason,
        )
        count = len(rows["sequence"])
        path = paths.table_file("catalog", facts.trace.benchmark, PublicationId(publication), _next_number(head))
        files = {**proofs, path: _write(TABLES["catalog"], rows, scratch / "catalog.parquet")}
        answer = world.store.commit(
            world.catalog,
            head,
            files,
            kind="catalog",
            runs={run_id: publication},
            rows=count,
            because=f"record {publication}",
            created_at=world.now,
        )
        if isinstance(answer, Revision):
            return answer
        if isinstance(answer, Unknown) and answer.is_full:
            break
    raise not_committed(world.catalog, answer)


def _next_number(head: Revision | None) -> int:
    """Return the number of the next file of a publication in the catalog.

    A publisher that lost the commit leaves its file unlisted, with another sequence in it; the revision's number is never reused.
    """
    return (head.number if head else 0) + 1


def _proofs(run_id: RunId, world: PublishWorld) -> dict[str, Path | bytes]:
    """Return what an outsider needs to follow a row: the lock, the evidence root, the evidence statements; byte for byte."""
    prefix = paths.run_prefix(run_id)
    root = read_small(world.evidence, f"{prefix}/{paths.CHECKSUMS}")
    proofs: dict[str, Path | bytes] = {paths.lock_file(run_id): world.lock.to_bytes(), paths.published_checksums(run_id): root}
    number = 1
    for file in Manifest.from_bytes(root).files:
        if file.path.startswith("evidence-statements-"):
            proofs[paths.published_statements(run_id, number)] = read_small(world.evidence, f"{prefix}/{file.path}")
            number += 1
    return proofs
