"""The evidence statement: one line a trial, which is what is published of its evidence; the bundles may stay private.

The lines stand in files of up to 10,000, which the run root's checksums list, so they hang on the evidence root.
"""

from typing import Annotated, ClassVar, Final

from pydantic import Field

from shared.documents.document import Document
from shared.documents.manifest import Sha256
from shared.outcomes import Outcome

LINES_PER_FILE: Final = 10_000


class EvidenceStatement(Document):
    """Which sealed attempt decides a trial, and what it was worth; without one, the attempt, digest and sizes are empty."""

    error_code: ClassVar[str] = "STATEMENT_INVALID"

    trial_id: str
    attempt_id: str | None
    bundle_sha256: Sha256 | None
    reward: float | None
    outcome: Outcome | None
    files: Annotated[int, Field(ge=0)]
    bytes: Annotated[int, Field(ge=0)]
