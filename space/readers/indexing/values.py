"""Which values a published row may hold: what no page could show, or no sum could bear, is refused before it is indexed.

A publisher computed them and every digest fits; still a duration that is no number, a time after the year 9999 or a cell without
planned trials would fail each page that meets it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from shared.outcomes import Outcome
from shared.tables.registry import TABLES
from shared.tables.schema import Column, Table
from space.readers.engine import Engine
from space.readers.indexing.tables import OF_ONE_PUBLICATION, every_file
from space.readers.source import SCHEMA, TOO_LARGE, SourceFault

MAX_TEXT_BYTES: Final = 64 << 10
MAX_INT: Final = 2**60
FIRST_MICROS: Final = -62_135_596_800_000_000
LAST_MICROS: Final = 253_402_300_799_999_999
"""The years 1 to 9999."""
_READ_WHOLE: Final = frozenset(TABLES) - frozenset(OF_ONE_PUBLICATION)
"""The tables of a row a cell or less; of the others texts are read where a page asks for them."""
_AT_LEAST_ONE: Final = frozenset({("cells", "planned_trials"), ("cells", "repeats"), ("cells", "tasks")})
_ASTRAY: Final = r"""
SELECT parse_filename(filename) AS file, publication_id FROM read_parquet(?, hive_partitioning=false, filename=true)
WHERE regexp_replace(file, '-[0-9]+\.parquet$', '') <> publication_id LIMIT 1
"""
_OUTCOMES: Final = ", ".join(f"'{outcome.value}'" for outcome in Outcome)


def check_values(engine: Engine) -> None:
    """Check every value of every view; raise SourceFault naming the first column that has a wrong one."""
    for table in TABLES.values():
        rules = [(column, code, why, rule) for column in table.columns for code, why, rule in _rules(table, column)]
        counts = ", ".join(f"count(*) FILTER (WHERE {rule})" for *_, rule in rules)
        [found] = engine.build(f"SELECT {counts} FROM {table.name}")  # noqa: S608 - declared names, rules of ours
        for (column, code, why, _), count in zip(rules, found, strict=True):
            if count:
                raise SourceFault(code, f"{table.name} has {count} rows whose {column.name} is {why}")


def check_places(engine: Engine, folder: Path) -> None:
    """Check that the rows of a publication lie in the files that are called by its name: its pages read no others."""
    for name in OF_ONE_PUBLICATION:
        if any((folder / "tables" / name).rglob("*.parquet")):
            astray = engine.build(_ASTRAY, (every_file(folder, name),))
            if astray:
                raise SourceFault(SCHEMA, f"the file {astray[0][0]} of {name} holds rows of {astray[0][1]}")


def _rules(table: Table, column: Column) -> Iterator[tuple[str, str, str]]:
    """Yield (code, what is wrong, when it is) for what a value of `column` must not be."""
    name = column.name
    match column.kind:
        case "float":
            yield SCHEMA, "no finite number", f"NOT isfinite({name})"
        case "int":
            least = int((table.name, name) in _AT_LEAST_ONE)
            yield SCHEMA, f"not between {least} and {MAX_INT}", f"{name} NOT BETWEEN {least} AND {MAX_INT}"
        case "time":
            yield SCHEMA, "no time from year 1 to 9999", f"{name} NOT BETWEEN {FIRST_MICROS} AND {LAST_MICROS}"
        case "text" if table.name in _READ_WHOLE:
            yield TOO_LARGE, f"longer than {MAX_TEXT_BYTES >> 10} KiB", f"strlen({name}) > {MAX_TEXT_BYTES}"
        case "texts" if table.name in _READ_WHOLE:
            yield TOO_LARGE, f"longer than {MAX_TEXT_BYTES >> 10} KiB", f"strlen(array_to_string({name}, ',')) > {MAX_TEXT_BYTES}"
    if not column.is_nullable and table.name in _READ_WHOLE:
        yield SCHEMA, "missing", f"{name} IS NULL"
    if (table.name, name) == ("trials", "outcome"):
        yield SCHEMA, "no outcome that this Space knows", f"{name} NOT IN ({_OUTCOMES})"
