"""The summary of a run (run-summary.json): the fold of its cells; written when the run is sealed."""

from typing import ClassVar

from shared.documents.document import Document
from shared.documents.evidence.cell_summary import Count
from shared.documents.manifest import Sha256
from shared.outcomes import Label


class RunSummary(Document):
    """One run; its identity is that of the plan and the lock it was submitted with."""

    error_code: ClassVar[str] = "SUMMARY_INVALID"

    schema_version: int = 1
    run_id: str
    plan_sha256: Sha256
    run_lock_sha256: Sha256
    label: Label
    is_cancel_requested: bool
    cells: Count
    planned: Count
    ended: Count
    attempts: Count
    outcomes: dict[str, Count]
