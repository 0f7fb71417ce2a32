"""Jobs: processes that outlive the one that started them: HF Jobs, or their local stand-in.

Submitting has no idempotency key: an answer that was lost is resolved by listing jobs and looking for the label of the action.
A job says of itself only how it ended; what it achieved is read from the log and the evidence. Adapters: subprocesses (local).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class JobKind(StrEnum):
    """What a job does; each is one module of runner/workers."""

    WAVE = "wave"
    SEALING = "sealing"
    PUBLISHING = "publishing"


class JobStage(StrEnum):
    """Where a job is; a stage that is not known is never terminal."""

    SCHEDULING = "scheduling"
    RUNNING = "running"
    COMPLETED = "completed"
    ERROR = "error"
    CANCELLED = "cancelled"
    UNKNOWN = "unknown"


TERMINAL_STAGES = frozenset({JobStage.COMPLETED, JobStage.ERROR, JobStage.CANCELLED})


@dataclass(frozen=True, slots=True)
class JobSpec:
    """What to start: the kind of worker, the action whose label it carries and the subject it works on."""

    kind: JobKind
    action_id: str
    run_id: str
    target: str
    timeout_s: int


@dataclass(frozen=True, slots=True)
class JobView:
    """What the provider says of one of our jobs."""

    job_id: str
    action_id: str
    run_id: str
    kind: JobKind
    stage: JobStage
    created_ms: int
    timeout_s: int
    """How long it may run; a provider ends it then by itself, locally the pass does."""


@dataclass(frozen=True, slots=True)
class JobSubmitted:
    """The job exists."""

    job_id: str


@dataclass(frozen=True, slots=True)
class JobRefused:
    """The provider will never start this specification."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class JobUnknown:
    """The call may have started a job: list before anything else."""

    because: str


type SubmitAnswer = JobSubmitted | JobRefused | JobUnknown


class Jobs(Protocol):
    """The jobs of one installation."""

    def submit(self, spec: JobSpec) -> SubmitAnswer:
        """Start a job; a second call starts a second job."""
        ...

    def list(self) -> Sequence[JobView]:
        """Return every job of this installation that the provider still knows, oldest first."""
        ...

    def cancel(self, job_id: str) -> None:
        """Ask the job to end; nothing happens if it has ended or is not known. What became of it is read by `list`."""
        ...

    def kill(self, job_id: str) -> None:
        """End the job and everything it started, at once."""
        ...

    def forget(self, job_id: str) -> None:
        """Remove what is kept of a job that has ended, its log too; nothing happens to one that is alive or not known."""
        ...
