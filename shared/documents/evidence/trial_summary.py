"""The summary of a trial (trial-summary.json): what was planned, each attempt, and which one decides the outcome."""

from typing import Annotated, ClassVar

from pydantic import Field

from shared.documents.document import Document
from shared.documents.manifest import Sha256
from shared.outcomes import AttemptEnd, Category, Outcome


class AttemptSummary(Document):
    """One physical try; without checksums it left no sealed bundle."""

    attempt_id: str
    ordinal: Annotated[int, Field(ge=1)]
    end: AttemptEnd
    category: Category | None
    checksums_sha256: Sha256 | None


class TrialSummary(Document):
    """One trial; `outcome` is None only where a run ended before the trial did."""

    error_code: ClassVar[str] = "SUMMARY_INVALID"

    schema_version: int = 1
    run_id: str
    cell_id: str
    trial_id: str
    task_name: str
    task_sha256: Sha256
    repeat: Annotated[int, Field(ge=1)]
    outcome: Outcome | None
    reward: float | None
    selected_attempt_id: str | None
    attempts: tuple[AttemptSummary, ...]
