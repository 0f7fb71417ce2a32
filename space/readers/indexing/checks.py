"""What a copied revision set must satisfy before it is served: known columns, row counts and table digests of the receipts.

Sizes and SHA-256 were checked while copying. Here every file must have exactly the columns that its table declares, of their
types (otherwise one differing file would silently drop a column, or fail a page), every publication as many rows as its receipt
says, no key twice, and the rows of `cells` must have the table digest of their receipt.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final

from shared.documents.receipt import Receipt
from shared.tables.canonical import table_digest
from shared.tables.registry import RESULT_TABLES, TABLES
from shared.tables.schema import Column, Kind, Table
from space.readers.engine import Engine
from space.readers.source import CHECKSUM, SCHEMA, TOO_LARGE, SourceFault

MAX_ROWS: Final = 50_000_000
MAX_DECODED_BYTES: Final = 512 << 20
_WIDTHS: Final[dict[Kind, int]] = {"text": 16, "int": 8, "float": 8, "bool": 1, "time": 8, "texts": 16}


def check_files(engine: Engine, files: Mapping[str, Sequence[Path]]) -> None:
    """Check the name, the columns and the decoded size of every file of every table."""
    rows = 0
    for name, found in files.items():
        if found:
            _check_names(TABLES[name], found)
            _check_columns(engine, TABLES[name], found)
            rows += _check_decoded_size(engine, TABLES[name], found)
    if rows > MAX_ROWS:
        raise SourceFault(TOO_LARGE, f"the published tables have {rows:,} rows, more than {MAX_ROWS:,}")


def check_receipts(engine: Engine, receipts: Iterable[Receipt]) -> None:
    """Check that every publication has the rows that its receipt counts, and that no key stands twice."""
    known = {receipt.publication_id: receipt for receipt in receipts}
    for name, (table, _) in RESULT_TABLES.items():
        counted = engine.build(f"SELECT publication_id, count(*), any_value(schema_version) FROM {name} GROUP BY 1")  # noqa: S608 - ours
        for publication, count, version in counted:
            if publication not in known or known[publication].tables[name].rows != count:
                raise SourceFault(CHECKSUM, f"publication {publication} has {count} rows of {name}, unlike its receipt")
            if version != table.version:
                raise SourceFault(SCHEMA, f"{name} has version {version}, this Space reads {table.version}")
        missing = {key for key, receipt in known.items() if receipt.tables[name].rows} - {row[0] for row in counted}
        if missing:
            raise SourceFault(CHECKSUM, f"publication {min(missing)} lacks its rows of {name}")
    for name, table in TABLES.items():
        [(rows, different)] = engine.build(f"SELECT count(*), count(DISTINCT hash({table.key})) FROM {name}")  # noqa: S608 - ours
        if rows == different:
            continue
        twice = engine.build(f"SELECT {table.key} FROM {name} GROUP BY 1 HAVING count(*) > 1 LIMIT 1")  # noqa: S608 - our own names
        if twice:
            raise SourceFault(SCHEMA, f"{name} has two rows with the {table.key} {twice[0][0]}")


def check_catalog(engine: Engine, receipts: Iterable[Receipt]) -> None:
    """Check that the catalog names the receipts that lie there, and no cell without a row."""
    digests = {receipt.publication_id: str(receipt.digest) for receipt in receipts}
    for publication, digest in engine.build(
        "SELECT DISTINCT publication_id, receipt_sha256 FROM catalog WHERE record <> 'private'"
    ):
        if digests.get(publication) != digest:
            raise SourceFault(CHECKSUM, f"the receipt of {publication} is not the one that the catalog names")
    lost = engine.build(
        "SELECT cell_id FROM catalog ANTI JOIN cells USING (publication_id, cell_id) WHERE record <> 'private' LIMIT 1"
    )
    if lost:
        raise SourceFault(SCHEMA, f"the catalog names the cell {lost[0][0]}, which has no row")


def check_tables(engine: Engine, receipts: Iterable[Receipt]) -> None:
    """Recompute the table digest of `cells` of every publication from its rows, in the order of its files."""
    table = TABLES["cells"]
    listed = {receipt.publication_id: receipt.tables["cells"] for receipt in receipts}
    if odd := next((each.version for each in listed.values() if each.version != table.version), None):
        raise SourceFault(SCHEMA, f"cells has version {odd}, this Space reads {table.version}")
    _check_text_size(engine, table)
    names = [column.name for column in table.columns]
    place = names.index("publication_id")
    found = engine.scan(f"SELECT {', '.join(names)} FROM cells")  # noqa: S608 - declared names
    for publication, group in groupby(found, key=itemgetter(place)):
        rows = dict(zip(names, map(list, zip(*group, strict=True)), strict=True))
        if publication not in listed or table_digest(table, rows) != listed.pop(publication).sha256:
            raise SourceFault(CHECKSUM, f"the rows of cells of {publication} are not those of its receipt")
    if any(each.rows for each in listed.values()):
        raise SourceFault(CHECKSUM, "a publication lacks its rows of cells")


def _check_text_size(engine: Engine, table: Table) -> None:
    """Check what the texts of `table` grow to before they become Python values."""
    texts = " + ".join(f"coalesce(sum(strlen({column.name})), 0)" for column in table.columns if column.kind == "text")
    grown = engine.build(f"SELECT publication_id, {texts} AS bytes FROM {table.name} GROUP BY 1 ORDER BY 2 DESC LIMIT 1")  # noqa: S608 - declared names
    if grown and grown[0][1] > MAX_DECODED_BYTES:
        raise SourceFault(TOO_LARGE, f"{table.name} of {grown[0][0]} decodes to more than {MAX_DECODED_BYTES >> 20} MiB")


def _check_columns(engine: Engine, table: Table, files: Sequence[Path]) -> None:
    """Check names and types: a column of another type under a known name would fail a page, not the check."""
    wanted = {("schema", ""), *(part for column in table.columns for part in _parts(column))}
    listed = [str(file) for file in files]
    named = engine.build(
        "SELECT file_name, list((name, concat_ws(' ', type, converted_type))) FROM parquet_schema(?) GROUP BY file_name",
        (listed,),
    )
    for file, parts in named:
        odd = {str(name) for name, _ in wanted.symmetric_difference(parts)}
        if odd:
            raise SourceFault(SCHEMA, f"{Path(file).name}: table {table.name} differs in the columns {', '.join(sorted(odd))}")
    if len(named) != len(files):
        raise SourceFault(SCHEMA, f"not every file of {table.name} can be read by its name")


def _parts(column: Column) -> Iterator[tuple[str, str]]:
    """Yield the elements by which Parquet says what a column is: its name, its stored type and what that means."""
    if column.kind == "texts":
        yield from ((column.name, "LIST"), ("list", ""), ("element", _STORED["text"]))
    else:
        yield (column.name, _STORED[column.kind])


def _check_names(table: Table, files: Sequence[Path]) -> None:
    """Check that a file is called as those who look for its publication expect it, and that no name is a pattern."""
    for file in files:
        if not (_PLACE.fullmatch(file.parent.name) and _NAME.fullmatch(file.name) and file.parent.parent.name == table.name):
            raise SourceFault(SCHEMA, f"a file of {table.name} is not called benchmark=NAME/PUBLICATION-NNN.parquet: {file.name}")


_PLACE: Final = re.compile(r"benchmark=[A-Za-z0-9][A-Za-z0-9._-]{0,200}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,200}-[0-9]{3,6}\.parquet")
_STORED: Final[dict[Kind, str]] = {
    "text": "BYTE_ARRAY UTF8",
    "int": "INT64",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "time": "INT64 TIMESTAMP_MICROS",
}


def _check_decoded_size(engine: Engine, table: Table, files: Sequence[Path]) -> int:
    width = sum(_WIDTHS[column.kind] for column in table.columns)
    total = 0
    for file, rows in engine.build("SELECT file_name, num_rows FROM parquet_file_metadata(?)", ([str(file) for file in files],)):
        if rows * width > MAX_DECODED_BYTES:
            raise SourceFault(TOO_LARGE, f"{Path(file).name} decodes to more than {MAX_DECODED_BYTES >> 20} MiB")
        total += rows
    return total
