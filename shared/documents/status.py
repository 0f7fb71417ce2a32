"""The status of a run as the pass wrote it: what people and the Space read instead of folding a journal."""

from typing import Annotated, ClassVar

from pydantic import Field

from shared import versions
from shared.documents.document import Document

MAX_TRIAL_LINES = 1_000
MAX_REFUSAL_LINES = 20


class TrialLine(Document):
    """One trial, failures first."""

    trial: int
    task: str
    repeat: int
    cell_id: str
    state: str
    attempts: int
    category: str | None
    reward: str | None
    """Decimal text, of a scored trial."""
    reason_code: str | None = None
    """A finer word inside the category."""
    phase: str | None = None
    """The part of the failed attempt that began last."""
    exception_type: str | None = None
    cost_usd_micros: int | None = None
    """Of all tries together; None unless every one that ended reported its cost."""
    retry_follows: bool = False
    """The newest failure is tried again, or is being tried again."""
    attempt_id: str | None = None
    """The attempt whose sealed evidence stands for the trial: what `evidence fetch` copies."""


class CellLine(Document):
    """One cell by the ids that the manifest gives its parts."""

    cell_id: str
    agent: str
    model: str


class WaveLine(Document):
    """One wave."""

    number: int
    state: str
    because: str
    segments: int


class ActionLine(Document):
    """One open action and what it waits for."""

    action_id: str
    target: str
    state: str
    tries: int


class RefusalLine(Document):
    """One request that ended without effect, and why."""

    request: str
    code: str
    message: str


class ApprovalLine(Document):
    """The submit that waits for a maintainer."""

    request_id: str
    body_sha256: str
    expires_at: str
    ceiling_usd_micros: int


class ConsentLine(Document):
    """What the requester is asked once the run has ended, and what was decided."""

    shown_sha256: str
    """Of the document that shows the rows; empty until it stands."""
    publication_id: str
    expires_at: str
    decision: str
    """publish or private, empty while it is waited for."""
    by: str
    """requester, maintainer or time."""


class RunStatus(Document):
    """The newest status of one run."""

    error_code: ClassVar[str] = "STATUS_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=versions.STATUS)] = versions.STATUS
    run_id: str
    experiment: str
    state: str
    label: str
    requested_by: str
    owner: str = ""
    """The organisation whose caps the run counts against; `-` for people without one."""
    request_state: str = ""
    """taken, waiting_approval, refused, waiting_consent, published, kept_private, withdrawn or ended."""
    waiting_approval: ApprovalLine | None = None
    consent: ConsentLine | None = None
    withdrawn_because: str = ""
    cancelled_because: str = ""
    ceiling_usd_micros: int = 0
    reserved_usd_micros: int = 0
    settled_usd_micros: int = 0
    approval: str
    planned: int
    counts: dict[str, int]
    """Trials by state; they sum to `planned`."""
    failures: dict[str, int] = Field(default_factory=dict)
    """Trials without a score by the category of their newest failure: all of them, not only those listed below."""
    attention: dict[str, str]
    anomalies: int
    waves: tuple[WaveLine, ...]
    actions: tuple[ActionLine, ...]
    refusals: tuple[RefusalLine, ...] = ()
    """The newest first."""
    awaits: str
    """What the run waits for, in words."""
    held_by: str = ""
    """The limit that holds its next wave back, such as `LIMIT_NAMESPACE` or `CAP_REACHED user:u 2026-01`."""
    publication_id: str
    cells: tuple[CellLine, ...] = ()
    """Those of the trials that follow."""
    trials: tuple[TrialLine, ...]
    seq: int
    written_at: str
