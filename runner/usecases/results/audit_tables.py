"""Audit what is published: every file, every publication, every cell's arithmetic, every catalog record; findings, not a stop."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.published_tables import PublishedTables, read_whole_publication
from runner.usecases.results.recompute_cell import compare_cell
from shared.arrow import read_parquet
from shared.errors import SeawallError
from shared.tables.registry import TABLES


@dataclass(frozen=True, slots=True)
class Audit:
    """What was looked at, and what does not hold: (where, what)."""

    publications: int
    rows: int
    catalog_rows: int
    findings: tuple[tuple[str, str], ...]


def audit_tables(store: ResultStore, datasets: list[str], catalog: str) -> Audit:
    """Return what auditing the newest revisions of `datasets` and of the `catalog` found."""
    findings: list[tuple[str, str]] = []
    cells: dict[tuple[str, str], dict[str, Any]] = {}
    publications = rows = 0
    for dataset in datasets:
        head = store.head(dataset)
        for publication in sorted(set(head.runs.values())) if head else ():
            assert head is not None
            publications += 1
            try:
                published = read_whole_publication(store, dataset, head, publication)
                compare_cell(published, None)
                findings += _references(published)
            except SeawallError as error:
                findings.append((f"{dataset} {error.field}", error.message))
                continue
            rows += sum(table.rows for table in published.receipt.tables.values())
            cells.update(((publication, row["cell_id"]), row) for row in _rows(published.rows["cells"]))
    recorded = list(_catalog_rows(store, catalog, findings))
    findings += _compare_catalog(recorded, cells)
    return Audit(publications, rows, len(recorded), tuple(findings))


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


def _catalog_rows(store: ResultStore, catalog: str, findings: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    head = store.head(catalog)
    if head is None:
        return
    with tempfile.TemporaryDirectory() as scratch:
        for number, file in enumerate(file for file in head.files if file.path.startswith("tables/catalog/")):
            path = Path(scratch) / f"{number}.parquet"
            try:
                path.write_bytes(store.read(catalog, head, file.path))
                yield from _rows(read_parquet(TABLES["catalog"], [path]))
            except SeawallError as error:
                findings.append((f"{catalog} {file.path}", error.message))


def _compare_catalog(recorded: list[dict[str, Any]], cells: dict[tuple[str, str], dict[str, Any]]) -> Iterator[tuple[str, str]]:
    sequences = sorted(row["sequence"] for row in recorded)
    if sequences != list(range(1, len(recorded) + 1)):
        yield "catalog.sequence", "the sequence is not dense from 1"
    for row in recorded:
        cell = cells.get((row["publication_id"], row["cell_id"]))
        if cell is None:
            yield f"catalog {row['sequence']}", f"cell {row['cell_id']} of {row['publication_id']} is not published"
            continue
        for column in ("score", "score_low", "score_high", "edition", "quality", "ranked", "planned_trials", "scored_trials"):
            if row[column] != cell[column]:
                yield f"catalog {row['sequence']}.{column}", f"says {row[column]!r}, the cell says {cell[column]!r}"


def _rows(columns: Any) -> Iterator[dict[str, Any]]:
    names = list(columns)
    for values in zip(*columns.values(), strict=True):
        yield dict(zip(names, values, strict=True))
