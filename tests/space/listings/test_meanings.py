"""Every column of every list is described, in every place that describes columns, with what an empty field of it says."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from space.exports.formats import export
from space.exports.openapi import openapi
from space.listings.listing import Field, Listing, discover, read_whole
from space.listings.meanings import EMPTY, MEANINGS, NEVER, empty_of, meaning_of
from space.listings.units import described, unit_of
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.builders.goldens import check_golden
from tests.builders.troubles import publish_troubles
from tests.space.publishing import mirror_of

LISTS = discover()
COLUMNS = Path(__file__).parents[3] / "docs/columns.md"


@pytest.fixture(scope="module")
def mirrors(works_mirror: Mirror, sample_mirror: Mirror, tmp_path_factory: pytest.TempPathFactory) -> list[Mirror]:
    """Three sources with everything that may be missing."""
    root = tmp_path_factory.mktemp("troubles")
    publish_troubles(root)
    return [works_mirror, sample_mirror, mirror_of(root, tmp_path_factory.mktemp("mirror"))]


def views(name: str, mirror: Mirror) -> Iterator[View]:
    """Yield views of a list in which it has rows."""
    cells = sorted(row["cell_id"] for row in read_whole(LISTS["cells"], View("cells", {}), mirror).rows)
    if name == "compare":
        yield from (View(name, {"cells": tuple(cells[place : place + 4])}) for place in range(0, len(cells) - 1, 3))
    elif name == "history":
        yield from (View(name, {"cell_id": cell}) for cell in cells)
    else:
        yield View(name, {})


@pytest.mark.parametrize("listing", LISTS.values(), ids=LISTS)
def test_every_column_of_every_list_is_described(listing: Listing) -> None:
    """With a meaning and what its emptiness says; numbers with a unit, or a meaning that says what is counted."""
    assert listing.fields
    for field in listing.fields:
        assert meaning_of(field), field.name
        assert empty_of(field), field.name
        assert unit_of(field) or field.kind in {"text", "texts", "int", "bool"}, field.name
        assert "`" not in described(field)


@pytest.mark.parametrize("listing", LISTS.values(), ids=LISTS)
def test_a_column_that_is_never_empty_is_not(listing: Listing, mirrors: list[Mirror]) -> None:
    """In every row of three sources; a field is empty only where the dictionary says what that means."""
    full = [field.name for field in listing.fields if empty_of(field) == NEVER]
    for mirror in mirrors:
        for view in views(listing.name, mirror):
            rows = read_whole(listing, view, mirror).rows
            assert {name for row in rows for name in full if row[name] is None or row[name] == ""} == set()


def test_no_word_of_the_dictionary_is_left_over() -> None:
    """A name that no list has is a name that was changed."""
    names = {field.name for listing in LISTS.values() for field in listing.fields}
    assert MEANINGS.keys() <= names
    assert EMPTY.keys() <= names


def test_each_file_says_what_its_columns_mean(works_mirror: Mirror) -> None:
    """JSON and Parquet beside the rows, Markdown above them, and the description of the API, in the same words."""
    listing = LISTS["leaderboard"]
    said = {field.name: described(field) for field in listing.fields}
    made = {form: export(listing, View("", {}), works_mirror, form).data for form in ("json", "parquet", "md")}
    assert json.loads(made["json"])["described"] == said
    metadata = pq.ParquetFile(io.BytesIO(made["parquet"])).schema_arrow.metadata
    assert json.loads(metadata[b"seawall.described"]) == said
    head = made["md"].decode().split("\n| ")[0]
    assert all(f"- {name}: {text}\n" in head for name, text in said.items())
    answer = openapi()["paths"]["/api/v1/leaderboard"]["get"]["responses"]["200"]
    rows = answer["content"]["application/json"]["schema"]["properties"]["rows"]["items"]["properties"]
    assert {name: rows[name]["description"] for name in said} == said


def test_the_documents_hold_the_dictionary() -> None:
    """docs/columns.md is made from it."""
    told: dict[tuple[str, str, str, str], list[str]] = {}
    for listing in LISTS.values():
        for field in listing.fields:
            told.setdefault(_line(field), []).append(listing.name)
    lines = [
        f"| `{name}` | {meaning} | {unit} | {empty} | {', '.join(lists)} |"
        for (name, meaning, unit, empty), lists in sorted(told.items())
    ]
    head = (
        "# The columns\n\nEvery column of every list, on pages, in the API and in files of the Space; made from the source.\n\n"
        "| column | what it means | unit | an empty field says | lists |\n|---|---|---|---|---|\n"
    )
    check_golden(COLUMNS, (head + "\n".join(lines) + "\n").encode())


def _line(field: Field) -> tuple[str, str, str, str]:
    return field.name, meaning_of(field), unit_of(field), empty_of(field)
