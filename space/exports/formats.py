"""A whole list as one file: CSV, Parquet, JSON, Markdown, or the SQL behind it.

CSV, JSON and Markdown have rows as `results export` would write them. Parquet and JSON carry the revisions, the SQL, the versions
and what each column means, so a file says for itself where its numbers are from and what they measure; Markdown describes the
columns above the rows. A CSV has no place for that: its names say money and seconds, and its answer links to the description.
"""

import io
import json
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from shared import versions
from shared.arrow import write_parquet
from shared.errors import BadInput
from shared.exports.table_text import MAX_MARKDOWN_ROWS, csv_lines, json_text, markdown_lines
from shared.tables.schema import Table
from space.exports.answers import revisions_answer
from space.exports.columns import columns_of, values_of
from space.exports.script import bound, derived_names, script
from space.listings.listing import MAX_ROWS, Listed, Listing, read_whole
from space.listings.units import described, unit_of
from space.queries.view import View, address
from space.readers.mirror import Mirror

LIST_VERSION: Final = 2
"""The version of what is written of a list: names and meaning of the columns."""


class Exported(NamedTuple):
    """One file: its bytes, its media type and its name."""

    data: bytes
    media_type: str
    name: str


def export(listing: Listing, view: View, mirror: Mirror, form: str) -> Exported:
    """Return the list that `view` asks for in the form `form`; raise Refused `export.too_large`, BadInput `export.format`."""
    if form not in FORMS:
        raise BadInput("export.format", f"expected one of {', '.join(FORMS)}, got {form[:40]!r}", field="format")
    name = f"seawall-{listing.name}-{mirror.identity[:12]}.{form}"
    if form == "sql":
        return Exported(script(listing, listing.ask(view, mirror), mirror).encode(), _TYPES[form], name)
    listed = read_whole(listing, view, mirror, MAX_MARKDOWN_ROWS if form == "md" else MAX_ROWS)
    return Exported(_WRITERS[form](listed, view, mirror), _TYPES[form], name)


def notes(listed: Listed, view: View, mirror: Mirror) -> Mapping[str, Any]:
    """Return where the numbers of a file come from."""
    return {
        "list": listed.listing.name,
        "view": address(view),
        "mirror": mirror.identity,
        "revisions": revisions_answer(mirror),
        "sql": bound(listed.statement),
        "not_from_sql": derived_names(listed.listing),
        "described": {field.name: described(field) for field in listed.listing.fields},
        "units": {field.name: unit_of(field) for field in listed.listing.fields if unit_of(field)},
        "versions": {
            "list": LIST_VERSION,
            "statistics": versions.STATISTICS,
            "publication": versions.PUBLICATION_CONTRACT,
            "classification": versions.CLASSIFICATION,
        },
    }


def _csv(listed: Listed, _view: View, _mirror: Mirror) -> bytes:
    return "".join(csv_lines(columns_of(listed.listing), values_of(listed))).encode("utf-8", "replace")


def _json(listed: Listed, view: View, mirror: Mirror) -> bytes:
    return json_text(columns_of(listed.listing), values_of(listed), notes(listed, view, mirror)).encode("utf-8", "replace")


def _markdown(listed: Listed, view: View, mirror: Mirror) -> bytes:
    names = ", ".join(f"{name}@{head['revision']}" for name, head in revisions_answer(mirror).items())
    rows = "row" if listed.total == 1 else "rows"
    head = f"# {listed.listing.title}\n\n{listed.total} {rows} of {names}; the same list: `{address(view)}`\n\n"
    columns = "".join(f"- {field.name}: {described(field)}\n" for field in listed.listing.fields) + "\n"
    return (head + columns + "".join(markdown_lines(columns_of(listed.listing), values_of(listed)))).encode("utf-8", "replace")


def _parquet(listed: Listed, view: View, mirror: Mirror) -> bytes:
    columns = columns_of(listed.listing)
    values = values_of(listed)
    rows = {column.name: [row[place] for row in values] for place, column in enumerate(columns)}
    table = Table(listed.listing.name, LIST_VERSION, listed.listing.title, columns[0].name, columns)
    said = {f"seawall.{key}": _text(value) for key, value in notes(listed, view, mirror).items()}
    stream = io.BytesIO()
    write_parquet(table, rows, stream, said)
    return stream.getvalue()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_WRITERS: Final[Mapping[str, Callable[[Listed, View, Mirror], bytes]]] = {
    "csv": _csv,
    "parquet": _parquet,
    "json": _json,
    "md": _markdown,
}
FORMS: Final = (*_WRITERS, "sql")
_TYPES: Final[Mapping[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "sql": "text/plain; charset=utf-8",
}
