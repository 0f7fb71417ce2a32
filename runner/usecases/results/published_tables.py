"""Reading one publication back: its files against the revision, its rows against the receipt, the receipt against its id."""

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.ports.stores.result_store import ResultStore
from shared import paths
from shared.arrow import read_parquet
from shared.documents.receipt import Receipt
from shared.documents.revision import Revision
from shared.errors import BadInput, Refused
from shared.ids import PublicationId
from shared.tables.canonical import table_digest
from shared.tables.registry import RESULT_TABLES, TABLES, publication_id
from shared.tables.schema import TRACE_NAMES

WAY_OUT = "Do not rely on this row; compare with another copy of the published files."


def broken(link: str, message: str) -> Refused:
    """Return the refusal that names the first link that does not hold."""
    return Refused("VERIFY_BROKEN", message, field=link, way_out=WAY_OUT)


@dataclass(frozen=True, slots=True)
class PublishedTables:
    """All rows of one publication, verified against its receipt, and the position of the row that was asked for."""

    receipt: Receipt
    rows: Mapping[str, Mapping[str, list[Any]]]
    index: int

    def row(self, table: str) -> dict[str, Any]:
        """Return the row that was asked for, by column."""
        return {name: values[self.index] for name, values in self.rows[table].items()}


def read_publication(store: ResultStore, dataset: str, revision: Revision, table: str, key: str) -> PublishedTables:
    """Return the publication that has the row `key` of `table`; raise Refused NOT_PUBLISHED or VERIFY_BROKEN."""
    for publication in dict.fromkeys(revision.runs.values()):
        receipt = _receipt(store, dataset, revision, publication)
        rows = _rows_of(store, dataset, revision, receipt, table)
        keys = rows[RESULT_TABLES[table][0].key]
        if key in keys:
            everything = {name: _rows_of(store, dataset, revision, receipt, name) for name in RESULT_TABLES}
            verify_publication(receipt, everything)
            return PublishedTables(receipt, everything, keys.index(key))
    raise Refused(
        "NOT_PUBLISHED",
        f"revision {revision.number} of {dataset} has no {table} row {key}",
        field="KEY",
        way_out="`results export --table TABLE --format csv DATASET` shows the keys.",
    )


def read_whole_publication(store: ResultStore, dataset: str, revision: Revision, publication: str) -> PublishedTables:
    """Return every row of `publication`, verified."""
    receipt = _receipt(store, dataset, revision, publication)
    rows = {name: _rows_of(store, dataset, revision, receipt, name) for name in RESULT_TABLES}
    verify_publication(receipt, rows)
    return PublishedTables(receipt, rows, 0)


def read_catalog(store: ResultStore, catalog: str, revision: Revision) -> Iterator[dict[str, Any]]:
    """Yield every record of `catalog` at `revision`; raise Refused VERIFY_BROKEN naming a file that cannot be read."""
    with tempfile.TemporaryDirectory() as scratch:
        for number, file in enumerate(file for file in revision.files if file.path.startswith("tables/catalog/")):
            copy = Path(scratch) / f"{number}.parquet"
            try:
                copy.write_bytes(store.read(catalog, revision, file.path))
                columns = read_parquet(TABLES["catalog"], [copy])
            except (BadInput, Refused) as error:
                raise broken(file.path, error.message) from None
            for values in zip(*columns.values(), strict=True):
                yield dict(zip(columns, values, strict=True))


def verify_publication(receipt: Receipt, rows: Mapping[str, Mapping[str, list[Any]]]) -> None:
    """Require that the rows have the receipt's digests, the digests its id, and every row the receipt's trace."""
    digests = {}
    for name, (table, _) in RESULT_TABLES.items():
        try:
            digests[name] = table_digest(table, rows[name])
        except (ValueError, KeyError) as error:
            raise broken(name, str(error)) from None
        if digests[name] != receipt.tables[name].sha256 or len(rows[name][table.key]) != receipt.tables[name].rows:
            raise broken(f"table {name}", "the rows do not have the digest that the receipt states")
        _verify_trace(receipt, name, rows[name])
    if publication_id(receipt.run_lock_sha256, receipt.evidence_sha256, digests) != receipt.publication_id:
        raise broken(receipt.publication_id, "lock, evidence root and table digests give another publication id")


def _verify_trace(receipt: Receipt, name: str, rows: Mapping[str, list[Any]]) -> None:
    expected = {
        "schema_version": receipt.tables[name].version,
        "publication_id": receipt.publication_id,
        "benchmark": receipt.benchmark,
        "run_id": receipt.run_id,
        "evidence_prefix": paths.run_prefix(receipt.run_id),
        "evidence_sha256": receipt.evidence_sha256,
        "run_lock_sha256": receipt.run_lock_sha256,
        "control_commit": receipt.control_commit,
    }
    for column in sorted(TRACE_NAMES):
        if any(value != expected[column] for value in rows[column]):
            raise broken(f"table {name}, column {column}", "a row traces to something else than its receipt")


def _receipt(store: ResultStore, dataset: str, revision: Revision, publication: str) -> Receipt:
    path = paths.receipt_file(PublicationId(publication))
    try:
        receipt = Receipt.from_bytes(store.read(dataset, revision, path))
    except (BadInput, Refused) as error:
        raise broken(path, error.message) from None
    if receipt.publication_id != publication or revision.runs.get(receipt.run_id) != publication:
        raise broken(path, "the receipt is of another publication")
    return receipt


def _rows_of(store: ResultStore, dataset: str, revision: Revision, receipt: Receipt, table: str) -> dict[str, list[Any]]:
    definition = RESULT_TABLES[table][0]
    with tempfile.TemporaryDirectory() as scratch:
        files = []
        for number, path in enumerate(receipt.tables[table].files):
            try:
                data = store.read(dataset, revision, path)
            except Refused as error:
                raise broken(path, error.message) from None
            file = Path(scratch) / f"{number}.parquet"
            file.write_bytes(data)
            files.append(file)
        try:
            return read_parquet(definition, files)
        except BadInput as error:
            raise broken(table, error.message) from None
