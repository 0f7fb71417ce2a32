"""Reviewed profiles inside a manifest: `{use: name@sha256:..}` becomes the profile's body, whole, without overrides.

A benchmark, a model, a deployment, an agent or the policy may be such an entry. The reference stays as provenance in the plan and
in no cell's identity: the same values written out give the same cells.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from shared.documents.experiment.fields import field_text
from shared.documents.yaml_reader import Path
from shared.errors import BadInput

type Bodies = Mapping[str, Any]

_REFERENCE: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}@sha256:[0-9a-f]{64}")
_LISTS: Final = {"models": "model", "deployments": "deployment", "agents": "agent"}


def put_in_profiles(experiment: dict[str, Any], profiles: Mapping[str, Bodies]) -> tuple[str, ...]:
    """Replace each use of a profile in the raw `experiment` by its body; return the references used, sorted.

    `profiles` maps a reference to the profile {kind, body}. Raise BadInput `PROFILE_MISSING`, `PROFILE_KIND` or
    `MANIFEST_MUTABLE` naming the entry.
    """
    used: set[str] = set()
    for holder, key, kind, path in list(_places(experiment)):
        entry = holder[key]
        if isinstance(entry, dict) and "use" in entry:
            holder[key] = _body(entry, kind, path, profiles)
            used.add(entry["use"])
    return tuple(sorted(used))


def _places(experiment: dict[str, Any]) -> Iterator[tuple[Any, Any, str, Path]]:
    for field, kind in (("benchmark", "benchmark"), ("policy", "limits")):
        if field in experiment:
            yield experiment, field, kind, (field,)
    matrix = experiment.get("matrix")
    if isinstance(matrix, dict):
        for field, kind in _LISTS.items():
            entries = matrix.get(field)
            if isinstance(entries, list):
                for index in range(len(entries)):
                    yield entries, index, kind, ("matrix", field, index)


def _body(entry: dict[str, Any], kind: str, path: Path, profiles: Mapping[str, Bodies]) -> Any:
    field = field_text(path)
    if set(entry) != {"use"}:
        raise BadInput("MANIFEST_UNKNOWN_FIELD", "a profile takes no overrides.", field=field, way_out="Keep use alone.")
    reference = entry["use"]
    if not isinstance(reference, str) or not _REFERENCE.fullmatch(reference):
        raise BadInput(
            "MANIFEST_MUTABLE", "expected name@sha256:<64 hex>.", field=f"{field}.use", way_out="Run profile pin FILE."
        )
    profile = profiles.get(reference)
    if profile is None:
        way_out = "Publish it under profiles/, or name one that is."
        raise BadInput("PROFILE_MISSING", "no reviewed profile has this name and digest.", field=f"{field}.use", way_out=way_out)
    if profile["kind"] != kind:
        raise BadInput("PROFILE_KIND", f"a {kind} profile is expected.", field=f"{field}.use", way_out="Name one of that kind.")
    return profile["body"]
