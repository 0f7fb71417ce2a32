"""An offer: one reviewed manifest, with everything that planning a request needs, pinned by one digest.

A requester chooses models, agents and a cost ceiling; everything else is the offer's. Both houses plan a request from the offer
alone (shared/planning/requested.py), so the form's preview and the pass that takes the request come to the same plan, and
nothing that a request says can reach a file, a URL or a price of its own. Written by a maintainer with `request offer`.
"""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, JsonValue, StringConstraints

from shared.documents.document import Document
from shared.documents.manifest import Sha256
from shared.documents.reviewed.prices import Moment, PriceDocument

type OfferName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


class OfferedTask(Document):
    """One task of the source, with what it needs as Harbor reads it."""

    name: str
    path: str
    task_digest: str
    docker_image: str | None
    gpus: int
    has_compose: bool
    network: str
    agent_seconds: float | None
    verifier_seconds: float | None
    local_obstacles: tuple[str, ...]


class Offer(Document):
    """The content of an offer."""

    error_code: ClassVar[str] = "OFFER_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    kind: Literal["offer"] = "offer"
    name: OfferName
    title: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    offered_at: Moment
    manifest: str
    """The reviewed manifest, as it was given; its matrix has no rules."""
    source_lock: dict[str, JsonValue]
    source_digest: Sha256
    """Of the task package in the object store."""
    tasks: tuple[OfferedTask, ...]
    agents: tuple[dict[str, JsonValue], ...]
    """Harbor's own dump of each agent, in the manifest's order."""
    job: dict[str, JsonValue]
    prices: PriceDocument
