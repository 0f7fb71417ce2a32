"""Audit what is published: every revision, file, publication, proof, cell and catalog record; findings, not a stop."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.published_proofs import Proofs, compare_trials, follow_revisions
from runner.usecases.results.published_tables import PublishedTables, read_whole_publication
from runner.usecases.results.recompute_cell import compare_cell
from shared.arrow import read_parquet
from shared.documents.revision import Revision
from shared.errors import SeawallError
from shared.tables.catalog import PRIVATE
from shared.tables.registry import TABLES

COMPARED = ("score", "score_low", "score_high", "edition", "quality", "ranked", "planned_trials", "scored_trials")


@dataclass(frozen=True, slots=True)
class Audit:
    """What was looked at, and what does not hold: (where, what)."""

    publications: int
    rows: int
    catalog_rows: int
    findings: tuple[tuple[str, str], ...]


@dataclass
class _Seen:
    """What the audit has read so far."""

    publications: int = 0
    rows: int = 0
    cells: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    findings: list[tuple[str, str]] = field(default_factory=list)

    def find(self, where: str, error: SeawallError) -> None:
        self.findings.append((f"{where} {error.field}", error.message))


def audit_tables(store: ResultStore, datasets: list[str], catalog: str) -> Audit:
    """Return what auditing the newest revisions of `datasets` and of the `catalog` found."""
    seen = _Seen()
    records = _follow(store, catalog, seen)
    for dataset in datasets:
        head = _follow(store, dataset, seen)
        for publication in dict.fromkeys(head.runs.values()) if head else ():
            assert head is not None
            seen.publications += 1
            try:
                published = read_whole_publication(store, dataset, head, publication)
                compare_cell(published, None)
                if records is not None:
                    _compare_proofs(published, Proofs(store, catalog, records, published))
            except SeawallError as error:
                seen.find(dataset, error)
                continue
            seen.findings += _references(published)
            seen.rows += sum(table.rows for table in published.receipt.tables.values())
            seen.cells.update(((publication, row["cell_id"]), row) for row in _rows(published.rows["cells"]))
    recorded = list(_catalog_rows(store, catalog, records, seen)) if records is not None else []
    seen.findings += _compare_catalog(recorded, seen.cells)
    return Audit(seen.publications, seen.rows, len(recorded), tuple(dict.fromkeys(seen.findings)))


def _follow(store: ResultStore, dataset: str, seen: _Seen) -> Revision | None:
    """Return the newest revision of `dataset`, after reading every file that it lists."""
    try:
        head = follow_revisions(store, dataset)
    except SeawallError as error:
        seen.find(dataset, error)
        return None
    for file in head.files:
        try:
            store.read(dataset, head, file.path)
        except SeawallError as error:
            seen.find(dataset, error)
    return head


def _compare_proofs(published: PublishedTables, proofs: Proofs) -> None:
    proofs.verify_lock()
    compare_trials(published, range(len(published.rows["trials"]["trial_id"])), proofs.read_statements())


def _references(published: PublishedTables) -> Iterator[tuple[str, str]]:
    """Yield rows that name an owner which is not there."""
    rows = published.rows
    cells, trials, attempts = set(rows["cells"]["cell_id"]), set(rows["trials"]["trial_id"]), set(rows["attempts"]["attempt_id"])
    for table, column, known in (
        ("trials", "cell_id", cells),
        ("attempts", "trial_id", trials),
        ("metrics", "owner_id", attempts),
        ("artifacts", "owner_id", attempts),
    ):
        for value in sorted(set(rows[table][column]) - known):
            yield f"{table}.{column}", f"{value} is not published beside it"


def _catalog_rows(store: ResultStore, catalog: str, head: Revision, seen: _Seen) -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as scratch:
        for number, file in enumerate(file for file in head.files if file.path.startswith("tables/catalog/")):
            path = Path(scratch) / f"{number}.parquet"
            try:
                path.write_bytes(store.read(catalog, head, file.path))
                yield from _rows(read_parquet(TABLES["catalog"], [path]))
            except SeawallError as error:
                seen.find(catalog, error)


def _compare_catalog(recorded: list[dict[str, Any]], cells: dict[tuple[str, str], dict[str, Any]]) -> Iterator[tuple[str, str]]:
    sequences = sorted(row["sequence"] for row in recorded)
    if sequences != list(range(1, len(recorded) + 1)):
        yield "catalog.sequence", "the sequence is not dense from 1"
    for row in recorded:
        if row["record"] == PRIVATE:
            continue  # It names a cell digest and a time; there is nothing to compare.
        cell = cells.get((row["publication_id"], row["cell_id"]))
        if cell is None:
            yield f"catalog {row['sequence']}", f"cell {row['cell_id']} of {row['publication_id']} is not published"
            continue
        for column in COMPARED:
            if row[column] != cell[column]:
                yield f"catalog {row['sequence']}.{column}", f"says {row[column]!r}, the cell says {cell[column]!r}"
    for publication, cell_id in sorted(set(cells) - {(row["publication_id"], row["cell_id"]) for row in recorded}):
        yield f"{publication} {cell_id}", "the catalog has no record of this cell"


def _rows(columns: Any) -> Iterator[dict[str, Any]]:
    names = list(columns)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(names, values, strict=True))
