"""The index of the status documents in a control Dataset: what lists show, so that a reader opens one file and not every run's.

Written by the pass in the commit of the documents it lists; the newest runs first, open ones always among them.
"""

from typing import Annotated, ClassVar, Self

from pydantic import Field

from shared.documents.document import Document
from shared.documents.status import RunStatus

MAX_LINES = 2_000


class StatusLine(Document):
    """One run, as lists show it."""

    run_id: str
    experiment: str
    request_state: str
    state: str
    label: str
    planned: int
    requested_by: str

    @classmethod
    def of(cls, status: RunStatus) -> Self:
        """Return the line of a run's status."""
        return cls(
            run_id=status.run_id,
            experiment=status.experiment,
            request_state=status.request_state,
            state=status.state,
            label=status.label,
            planned=status.planned,
            requested_by=status.requested_by,
        )


class StatusIndex(Document):
    """The content of status/index.json."""

    error_code: ClassVar[str] = "STATUS_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=1)] = 1
    offers: tuple[str, ...]
    """Names of the offers that stand, sorted."""
    runs: Annotated[tuple[StatusLine, ...], Field(max_length=MAX_LINES)]
    """The newest first."""
