"""Rows of a published table as text for other programs: CSV, JSON, Markdown.

CSV is that of RFC 4180; text that a spreadsheet would take for a formula gets an apostrophe in front. Times are ISO 8601 in UTC,
money stays integer micro-USD, a missing value is empty (null in JSON), a list is its JSON. Numbers are the shortest text that
reads back to the same value. Called by `results export` and by the Space.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from shared.errors import Refused
from shared.tables.schema import Column

MAX_MARKDOWN_ROWS: Final = 200
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

type Values = Iterable[Sequence[Any]]


def csv_lines(columns: Sequence[Column], rows: Values) -> Iterator[str]:
    """Yield the lines of a CSV file, each with its line end, the names first."""
    yield ",".join(_csv_text(column.name) for column in columns) + "\r\n"
    for row in rows:
        yield ",".join(_csv_value(column, value) for column, value in zip(columns, row, strict=True)) + "\r\n"


def json_text(columns: Sequence[Column], rows: Values, head: Mapping[str, Any]) -> str:
    """Return one JSON document: the fields of `head`, then the names of the columns and one array a row."""
    plain = [[plain_value(column, value) for column, value in zip(columns, row, strict=True)] for row in rows]
    document = {**head, "columns": [column.name for column in columns], "rows": plain}
    return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"


def markdown_lines(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; raise Refused EXPORT_TOO_LARGE over 200 rows, which nobody reads as text."""
    if len(rows) > MAX_MARKDOWN_ROWS:
        message = f"{len(rows)} rows, and Markdown holds at most {MAX_MARKDOWN_ROWS}"
        raise Refused("EXPORT_TOO_LARGE", message, field="--format", way_out="Use csv, json or parquet.")
    yield "| " + " | ".join(_markdown_text(column.name) for column in columns) + " |\n"
    yield "|" + "---|" * len(columns) + "\n"
    for row in rows:
        values = (plain_value(column, value) for column, value in zip(columns, row, strict=True))
        yield "| " + " | ".join(_markdown_text(_as_text(value)) for value in values) + " |\n"


def plain_value(column: Column, value: Any) -> Any:
    """Return `value` of `column` as JSON has it: a time as ISO 8601 text, a list as a list."""
    if value is None:
        return None
    if column.kind == "time":
        return (_EPOCH + timedelta(microseconds=value)).isoformat(timespec="microseconds").replace("+00:00", "Z")
    return list(value) if column.kind == "texts" else value


def _csv_value(column: Column, value: Any) -> str:
    text = _as_text(plain_value(column, value))
    if column.kind == "text" and text.startswith(_FORMULA):
        text = f"'{text}"
    return _csv_text(text)


def _csv_text(text: str) -> str:
    if any(mark in text for mark in ',"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _as_text(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _markdown_text(text: str) -> str:
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("\\", "\\\\").replace("|", "\\|").replace("`", "\\`")
    escaped = escaped.replace("[", "\\[")  # No link and no picture: looking at results asks nobody else for anything.
    return " ".join(escaped.split())
