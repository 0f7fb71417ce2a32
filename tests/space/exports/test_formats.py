"""A whole list as one file: nothing in it runs, its limits hold, and it names where it is from."""

import csv
import io
from collections.abc import Mapping
from typing import Any

import pyarrow.parquet as pq
import pytest

from shared.errors import BadInput, Refused
from space.exports import formats
from space.exports.formats import export
from space.listings.listing import Field, Listing, discover
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.mirror import Mirror

FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1",
    "-1+2",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    '=HYPERLINK("http://x","y")',
    '","=1+1',
    "a\n=1",
    " =1",
]


def listing_of(sql: str, values: tuple[object, ...] = (), **fields: Any) -> Listing:
    """Return a list of what `sql` gives."""
    columns = tuple(Field(name, kind) for name, kind in fields.items())
    return Listing("made-up", "Made up", frozenset(), columns, ask=lambda _view, _mirror: Statement(sql, values))


@pytest.mark.parametrize("text", FORMULAS)
def test_a_spreadsheet_runs_nothing(text: str, works_mirror: Mirror) -> None:
    """What would be a formula is text, and the rest of the row stays where it was."""
    made = listing_of("SELECT ? AS said, 1 AS n ORDER BY 1", (text,), said="text", n="int")
    data = export(made, View("x", {}), works_mirror, "csv").data
    (head, row) = csv.reader(io.StringIO(data.decode(), newline=""))
    assert (head, row[1]) == (["said", "n"], "1")
    assert row[0] in {text, f"'{text}"}
    assert not row[0].startswith(("=", "+", "-", "@", "\t", "\r"))
    assert data.endswith(b"\r\n")


def test_numbers_keep_their_sign(works_mirror: Mirror) -> None:
    """A negative number is no formula."""
    made = listing_of("SELECT -1.5 AS x, -3 AS n ORDER BY 1", x="float", n="int")
    assert export(made, View("x", {}), works_mirror, "csv").data.decode() == "x,n\r\n-1.5,-3\r\n"


def test_what_no_number_holds_is_missing(works_mirror: Mirror) -> None:
    """No NaN reaches JSON, a missing value is null and empty, a time is ISO 8601."""
    sql = "SELECT 'nan'::DOUBLE AS x, NULL::BIGINT AS n, 1700000000000000 AS at, ['a','b'] AS many ORDER BY 1"
    made = listing_of(sql, x="float", n="int", at="time", many="texts")
    assert export(made, View("x", {}), works_mirror, "csv").data.decode().splitlines()[1] == (
        ',,2023-11-14T22:13:20.000000Z,"[""a"", ""b""]"'
    )
    table = pq.read_table(io.BytesIO(export(made, View("x", {}), works_mirror, "parquet").data)).to_pylist()
    assert (table[0]["x"], table[0]["n"], table[0]["many"]) == (None, None, ["a", "b"])


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_more_than_fifty_thousand_rows_are_refused(form: str, works_mirror: Mirror) -> None:
    """The refusal names the tables to read instead, at their revision; exactly fifty thousand are written."""
    made = listing_of("SELECT i AS n FROM range(50001) t(i) ORDER BY 1", n="int")
    with pytest.raises(Refused) as caught:
        export(made, View("x", {}), works_mirror, form)
    assert caught.value.code == "export.too_large"
    assert "example/harbour-works@1" in caught.value.way_out
    most = listing_of("SELECT i AS n FROM range(50000) t(i) ORDER BY 1", n="int")
    assert len(export(most, View("x", {}), works_mirror, form).data) > 1_000


def test_markdown_holds_two_hundred_rows(works_mirror: Mirror) -> None:
    """Nobody reads more as text; a bar in a text does not make a column."""
    made = listing_of("SELECT 'a|b' AS said FROM range(200) ORDER BY 1", said="text")
    lines = export(made, View("x", {}), works_mirror, "md").data.decode().splitlines()
    assert lines[-1] == "| a\\|b |"
    assert sum(line == lines[-1] for line in lines) == 200
    more = listing_of("SELECT 'a' AS said FROM range(201) ORDER BY 1", said="text")
    with pytest.raises(Refused) as caught:
        export(more, View("x", {}), works_mirror, "md")
    assert caught.value.code == "export.too_large"


def test_an_unknown_format_is_named(works_mirror: Mirror) -> None:
    """With those that there are."""
    with pytest.raises(BadInput) as caught:
        export(discover()["cells"], View("x", {}), works_mirror, "xlsx")
    assert (caught.value.code, caught.value.field) == ("export.format", "format")
    assert "parquet" in caught.value.message


def test_the_same_list_is_the_same_file(works_mirror: Mirror) -> None:
    """Bytes follow from mirror and view alone."""
    for form in formats.FORMS:
        one, two = (export(discover()["cells"], View("x", {}), works_mirror, form) for _ in range(2))
        assert one == two
        assert isinstance(one.data, bytes)


def _types() -> Mapping[str, str]:
    return formats._TYPES


def test_every_format_has_a_type() -> None:
    """A browser is told what it gets."""
    assert set(_types()) == set(formats.FORMS)
