"""A list of one training table: its declared columns, and an answer that is empty until a catalog publishes the table."""

from collections.abc import Callable, Mapping
from typing import Final

from shared.tables.registry import TABLES
from space.listings.listing import Field, Kind
from space.listings.training.meanings import EMPTY, MEANINGS
from space.queries.statement import Statement
from space.queries.training import tables as query
from space.queries.view import View
from space.readers.mirror import Mirror


def asks(
    table: str, fields: tuple[Field, ...], *, key: str, newest: str, parameter: str = ""
) -> Callable[[View, Mirror], Statement]:
    """Return what a listing of `table` asks; with `parameter`, the key of the view that names one of its rows."""
    names = [field.name for field in fields]

    def ask(view: View, _mirror: Mirror) -> Statement:
        value = view.text(parameter) if parameter else ""
        return query.rows(table, names, TABLES, key=key, newest=newest, key_value=value)

    return ask


def fields(columns: str) -> tuple[Field, ...]:
    """Return fields from their short form `name` or `name:kind`, apart by blanks; kind is a letter of the tables' own."""
    found = []
    for column in columns.split():
        name, _, kind = column.partition(":")
        found.append(Field(name, _KINDS[kind], MEANINGS[name], empty=EMPTY))
    return tuple(found)


_KINDS: Final[Mapping[str, Kind]] = {
    "": "text",
    "i": "int",
    "f": "float",
    "b": "bool",
    "t": "time",
    "l": "texts",
    "m": "micros",
}
JOB: Final = "job_id flavor started_at:t finished_at:t wall_s:f cost_usd_micros:m"
