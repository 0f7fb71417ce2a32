"""A statement: SQL text with `?` for every value that comes from outside, and those values in order."""

from typing import NamedTuple


class Statement(NamedTuple):
    """One read. `sql` is made of fixed pieces alone; whatever a visitor or a table says stands in `values`."""

    sql: str
    values: tuple[object, ...] = ()
