"""A reviewed profile: one entry of an experiment, named and pinned by digest, for manifests to use whole.

`pin_profile` turns a file into the document and its reference `name@sha256:<digest>`; a manifest says `{use: <reference>}`
where the entry would stand. The body is checked by putting it into an experiment, so a profile has no second set of rules.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, Field, JsonValue, StringConstraints, TypeAdapter, ValidationError

from shared.documents.document import Document
from shared.documents.experiment.benchmark import Benchmark
from shared.documents.experiment.deployment import Deployment
from shared.documents.experiment.matrix import Agent, Model
from shared.documents.experiment.policy import Policy
from shared.documents.experiment.secrets import refuse_secrets
from shared.documents.yaml_reader import read_yaml
from shared.errors import BadInput

_BODIES: Final[dict[str, TypeAdapter[Any]]] = {
    "benchmark": TypeAdapter(Benchmark),
    "model": TypeAdapter(Model),
    "deployment": TypeAdapter(Deployment),
    "agent": TypeAdapter(Agent),
    "limits": TypeAdapter(Policy),
}


class Profile(Document):
    """The content of a profile."""

    error_code: ClassVar[str] = "PROFILE_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
    kind: Literal["benchmark", "model", "deployment", "agent", "limits"]
    body: dict[str, JsonValue]

    @property
    def reference(self) -> str:
        """How a manifest names this profile."""
        return f"{self.name}@sha256:{self.digest}"


def pin_profile(data: bytes) -> Profile:
    """Return the profile that the YAML `data` {name, kind, body} says; raise BadInput naming the field."""
    tree = read_yaml(data)
    refuse_secrets(tree.value)
    profile = Profile.from_json(tree.value)
    try:
        body = _BODIES[profile.kind].validate_json(json.dumps(profile.body))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in ("body", *first["loc"]))
        raise BadInput("PROFILE_INVALID", f"{first['msg']}.", field=field, way_out="See docs/manifest.md.") from None
    assert isinstance(body, BaseModel)
    return profile.model_copy(update={"body": body.model_dump(mode="json", exclude_unset=True)})


def profile_bodies(profiles: Mapping[str, Profile]) -> dict[str, dict[str, Any]]:
    """Return `profiles` by reference, as the reader of manifests takes them; raise BadInput for a reference of other bytes."""
    for reference, profile in profiles.items():
        if profile.reference != reference:
            raise BadInput("PROFILE_INVALID", f"the document is {profile.reference}.", field=reference, way_out="Fetch it again.")
    return {reference: {"kind": profile.kind, "body": dict(profile.body)} for reference, profile in profiles.items()}
