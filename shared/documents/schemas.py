"""JSON Schemas of the documents that people and other programs write or read, and the field reference of a manifest.

For editors and validators only: the bytes differ between releases of pydantic, so no schema enters a digest. Called by
`schema export` and by the test that keeps docs/manifest.md equal to the models.
"""

import inspect
from collections.abc import Iterator
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from shared.digests import canonical_json
from shared.documents.document import Document
from shared.documents.experiment.experiment import Experiment
from shared.documents.installation_status import InstallationStatus
from shared.documents.manifest import Manifest
from shared.documents.plan import PlanHead
from shared.documents.reviewed.limits import Limits
from shared.documents.reviewed.offer import Offer
from shared.documents.reviewed.prices import PriceDocument
from shared.documents.reviewed.profile import Profile
from shared.documents.run_lock import RunLock
from shared.documents.run_request import RunRequest
from shared.documents.shown import ShownRun
from shared.documents.status import RunStatus
from shared.documents.task_package import TaskPackage

DOCUMENTS: Final[dict[str, type[BaseModel]]] = {
    "experiment": Experiment,
    "installation_status": InstallationStatus,
    "limits": Limits,
    "manifest": Manifest,
    "offer": Offer,
    "plan": PlanHead,
    "prices": PriceDocument,
    "profile": Profile,
    "run_lock": RunLock,
    "run_request": RunRequest,
    "run_status": RunStatus,
    "shown_run": ShownRun,
    "task_package": TaskPackage,
}
_INTRODUCTION: Final = """# The experiment manifest

One YAML document asks for a run. Every field is listed here, from the same models that read it; a field that is not listed is
refused, and so is anything that could move: branches, tags, short commits, version ranges, URLs. Sizes are bounded (256 KiB,
depth 20), anchors, aliases, tags and repeated keys are refused. Money is integer micro-USD; ratios are decimal text. Secrets are
named, never written. A benchmark, model, deployment, agent or policy may be `{use: name@sha256:..}`, a reviewed profile.

`benchmarks/starter.yaml` is a complete small example. This page is generated; `make golden` refreshes it.
"""


def export_schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON Schema of every document, by name."""
    return {name: model.model_json_schema() for name, model in DOCUMENTS.items()}


def manifest_reference() -> str:
    """Return docs/manifest.md: every field of an experiment with its type, default and meaning."""
    sections = [_INTRODUCTION]
    for place, model in _sections(Experiment, ""):
        title = f"## {place}" if place else "## The document"
        lines = [title, "", str(inspect.getdoc(model)), "", "| field | value | default | meaning |", "|---|---|---|---|"]
        lines += [_row(model, name, field) for name, field in model.model_fields.items()]
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections)


def _sections(model: type[BaseModel], place: str) -> Iterator[tuple[str, type[BaseModel]]]:
    yield place, model
    for name, field in model.model_fields.items():
        inner = list(_models_in(field.annotation))
        is_list = "tuple" in str(field.annotation)
        for one in inner:
            below = f"{place}.{name}" if place else name
            suffix = f" ({_kind_of(one)})" if len(inner) > 1 else ""
            yield from _sections(one, f"{below}{'[]' if is_list else ''}{suffix}")


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        yield annotation
        return
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _kind_of(model: type[BaseModel]) -> str:
    for tag in ("kind", "type"):
        if tag in model.model_fields:
            return str(get_args(model.model_fields[tag].annotation)[0])
    return model.__name__


def _row(model: type[BaseModel], name: str, field: FieldInfo) -> str:
    schema = model.model_json_schema()["properties"][name]
    meaning = str(field.description).replace("\n", " ").replace("|", "\\|")
    return f"| `{name}` | {_value(schema)} | {_default(field)} | {meaning} |"


def _value(schema: dict[str, Any]) -> str:
    """Return in a few words what a field takes."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "$ref" in schema:
        return "mapping"
    if branches := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(_value(branch) for branch in branches if branch.get("type") != "null"))
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f" {low} to {high}" if low is not None and high is not None else f" from {low}" if low is not None else ""
    names = {
        "object": "mapping",
        "array": "list",
        "string": "text",
        "integer": "integer",
        "number": "number",
        "boolean": "true or false",
    }
    return names.get(str(schema.get("type")), "any") + bounds


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if isinstance(value, BaseModel):
        return "as below"
    if isinstance(value, Document) or value is None or value in ({}, ()):
        return "none"
    written = list(value) if isinstance(value, tuple) else value
    return f"`{canonical_json(written).decode()}`"
