"""The one place of `shared` that imports pyarrow: published tables as Parquet files, and back.

Files are zstd-compressed, in plan order (a cell's rows lie together, so readers skip the other row groups), in row groups of
25,000 rows that are converted one at a time, so that memory stays flat. Columns are found by name; a missing or extra column is
an error, since it would change a digest.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from shared.errors import BadInput
from shared.tables.schema import Columns, Constant, Kind, Table

ROW_GROUP: Final = 25_000
_TYPES: Final[dict[Kind, Any]] = {
    "text": pa.string(),
    "int": pa.int64(),
    "float": pa.float64(),
    "bool": pa.bool_(),
    "time": pa.timestamp("us", tz="UTC"),
    "texts": pa.list_(pa.string()),
}
# The default pool keeps what was freed: 50 MB more after six tables, and no faster.
pa.set_memory_pool(pa.system_memory_pool())


def schema_of(table: Table) -> Any:
    """Return the Arrow schema of `table`, with its name and version as metadata."""
    fields = [pa.field(column.name, _TYPES[column.kind], nullable=column.is_nullable) for column in table.columns]
    return pa.schema(fields, metadata={"seawall.table": table.name, "seawall.version": str(table.version)})


def to_arrow(table: Table, rows: Columns) -> Any:
    """Return `rows` as an Arrow table, in their order."""
    arrays = [_array(rows[column.name], _TYPES[column.kind]) for column in table.columns]
    return pa.Table.from_arrays(arrays, schema=schema_of(table))


def _array(values: Sequence[Any], kind: Any) -> Any:
    if isinstance(values, Constant):
        return pa.repeat(pa.scalar(values.value, type=kind), len(values))
    return pa.array(values, type=kind)


def write_parquet(table: Table, rows: Columns, into: Path | BinaryIO, notes: Mapping[str, str] | None = None) -> None:
    """Write `rows` of `table` to the file `into`; `notes` stand beside name and version in its metadata."""
    count = len(rows[table.key])
    schema = schema_of(table)
    if notes:
        schema = schema.with_metadata({**schema.metadata, **notes})
    with pq.ParquetWriter(into, schema, compression="zstd") as writer:
        for start in range(0, max(count, 1), ROW_GROUP):
            part = {column.name: rows[column.name][start : start + ROW_GROUP] for column in table.columns}
            writer.write_table(to_arrow(table, part))


def read_parquet(table: Table, files: Iterable[Path]) -> dict[str, list[Any]]:
    """Return the rows of `files` by column, in the order of the files; times as integer microseconds."""
    rows: dict[str, list[Any]] = {column.name: [] for column in table.columns}
    for file in files:
        for name, values in _read_file(table, file).items():
            rows[name].extend(values)
    return rows


def _read_file(table: Table, file: Path) -> dict[str, list[Any]]:
    # The partition folder `benchmark=..` repeats a column of the file; the file's own column is read.
    try:
        found = pq.ParquetFile(file).read()
    except (pa.ArrowInvalid, OSError) as error:
        raise BadInput(
            "TABLE_UNREADABLE",
            f"{file.name} is not a readable Parquet file: {error}",
            way_out="Compare it with another copy; `results rebuild` makes the tables anew.",
        ) from error
    names = {column.name for column in table.columns}
    if set(found.column_names) != names:
        odd = sorted(names.symmetric_difference(found.column_names))
        raise BadInput(
            "TABLE_SCHEMA",
            f"{file.name}: table {table.name} differs in the columns {', '.join(odd)}",
            way_out="Read it with the version that wrote it, or rebuild it with `results rebuild`.",
        )
    return {column.name: _values(found.column(column.name), column.kind) for column in table.columns}


def _values(column: Any, kind: Kind) -> list[Any]:
    if kind == "time":
        column = column.cast(pa.int64())
    values: list[Any] = column.to_pylist()
    return values
