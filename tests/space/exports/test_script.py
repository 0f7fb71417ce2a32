"""The shown query gives the shown rows, in any DuckDB, from a copy of the published tables."""

from pathlib import Path

import duckdb
import pytest

from space.exports.script import bound, script
from space.listings.listing import read_whole
from space.queries.statement import Statement
from space.readers.mirror import Mirror
from tests.space.exports.views import NAMES, views_of


@pytest.mark.parametrize("name", NAMES)
def test_the_shown_query_gives_the_rows_of_the_list(name: str, works: Path, works_mirror: Mirror) -> None:
    """Every column that comes from SQL, every row, the same order."""
    for listing, view in views_of(name, works_mirror):
        listed = read_whole(listing, view, works_mirror)
        connection = duckdb.connect()
        connection.execute(f"SET file_search_path='{works}'")
        found = connection.execute(script(listing, listed.statement, works_mirror))
        columns = [column[0] for column in found.description]
        rows = [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
        given = [field.name for field in listing.fields if not field.is_derived]
        assert set(given) <= set(columns)
        assert [[row[key] for key in given] for row in rows] == [[row[key] for key in given] for row in listed.rows]
        connection.close()


def test_values_are_written_where_they_are_asked() -> None:
    """A question mark inside a text is no place for a value, and a text cannot end itself."""
    statement = Statement("SELECT '?' || ? || 'it''s?', ?::VARCHAR[], ?, ?", ("a'b?", ["x", "y'"], None, 1.5))
    assert duckdb.sql(bound(statement)).fetchall() == [("?a'b?it's?", ["x", "y'"], None, 1.5)]


def test_a_value_without_a_place_is_refused() -> None:
    """What was written is what ran."""
    with pytest.raises(ValueError, match="more values"):
        bound(Statement("SELECT 1", ("x",)))
