"""A manifest's bytes become an Experiment, or one refusal that names field, expectation and next step.

The order is fixed: YAML limits, secrets, profiles put in whole, then the fields. What is not expressible in one field (matrix,
selection, price) is planning's to refuse. Called by the CLI, the Space's preview and the pass that takes a request.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import ValidationError

from shared.digests import MAX_SAFE_INTEGER, Digest, sha256
from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.fields import field_text
from shared.documents.experiment.problems import explain
from shared.documents.experiment.secrets import refuse_secrets
from shared.documents.experiment.use import Bodies, put_in_profiles
from shared.documents.yaml_reader import Path, read_yaml
from shared.errors import BadInput


class Manifest(NamedTuple):
    """A manifest as read: the experiment, the profiles that it uses (`name@sha256:..`, sorted), and the digest of its bytes."""

    experiment: Experiment
    profiles: tuple[str, ...]
    sha256: Digest


def read_experiment(data: bytes) -> Experiment:
    """Return the experiment that `data` (YAML, UTF-8) says; raise BadInput naming the first wrong field."""
    return read_manifest(data, {}).experiment


def read_manifest(data: bytes, profiles: Mapping[str, Bodies]) -> Manifest:
    """Return what `data` says, each `{use: name@sha256:..}` replaced by that reviewed profile's body from `profiles`."""
    tree = read_yaml(data)
    if not isinstance(tree.value, dict):
        raise BadInput("MANIFEST_VALUE", "the document is not a mapping.", way_out="Begin with api_version: seawall/v1.")
    refuse_secrets(tree.value)
    _refuse_inexact(tree.value, ())
    used = put_in_profiles(tree.value, profiles)
    try:
        experiment = Experiment.model_validate_json(json.dumps(tree.value, allow_nan=False))
    except ValidationError as error:
        raise explain(error, tree, Experiment) from None
    return Manifest(experiment, used, sha256(data))


def _refuse_inexact(value: Any, path: Path) -> None:
    """Refuse integers that JSON readers disagree on."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _refuse_inexact(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _refuse_inexact(inner, (*path, index))
    elif isinstance(value, int) and abs(value) > MAX_SAFE_INTEGER:
        raise BadInput(
            "MANIFEST_VALUE", "the integer is beyond 2^53 - 1.", field=field_text(path), way_out="Quote it if it is text."
        )
