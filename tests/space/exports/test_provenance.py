"""Provenance for programs has every field of the panel, each filled or marked."""

import re
from html import unescape

import pytest

from space.components.provenance import provenance
from space.exports.provenance import provenance_answer
from space.queries import cell as query
from space.queries.statement import Statement
from space.readers.mirror import Mirror


def ids(mirror: Mirror) -> list[str]:
    """Return every cell of a mirror."""
    return [row["cell_id"] for row in mirror.rows(Statement("SELECT cell_id FROM cell ORDER BY cell_id"))]


def test_every_digest_and_id_of_the_panel_is_there(works_mirror: Mirror) -> None:
    """Whatever the panel shows in monospace stands in the document as it is."""
    for cell_id in ids(works_mirror):
        cell = works_mirror.rows(query.cell(cell_id))[0]
        run = works_mirror.one(query.run(cell["run_id"]))
        shown = provenance(cell, run, works_mirror.receipts.get(cell["publication_id"])).text
        digests = [unescape(text) for text in re.findall(r'<code class="digest">([^<]*)</code>', shown)]
        document = provenance_answer(cell_id, works_mirror)
        values = {str(value) for group in document.values() if isinstance(group, dict) for value in group.values()}
        assert len(digests) > 15
        assert set(digests) <= values


def test_no_field_is_left_blank(works_mirror: Mirror) -> None:
    """A value or why there is none; as many fields as the panel has at least."""
    for cell_id in ids(works_mirror):
        document = provenance_answer(cell_id, works_mirror)
        groups = {name: group for name, group in document.items() if isinstance(group, dict)}
        assert list(groups) == ["configuration", "scope", "evidence", "publication"]
        assert all(
            value not in {None, ""} for group in groups.values() for value in group.values() if not isinstance(value, list)
        )
        cell = works_mirror.rows(query.cell(cell_id))[0]
        shown = provenance(cell, works_mirror.one(query.run(cell["run_id"])), None).text
        assert sum(len(group) for group in groups.values()) >= shown.count("<dt>")
        assert document["verify"] in unescape(shown)


@pytest.mark.parametrize("name", ["model_repo", "engine", "serving_profile_sha256"])
def test_an_agent_without_a_model_says_so(name: str, works_mirror: Mirror) -> None:
    """What it cannot have is not applicable, not unreported."""
    cell = works_mirror.rows(Statement("SELECT cell_id FROM cell WHERE agent_name = 'oracle'"))[0]["cell_id"]
    found = provenance_answer(cell, works_mirror)["configuration"][name]
    assert found in {"none", "not_applicable"}
