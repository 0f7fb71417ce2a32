"""The summary of a cell (cell-summary.json): its planned count, which never shrinks, and how its trials ended."""

from typing import Annotated, ClassVar

from pydantic import Field

from shared.documents.document import Document
from shared.outcomes import Label

type Count = Annotated[int, Field(ge=0)]


class CellSummary(Document):
    """One cell; `outcomes` counts trials by outcome and leaves out zeros."""

    error_code: ClassVar[str] = "SUMMARY_INVALID"

    schema_version: int = 1
    run_id: str
    cell_id: str
    label: Label
    planned: Count
    ended: Count
    attempts: Count
    outcomes: dict[str, Count]
    reward_sum: float
