"""attempt.json: who makes which try at which trial, written once before the try begins; a second writer finds it and yields."""

from typing import Annotated, ClassVar

from pydantic import Field

from shared.documents.document import Document


class AttemptDocument(Document):
    """The identity of one physical try."""

    error_code: ClassVar[str] = "ATTEMPT_INVALID"

    attempt_id: str
    run_id: str
    cell_id: str
    trial_id: str
    trial_index: Annotated[int, Field(ge=0)]
    ordinal: Annotated[int, Field(ge=1)]
    wave_id: str
    action_id: str
    """The claimed action under which the try was made: its fence."""
    job_id: str
    runtime: str
    task_name: str
    task_digest: str
    agent_id: str
    agent_revision: str
    model_id: str
    served_model: str | None
    primary_reward: str
    secret_names: tuple[str, ...]
    retry_reason: str | None
    """The category of the failure that this try repeats."""


class AttemptEnding(Document):
    """The last line of an attempt's events.jsonl: what the host said of its end, which result.json alone does not tell."""

    error_code: ClassVar[str] = "ATTEMPT_INVALID"

    event: str = "ended"
    at: str
    reason: str
    """finished, cancelled, deadline, stopped, or lost when nothing was reported."""
    exit_code: int | None
    signal: int | None
    exception_type: str
    """Of a trial that could not even be created; other exceptions stand in result.json."""
    exception_message: str
    phase: str
    """The phase that was reported last."""
