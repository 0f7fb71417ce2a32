"""Export published results for other programs: tables as CSV, JSON, Markdown or Parquet, ranked cells for the Hub's leaderboards.

Every row is read through its revision and verified against its receipt first, so nothing leaves that the audit would not pass. A
cell whose newest record in the catalog is not `published` or `restored` goes to no leaderboard, and of several runs of one cell
only the one that is ranked does. Called by `results export`.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.published_proofs import follow_revisions
from runner.usecases.results.published_tables import read_catalog, read_whole_publication
from shared.arrow import write_parquet
from shared.documents.revision import Revision
from shared.errors import Refused
from shared.exports.eval_results import eval_results_file
from shared.exports.table_text import csv_lines, json_text, markdown_lines
from shared.statistics.cells import Cell
from shared.statistics.ranked_sets import Candidate, ranked_sets
from shared.tables.registry import RESULT_TABLES
from shared.tables.schema import Table

STANDING: Final = frozenset({"published", "restored"})


class _Standing(NamedTuple):
    """What the catalog says of one published cell."""

    record: str
    published_sequence: int


_NOWHERE: Final = _Standing("not recorded", 0)

type Rows = Mapping[str, list[Any]]


class ExportedFile(NamedTuple):
    """One file to write: its path inside the export's folder, and its bytes."""

    path: str
    data: bytes


class LeftOut(NamedTuple):
    """A cell that goes to no leaderboard, and why."""

    cell_id: str
    code: str
    reason: str


def export_tables(
    store: ResultStore, dataset: str, number: int | None, tables: Sequence[str], form: str
) -> Iterator[ExportedFile]:
    """Yield a file for each of `tables` of revision `number` (None: the newest) of `dataset`, in the form `form`."""
    revision = _results_revision(store, dataset, number)
    rows = _all_rows(store, dataset, revision, tables)
    for name in tables:
        table = RESULT_TABLES[name][0]
        head = {"dataset": dataset, "revision": revision.number, "table": name, "version": table.version}
        path = f"{dataset.replace('/', '--')}@{revision.number}/{name}.{form}"
        yield ExportedFile(path, _WRITERS[form](table, rows[name], head))


def export_eval_results(
    store: ResultStore, dataset: str, number: int | None, catalog: str, space: str
) -> Iterator[ExportedFile | LeftOut]:
    """Yield the `.eval_results` file of each ranked cell of an open model, below its model's name, and why others have none."""
    revision = _results_revision(store, dataset, number)
    standings = _standings(store, catalog)
    rows = _all_rows(store, dataset, revision, ("cells", "runs"))
    runs = {row["run_id"]: row for row in _each(rows["runs"])}
    cells = [(cell, standings.get((cell["publication_id"], cell["cell_id"]), _NOWHERE)) for cell in _each(rows["cells"])]
    ranked = _ranked(cells)
    for cell, (record, _) in cells:
        if record not in STANDING:
            yield LeftOut(cell["cell_id"], "EXPORT_NOT_RANKED", f"the catalog says that it is {record}")
            continue
        if cell["ranked"] and cell["cell_id"] not in ranked:
            yield LeftOut(cell["cell_id"], "EXPORT_NOT_RANKED", "a newer run of the same cell is ranked")
            continue
        try:
            found = eval_results_file(cell, runs[cell["run_id"]], space)
        except Refused as error:
            if error.code == "EXPORT_NO_ADDRESS":
                raise
            yield LeftOut(cell["cell_id"], error.code, error.message)
        else:
            yield ExportedFile(f"{found.model_repo}/{found.path}", found.data)


def _results_revision(store: ResultStore, dataset: str, number: int | None) -> Revision:
    revision = follow_revisions(store, dataset, number)
    if revision.kind != "results":
        way_out = "`results list` shows which dataset is of which kind."
        raise Refused("DATASET_KIND", f"{dataset} is a catalog and has no rows of results", field="DATASET", way_out=way_out)
    return revision


def _all_rows(store: ResultStore, dataset: str, revision: Revision, tables: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    found: dict[str, dict[str, list[Any]]] = {
        name: {column.name: [] for column in RESULT_TABLES[name][0].columns} for name in tables
    }
    for publication in dict.fromkeys(revision.runs.values()):
        published = read_whole_publication(store, dataset, revision, publication)
        for name in tables:
            for column, values in published.rows[name].items():
                found[name][column].extend(values)
    return found


def _standings(store: ResultStore, catalog: str) -> dict[tuple[str, str], _Standing]:
    """Return what the catalog says of each published cell: its newest record, and the sequence of its first."""
    head = follow_revisions(store, catalog)
    found: dict[tuple[str, str], _Standing] = {}
    for row in sorted(read_catalog(store, catalog, head), key=lambda row: int(row["sequence"])):
        key = (row["publication_id"], row["cell_id"])
        first = found[key].published_sequence if key in found else int(row["sequence"])
        found[key] = _Standing(str(row["record"]), first)
    return found


def _ranked(cells: Sequence[tuple[Mapping[str, Any], _Standing]]) -> frozenset[str]:
    """Return the cells that the leaderboard ranks: of several runs of one cell the one that was published last."""
    names = set(Candidate._fields) - {"cell", "stands", "sequence"}
    sets = ranked_sets(
        Candidate(
            cell=Cell(row["cell_id"], 0.0, {}),
            stands=standing.record in STANDING,
            sequence=standing.published_sequence,
            **{name: row[name] for name in names},
        )
        for row, standing in cells
    )
    return frozenset(cell.cell_id for found in sets.values() for cell in found)


def _each(rows: Rows) -> Iterator[dict[str, Any]]:
    for values in zip(*rows.values(), strict=True):
        yield dict(zip(rows, values, strict=True))


def _in_order(table: Table, rows: Rows) -> list[tuple[Any, ...]]:
    return list(zip(*(rows[column.name] for column in table.columns), strict=True))


def _csv(table: Table, rows: Rows, _head: Mapping[str, Any]) -> bytes:
    return "".join(csv_lines(table.columns, _in_order(table, rows))).encode()


def _json(table: Table, rows: Rows, head: Mapping[str, Any]) -> bytes:
    return json_text(table.columns, _in_order(table, rows), head).encode()


def _markdown(table: Table, rows: Rows, _head: Mapping[str, Any]) -> bytes:
    return "".join(markdown_lines(table.columns, _in_order(table, rows))).encode()


def _parquet(table: Table, rows: Rows, _head: Mapping[str, Any]) -> bytes:
    stream = io.BytesIO()
    write_parquet(table, rows, stream)
    return stream.getvalue()


_WRITERS: Final[Mapping[str, Callable[[Table, Rows, Mapping[str, Any]], bytes]]] = {
    "csv": _csv,
    "json": _json,
    "md": _markdown,
    "parquet": _parquet,
}
FORMS: Final = tuple(_WRITERS)
