"""Published results folders for the tests: the sample's run and small synthetic ones, and ways to change what was published."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from shared import paths
from shared.arrow import read_parquet
from shared.digests import Digest, sha256
from shared.documents.receipt import Receipt
from shared.documents.revision import Current, Revision
from shared.tables.canonical import table_digest
from shared.tables.published import PublishedRun
from shared.tables.registry import TABLES
from space.readers.build import build_mirror, revisions_of
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from tests.builders.sample_run import sample_run

DATASET = "example/harbour-chores"
CATALOG = "example/catalog"


def publish_sample(root: Path) -> PublishedRun:
    """Publish the sample's run, its last cell withdrawn, and another small benchmark; return the sample's run."""
    run = sample_run()
    other = synthetic_run(2, cells=2, tasks=10, repeats=2, benchmark="small-works")
    withdrawn = {"cell_id": run.cells[-1].identity.cell_id, "record": "withdrawn", "reason": "another prompt", "actor": "example"}
    write_results(root, [run, other], [withdrawn])
    return run


def mirror_of(root: Path, into: Path) -> Mirror:
    """Return a mirror of what is published below `root`."""
    source = FolderSource(root)
    return build_mirror(source, revisions_of(source, source.catalog(), into / "scratch"), into, 512)


def table_file(root: Path, table: str, dataset: str = DATASET) -> Path:
    """Return the one file of `table` in `dataset`."""
    return next((root / dataset / "tables" / table).rglob("*.parquet"))


def rows_of(root: Path, table: str, dataset: str = DATASET) -> list[dict[str, Any]]:
    """Return the published rows of `table`, read with pyarrow alone."""
    found: list[dict[str, Any]] = pq.ParquetFile(table_file(root, table, dataset)).read().to_pylist()
    return found


def all_rows(root: Path, table: str, dataset: str = DATASET) -> list[dict[str, Any]]:
    """Return the rows of `table` over all publications of `dataset`, read with pyarrow alone."""
    files = sorted((root / dataset / "tables" / table).rglob("*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def change_table(root: Path, table: str, change: Callable[[list[dict[str, Any]]], object], dataset: str = DATASET) -> None:
    """Change rows of a published table and renew every digest, as a publisher who lies would."""
    file = table_file(root, table, dataset)
    before = pq.ParquetFile(file).read()
    rows = before.to_pylist()
    change(rows)
    rewrite_table(root, table, pa.Table.from_pylist(rows, schema=before.schema), dataset)


def rewrite_table(root: Path, table: str, rows: Any, dataset: str = DATASET) -> None:
    """Put the Arrow table `rows` in the place of a published table and renew every digest."""
    file = table_file(root, table, dataset)
    pq.write_table(rows, file, compression="zstd")
    if table != "catalog":
        _renew_receipt(root / dataset, table, file)
    renew(root / dataset)


def _renew_receipt(folder: Path, table: str, file: Path) -> None:
    receipt_file = next((folder / "publications").glob("*.json"))
    document = json.loads(receipt_file.read_bytes())
    count = pq.ParquetFile(file).metadata.num_rows
    if set(pq.ParquetFile(file).schema_arrow.names) == {column.name for column in TABLES[table].columns}:
        with suppress(ValueError):  # a repeated key has no digest; the reader must find it
            document["tables"][table]["sha256"] = table_digest(TABLES[table], read_parquet(TABLES[table], [file]))
    document["tables"][table]["rows"] = count
    before, receipt = sha256(receipt_file.read_bytes()), Receipt.from_json(document)
    receipt_file.write_bytes(receipt.to_bytes())
    renamed = {"receipt_sha256": str(receipt.digest)}
    change_table(
        folder.parent.parent,
        "catalog",
        lambda rows: [row.update(renamed) for row in rows if row["receipt_sha256"] == before],
        CATALOG,
    )


def renew(folder: Path, **changes: Any) -> None:
    """Write the newest revision of a dataset anew with the sizes and digests that its files have now."""
    current = Current.from_bytes((folder / paths.CURRENT).read_bytes())
    revision = Revision.from_bytes((folder / paths.revision_file(current.number)).read_bytes())
    files = []
    for file in revision.files:
        data = (folder / file.path).read_bytes()
        files.append(file.model_copy(update={"sha256": sha256(data), "size": len(data)}))
    write_revision(folder, revision.model_copy(update={"files": tuple(files), **changes}))


def write_revision(folder: Path, revision: Revision) -> None:
    """Write `revision` and point to it."""
    (folder / paths.revision_file(revision.number)).write_bytes(revision.to_bytes())
    pointer = Current(number=revision.number, sha256=Digest(revision.digest))
    (folder / paths.CURRENT).write_bytes(pointer.to_bytes())


def with_names(run: PublishedRun, names: Mapping[str, str]) -> PublishedRun:
    """Return `run` with the text fields of its first cell's identity replaced."""
    first, *others = run.cells
    return replace(run, cells=(replace(first, identity=replace(first.identity, **names)), *others))


def flip_byte(file: Path) -> None:
    """Change one bit in the middle of `file`."""
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(bytes(data))
