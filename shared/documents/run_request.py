"""The body of a submit that came from an offer: what was chosen, and the plan that was shown for it."""

from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints, model_validator

from shared.documents.document import Document
from shared.documents.run_lock import Sha256

type ChosenName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")]
type Chosen = Annotated[tuple[ChosenName, ...], Field(min_length=1, max_length=100)]


class RunRequest(Document):
    """What a requester asks for."""

    error_code: ClassVar[str] = "REQUEST_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    offer: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
    offer_sha256: Sha256
    models: Chosen
    """Ids of the offer's models, or `none` for agents that need none; sorted, once each."""
    agents: Chosen
    max_spend_usd_micros: Annotated[int, Field(ge=0, le=10**15)]
    plan_digest: Sha256
    """Of the plan that the preview showed; the pass makes its own and compares."""

    @model_validator(mode="after")
    def _is_sorted(self) -> "RunRequest":
        for name in ("models", "agents"):
            chosen = list(getattr(self, name))
            if chosen != sorted(set(chosen)):
                raise ValueError(f"{name} must stand sorted, once each")
        return self
