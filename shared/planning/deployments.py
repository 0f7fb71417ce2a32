"""Deployment identity and specification: two digests of one deployment with one model.

Identity is whatever can change an answer (model and commit, engine, image, arguments, limits, formats, parsers, provider and its
retries); it is part of the cell digest. The specification adds what is created and adopted but changes no answer: namespace,
scaling, request concurrency, probes, spacing of requests. Ids, prices and estimates are in neither.
"""

from typing import Final

from pydantic import JsonValue

from shared.digests import Digest, digest_of
from shared.documents.experiment.deployment import Deployment
from shared.documents.plan import PlannedModel

_IDENTITY: Final[dict[str, tuple[str, ...]]] = {
    "none": (),
    "endpoint": (
        *("vendor", "region", "hardware", "accelerator_count", "engine", "precision", "features"),
        *("served_model", "context_tokens", "max_output_tokens", "parameters", "secret_names"),
    ),
    "provider": (
        *("provider", "api", "request_attempts", "request_timeout_seconds"),
        *("served_model", "context_tokens", "max_output_tokens", "parameters", "secret_names"),
    ),
    "server": ("server", "api", "served_model", "context_tokens", "max_output_tokens", "parameters", "secret_names"),
}
_SPECIFICATION: Final[dict[str, tuple[str, ...]]] = {
    "none": (),
    "endpoint": ("namespace", "replicas", "request_concurrency", "probes"),
    "provider": ("request_concurrency", "min_request_interval_ms"),
    "server": ("request_concurrency",),
}


def specification_of(deployment: Deployment) -> dict[str, JsonValue]:
    """Return `deployment` as JSON, defaults written out and unordered lists sorted."""
    value: dict[str, JsonValue] = deployment.model_dump(mode="json")
    names = value.get("secret_names")
    if isinstance(names, list):
        value["secret_names"] = sorted(names, key=str)
    return value


def deployment_digest(specification: dict[str, JsonValue], model: PlannedModel) -> Digest:
    """Return the identity of a deployment that serves `model`."""
    return digest_of(_identity(specification, model))


def deployment_spec_digest(specification: dict[str, JsonValue], model: PlannedModel) -> Digest:
    """Return the digest of what is created and adopted."""
    fields = _SPECIFICATION[str(specification["kind"])]
    return digest_of(
        {"identity": _identity(specification, model), "specification": {name: specification[name] for name in fields}}
    )


def model_identity(model: PlannedModel) -> dict[str, JsonValue]:
    """Return what makes `model` that model: everything but the id that the experiment gave it."""
    return model.model_dump(mode="json", exclude={"id"})


def _identity(specification: dict[str, JsonValue], model: PlannedModel) -> dict[str, JsonValue]:
    kind = str(specification["kind"])
    return {"kind": kind, "model": model_identity(model), **{name: specification[name] for name in _IDENTITY[kind]}}
