"""Made-up runs published into a folder of the published layout: what a Space reads, without a runner having run.

Each dataset gets one revision that lists every file, and the catalog one that lists all records. Files, receipts and digests are
made by the same shared code as real publications, so every check of a reader passes on them.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from benchmarks.synthetic import START
from shared import paths
from shared.arrow import write_parquet
from shared.digests import Digest
from shared.documents.receipt import Receipt, TableReceipt
from shared.documents.revision import Current, Revision, RevisionFile
from shared.ids import PublicationId, RunId
from shared.tables import catalog
from shared.tables.published import PublishedRun
from shared.tables.registry import RESULT_TABLES, TABLES, build_tables
from shared.versions import PUBLICATION_CONTRACT

type Files = list[RevisionFile]

OWNER: Final = "example"


def write_results(root: Path, runs: Iterable[PublishedRun], records: Iterable[Mapping[str, Any]] = ()) -> None:
    """Publish `runs` below `root`; each of `records` changes the columns of a cell's `published` record, named by its cell_id."""
    listed: dict[str, Files] = {}
    published: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    for run in runs:
        files, found = publish(root, run, len(rows) + 1)
        listed.setdefault(run.trace.benchmark, []).extend(files)
        published[run.trace.run_id] = found[0]["publication_id"]
        rows.extend(found)
    finish(root, listed, published, [*rows, *_later(rows, records)])


def write_many(root: Path, make: Callable[[int], PublishedRun], count: int) -> None:
    """Publish `make(1)` to `make(count)` of one cell each, on every core."""
    listed: dict[str, Files] = {}
    published: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for files, found in pool.map(_publish_one, *_arguments(root, make, count), chunksize=20):
            listed.setdefault(found[0]["benchmark"], []).extend(files)
            published[found[0]["run_id"]] = found[0]["publication_id"]
            rows.extend(found)
    finish(root, listed, published, rows)


def publish(root: Path, run: PublishedRun, first_sequence: int) -> tuple[Files, list[dict[str, Any]]]:
    """Write tables and receipt of `run`; return the files for the revision and its catalog records."""
    name, rows, digests = build_tables(run)
    publication, folder = PublicationId(name), root / OWNER / run.trace.benchmark
    receipts, files = {}, []
    for table, found in rows.items():
        path = paths.table_file(table, run.trace.benchmark, publication, 1)
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_parquet(TABLES[table], found, folder / path)
        count = len(found[TABLES[table].key])
        receipts[table] = TableReceipt(version=RESULT_TABLES[table][0].version, rows=count, sha256=digests[table], files=(path,))
        files.append(_listed(folder, path))
    receipt = Receipt(
        contract=PUBLICATION_CONTRACT,
        publication_id=publication,
        run_id=RunId(run.trace.run_id),
        benchmark=run.trace.benchmark,
        run_lock_sha256=Digest(run.trace.run_lock_sha256),
        evidence_sha256=Digest(run.trace.evidence_sha256),
        control_commit=run.trace.control_commit,
        tables=receipts,
    )
    path = paths.receipt_file(publication)
    _write(folder / path, receipt.to_bytes())
    dataset = f"{OWNER}/{run.trace.benchmark}"
    records = catalog.rows(
        run,
        publication,
        first_sequence=first_sequence,
        dataset=dataset,
        dataset_revision="1",
        receipt_sha256=receipt.digest,
    )
    names = [column.name for column in catalog.TABLE.columns]
    made = [{key: records[key][index] for key in names} for index in range(len(run.cells))]
    return [*files, _listed(folder, path)], made


def finish(root: Path, listed: Mapping[str, Files], published: Mapping[str, str], records: list[dict[str, Any]]) -> None:
    """Write the catalog with `records`, then the revision and pointer of every dataset."""
    newest = max((record["recorded_at"] for record in records), default=START)
    when = f"{datetime.fromtimestamp(newest / 1e6, tz=UTC):%Y-%m-%dT%H:%M:%S.000Z}"
    for benchmark, files in listed.items():
        _revision(root / OWNER / benchmark, "results", files, published, (1, when))
    ordered = [{**record, "sequence": number} for number, record in enumerate(records, 1)]
    path = paths.table_file("catalog", "all", PublicationId("pub-synthetic"), 1)
    folder = root / OWNER / "catalog"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    columns = {column.name: [record[column.name] for record in ordered] for column in catalog.TABLE.columns}
    write_parquet(catalog.TABLE, columns, folder / path)
    _revision(folder, "catalog", [_listed(folder, path)], published, (len(ordered), when))


def _later(rows: list[dict[str, Any]], records: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    by_cell = {row["cell_id"]: row for row in rows}
    for record in records:
        yield {**by_cell[record["cell_id"]], **record}


def _arguments(root: Path, make: Callable[[int], PublishedRun], count: int) -> tuple[list[Any], list[Any], range]:
    return [root] * count, [make] * count, range(1, count + 1)


def _publish_one(root: Path, make: Callable[[int], PublishedRun], number: int) -> tuple[Files, list[dict[str, Any]]]:
    return publish(root, make(number), number)


def _revision(
    folder: Path, kind: Literal["results", "catalog"], files: Files, published: Mapping[str, str], made: tuple[int, str]
) -> None:
    rows, when = made
    revision = Revision(
        kind=kind,
        number=1,
        previous_sha256=None,
        created_at=when,
        because="synthetic",
        files=tuple(sorted(files, key=lambda file: file.path)),
        runs=dict(published),
        rows=rows,
    )
    _write(folder / paths.revision_file(1), revision.to_bytes())
    _write(folder / paths.CURRENT, Current(number=1, sha256=Digest(revision.digest)).to_bytes())


def _listed(folder: Path, path: str) -> RevisionFile:
    data = (folder / path).read_bytes()
    return RevisionFile(path=path, sha256=Digest(hashlib.sha256(data).hexdigest()), size=len(data))


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
