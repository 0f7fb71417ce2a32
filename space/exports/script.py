"""The query behind a list as one SQL script: it gives the list's rows in any DuckDB, from a download of the published tables.

The script makes the views and tables that the query reads, as the mirror made them, then runs the query with its values written
out. What SQL does not decide stands in it as values: which cells are withheld, and who is ranked, by shared/statistics. Columns
that no SQL gives (rank ranges and the like) are named at its head.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from shared import versions
from shared.tables.registry import TABLES
from space.listings.listing import Listing
from space.queries.statement import Statement
from space.readers.indexing import tables
from space.readers.indexing.measures import MEASURES
from space.readers.mirror import Mirror

_RANKED: Final = "-- is_ranked is computed by the Space (shared/statistics), not from SQL; these are whom it found"
_JUDGED: Final = "-- computed by the Space, not from SQL: these disagree with their own rows"
MAX_SHOWN_FILES: Final = 200
"""A script that reads more files is thousands of lines long: a page links to it."""
_PLACE: Final = re.compile(r"'(?:[^']|'')*'|\?")


def script(listing: Listing, statement: Statement, mirror: Mirror) -> str:
    """Return the whole script of `statement`, the query of `listing`."""
    definitions = definitions_for(statement.sql, mirror)
    return "\n".join(
        [*_head(listing, statement, mirror), "", *(f"{each.strip()};" for each in definitions), "", bound(statement) + ";", ""]
    )


def shown_script(listing: Listing, statement: Statement, mirror: Mirror) -> str:
    """Return the whole script for a page, "" where it is too long to be read there."""
    heads = mirror.revisions.datasets.values()
    is_short = sum(len(head.revision.files) for head in heads) <= MAX_SHOWN_FILES
    return script(listing, statement, mirror).strip() if is_short else ""


def bound(statement: Statement) -> str:
    """Return the SQL of `statement` with its values written in the place of the question marks."""
    values = iter(statement.values)
    written = _PLACE.sub(lambda found: literal(next(values)) if found[0] == "?" else found[0], statement.sql)
    if next(values, None) is not None:
        raise ValueError("a statement has more values than places")
    return written.strip()


def literal(value: object) -> str:
    """Return `value` as SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, Iterable):
        return "[" + ", ".join(literal(each) for each in value) + "]"
    raise TypeError(f"no SQL value: {value!r}")


def revision_names(mirror: Mirror) -> list[str]:
    """Return `dataset@revision` of everything that `mirror` shows, the catalog first; on the Hub a revision is a commit."""
    heads = [*([mirror.revisions.catalog] if mirror.revisions.catalog else []), *mirror.revisions.datasets.values()]
    return [f"{head.dataset}@{head.commit or head.revision.number}" for head in heads]


def derived_names(listing: Listing) -> list[str]:
    """Return the columns of `listing` that shared/statistics gives, not SQL."""
    return [field.name for field in listing.fields if field.is_derived]


def definitions_for(sql: str, mirror: Mirror) -> list[str]:
    """Return the statements that make what `sql` reads, in an order in which each finds what it needs."""
    makers = _makers(mirror)
    wanted: set[str] = set()
    waiting = _named(sql, makers)
    made: dict[str, list[str]] = {}
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            made[name] = list(makers[name]())
            waiting |= _named(" ".join(made[name]), makers)
    return [statement for name in makers if name in made for statement in made[name]]


def _head(listing: Listing, statement: Statement, mirror: Mirror) -> Iterator[str]:
    yield f"-- {listing.title}: the query behind this list, for DuckDB"
    yield "-- Start it in the folder that holds these datasets, each at this revision, as OWNER/NAME/tables/..:"
    yield from (f"--   {_line(name)}" for name in revision_names(mirror))
    yield f"-- Values: {_line(literal(list(statement.values)))}"
    derived = derived_names(listing)
    if derived:
        yield f"-- Not from SQL but from shared/statistics, version {versions.STATISTICS}: {', '.join(derived)}"


def _line(text: str) -> str:
    """Return `text` without anything that would end a comment."""
    return "".join(character if character.isprintable() else " " for character in text)


def _makers(mirror: Mirror) -> Mapping[str, Callable[[], Iterable[str]]]:
    """Return, in order, what makes each name that a query may read."""
    return {
        **{name: partial(_view, mirror, name) for name in TABLES},
        **{f"{name}_of": partial(_macro, name) for name in tables.OF_ONE_PUBLICATION},
        "run": lambda: [tables.RUN],
        "cell_task": lambda: [tables.CELL_TASK],
        "withheld": partial(_withheld, mirror),
        "cell": partial(_cell, mirror),
        **{name: partial(_as_it_is, sql) for name, sql in MEASURES.items()},
    }


def _view(mirror: Mirror, name: str) -> list[str]:
    return [tables.create_view(TABLES[name], _files(mirror, name))]


def _as_it_is(sql: str) -> list[str]:
    return [sql]


def _files(mirror: Mirror, table: str) -> Sequence[str]:
    """Return the files of a table below the folder that holds all datasets, in the order of the mirror."""
    heads = [*([mirror.revisions.catalog] if mirror.revisions.catalog else []), *mirror.revisions.datasets.values()]
    found = [
        (file.path, f"{head.dataset}/{file.path}")
        for head in heads
        for file in head.revision.files
        if file.path.startswith(f"tables/{table}/") and file.path.endswith(".parquet")
    ]
    return [path for _, path in sorted(found)]


def _macro(table: str) -> list[str]:
    return [f"CREATE MACRO {table}_of(one) AS TABLE SELECT * FROM {table} WHERE publication_id = one"]  # noqa: S608 - declared names


def _withheld(mirror: Mirror) -> list[str]:
    rows = mirror.rows(Statement("SELECT cell_id, reason FROM withheld ORDER BY cell_id"))
    values = ", ".join(f"({literal(row['cell_id'])}, {literal(row['reason'])})" for row in rows)
    return [tables.WITHHELD, *([f"{_JUDGED}\nINSERT INTO withheld VALUES {values}"] if values else [])]


def _cell(mirror: Mirror) -> list[str]:
    ranked = [row["cell_id"] for row in mirror.rows(Statement("SELECT cell_id FROM cell WHERE is_ranked ORDER BY cell_id"))]
    return [*tables.CELL, f"{_RANKED}\n{bound(Statement(tables.SET_RANKED, (ranked,)))}"]


def _named(sql: str, makers: Mapping[str, object]) -> set[str]:
    return set(re.findall(r"[a-z_]+", sql)) & set(makers)
