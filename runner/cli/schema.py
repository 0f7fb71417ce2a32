"""Noun `schema`: export the JSON Schemas of our documents."""

import argparse
import json
from pathlib import Path

from runner.cli.answer import Answer, Verb
from shared.documents.schemas import export_schemas


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--into", type=Path, metavar="DIR", help="write one file a document; printed if not given")


def export(found: argparse.Namespace) -> Answer:
    """Export every schema."""
    schemas = export_schemas()
    if found.into is None:
        return Answer(lines=[json.dumps(schemas, indent=1, sort_keys=True)], result=schemas)
    found.into.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas.items():
        (found.into / f"{name}.schema.json").write_text(json.dumps(schema, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return Answer(f"{len(schemas)} schemas in {found.into}", result=sorted(schemas))


VERBS = (Verb("export", "export JSON Schemas", "schema export --into schemas", _arguments, export),)
