"""The rows of a listing as published columns: typed values in the listing's order, the same for every format.

A time is integer microseconds inside and ISO 8601 text in JSON, money stays integer micro-USD, a number that is none is missing.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from shared.exports.table_text import plain_value
from shared.tables.schema import Column
from shared.tables.schema import Kind as ColumnKind
from space.listings.listing import Kind, Listed, Listing
from space.readers.engine import Row


def columns_of(listing: Listing) -> tuple[Column, ...]:
    """Return the columns of `listing`; any value may be missing."""
    return tuple(Column(field.name, _KINDS[field.kind], is_nullable=True) for field in listing.fields)


def values_of(listed: Listed) -> list[tuple[Any, ...]]:
    """Return the rows of `listed`, one tuple a row in the order of its columns."""
    columns = columns_of(listed.listing)
    return [tuple(_typed(column, row[column.name]) for column in columns) for row in listed.rows]


def objects_of(listed: Listed) -> list[Row]:
    """Return the rows of `listed` as JSON objects."""
    columns = columns_of(listed.listing)
    return [dict(zip(_names(columns), _plain(columns, values), strict=True)) for values in values_of(listed)]


def _names(columns: Sequence[Column]) -> list[str]:
    return [column.name for column in columns]


def _plain(columns: Sequence[Column], values: Sequence[Any]) -> list[Any]:
    return [plain_value(column, value) for column, value in zip(columns, values, strict=True)]


def _typed(column: Column, value: Any) -> Any:
    return None if value is None else _TYPED[column.kind](value)


def _float(value: Any) -> float | None:
    found = float(value)
    return found if math.isfinite(found) else None


def _int(value: Any) -> int:
    found = int(value)
    if found != value:
        raise ValueError(f"expected a whole number, got {value!r}")
    return found


_KINDS: Final[Mapping[Kind, ColumnKind]] = {
    "text": "text",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "time": "time",
    "micros": "int",
    "seconds": "float",
    "texts": "texts",
}
_TYPED: Final[Mapping[ColumnKind, Callable[[Any], Any]]] = {
    "text": str,
    "int": _int,
    "float": _float,
    "bool": bool,
    "time": _int,
    "texts": list,
}
