"""Tests of the exported schemas and of the manifest's field reference."""

import json
from pathlib import Path

import pytest

from shared.documents.schemas import DOCUMENTS, export_schemas, manifest_reference
from tests.builders.goldens import check_golden
from tests.shared.documents.experiment.test_fields import SECTIONS


def test_docs_list_every_field() -> None:
    """docs/manifest.md is what the models say; it cannot go stale."""
    check_golden(Path(__file__).parents[3] / "docs" / "manifest.md", manifest_reference().encode())


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_every_schema_is_json(name: str) -> None:
    """Each document has a schema that closes its mappings."""
    schema = json.loads(json.dumps(export_schemas()[name]))
    assert schema["additionalProperties"] is False
    assert schema["properties"]


def test_every_field_of_a_manifest_has_a_meaning() -> None:
    """The text under a field is its description, and none is missing."""
    for _, section in SECTIONS:
        for name, field in type(section).model_fields.items():
            assert field.description, f"{type(section).__name__}.{name}"
