"""Rows as text: read back by an independent reader they are the same rows."""

import csv
import io
import json
from typing import Any

import pytest

from shared.errors import Refused
from shared.exports.table_text import csv_lines, json_text, markdown_lines
from shared.tables.schema import columns

COLUMNS = columns("name count:i? ratio:f? is_on:b? at:t? words:l?")
ROWS: list[tuple[Any, ...]] = [
    ("plain", 1, 0.1, True, 1_700_000_000_000_001, ["a", "é"]),
    ('with "quotes", a comma\r\nand a break', None, None, None, None, None),
    (" spaces ", -5, 1e-07, False, 0, []),
]


def test_csv_reads_back() -> None:
    """Names first, missing values empty, times in UTC."""
    names, *found = list(csv.reader(io.StringIO("".join(csv_lines(COLUMNS, ROWS)), newline="")))
    assert names == ["name", "count", "ratio", "is_on", "at", "words"]
    assert found[0] == ["plain", "1", "0.1", "true", "2023-11-14T22:13:20.000001Z", '["a", "é"]']
    assert found[1] == ['with "quotes", a comma\r\nand a break', "", "", "", "", ""]
    assert found[2] == [" spaces ", "-5", "1e-07", "false", "1970-01-01T00:00:00.000000Z", "[]"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_text_is_a_formula(text: str) -> None:
    """An apostrophe stands in front; a negative number is a number."""
    (found,) = list(csv.reader(io.StringIO("".join(csv_lines(COLUMNS, [(text, -1, None, None, None, None)])), newline="")))[1:]
    assert found[:2] == [f"'{text}", "-1"]


def test_json_reads_back() -> None:
    """One document: where the rows are from, the names, the rows."""
    found = json.loads(json_text(COLUMNS, ROWS, {"dataset": "a/b", "revision": 3}))
    assert (found["dataset"], found["revision"], found["columns"][0]) == ("a/b", 3, "name")
    assert found["rows"][0] == ["plain", 1, 0.1, True, "2023-11-14T22:13:20.000001Z", ["a", "é"]]
    assert found["rows"][1][1:] == [None] * 5


def test_markdown_has_one_line_a_row_and_no_markup_of_the_values() -> None:
    """Whatever a name holds."""
    lines = list(markdown_lines(COLUMNS[:1], [("a|b\n<b>`c`",)]))
    assert lines == ["| name |\n", "|---|\n", "| a\\|b &lt;b>\\`c\\` |\n"]
    assert list(markdown_lines(COLUMNS[:1], [("![x](http://a.example/p)",)]))[2] == "| !\\[x](http://a.example/p) |\n"


def test_a_long_markdown_table_is_refused() -> None:
    """The other forms have no bound."""
    with pytest.raises(Refused, match="EXPORT_TOO_LARGE"):
        list(markdown_lines(COLUMNS[:1], [("x",)] * 201))
