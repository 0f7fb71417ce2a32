"""The facts of one finished run that its published rows are made of: frozen values, gathered from log and evidence alone.

`PublishedRun` is the only input of every table's `rows`. It holds no free text but names: no task text, prompt, log or message.
Times are integer microseconds since the epoch (UTC), money is integer micro-USD, durations are seconds.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from shared.outcomes import AttemptEnd, Category, Observation, Outcome


@dataclass(frozen=True, slots=True)
class Trace:
    """Where every row of a publication comes from; the publication's own id is added when it is known."""

    benchmark: str
    run_id: str
    evidence_prefix: str
    evidence_sha256: str
    run_lock_sha256: str
    control_commit: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What was measured, how much of it, and with which standing."""

    kind: str
    quality: str
    role: str
    series: str
    benchmark_digest: str
    tasks_sha256: str
    tasks: int
    repeats: int
    sandbox: str
    trial_seconds: int
    agent_setup_multiplier: str
    max_trial_spend_usd_micros: int | None = None
    source_checked: bool = False
    source_flags: tuple[str, ...] = ()
    source_publications: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Identity:
    """The point of the matrix that a cell is, and the edition it may be ranked in."""

    cell_id: str
    cell_digest: str
    edition: str
    model_id: str
    model_repo: str
    model_revision: str
    deployment_id: str
    deployment_kind: str
    agent_id: str
    agent_name: str
    agent_revision: str
    provider: str | None = None
    region: str | None = None
    hardware: str | None = None


class Usage(NamedTuple):
    """Tokens and cost of one attempt; `observation` says what is known of them, None is a value that was not observed."""

    observation: Observation
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd_micros: int | None = None


NO_USAGE: Final = Usage(Observation.NOT_REPORTED)


class Metric(NamedTuple):
    """One measured value of an attempt."""

    name: str
    value: float | None
    observation: Observation
    unit: str


class Artifact(NamedTuple):
    """One stored evidence file of an attempt, as its inventory lists it."""

    path: str
    kind: str
    sha256: str
    size_bytes: int
    stored: str
    media_type: str


@dataclass(frozen=True, slots=True)
class AttemptFacts:
    """One physical try, as its sealed bundle and the journal tell it."""

    attempt_id: str
    ordinal: int
    wave_id: str
    runtime: str
    end: AttemptEnd
    classification_version: int
    category: Category | None = None
    reason_code: str | None = None
    phase: str | None = None
    exception_type: str | None = None
    needs_review: bool = False
    verifier_environment: str | None = None
    retry_reason: str | None = None
    job_id: str | None = None
    bundle_sha256: str | None = None
    started_at: int | None = None
    finished_at: int | None = None
    usage: Usage = NO_USAGE
    metrics: tuple[Metric, ...] = ()
    artifacts: tuple[Artifact, ...] = ()

    @property
    def duration_seconds(self) -> float | None:
        """Seconds from start to end, where both are known."""
        if self.started_at is None or self.finished_at is None:
            return None
        return (self.finished_at - self.started_at) / 1e6


@dataclass(frozen=True, slots=True)
class TrialFacts:
    """One planned trial with its outcome (None while unfinished) and its tries in order."""

    trial_id: str
    task_name: str
    task_digest: str
    repeat: int
    outcome: Outcome | None
    reward: float | None
    is_passed: bool | None
    selected: AttemptFacts | None
    attempts: tuple[AttemptFacts, ...]


@dataclass(frozen=True, slots=True)
class CellFacts:
    """One cell: its identity, how it was served, and its trials in plan order."""

    identity: Identity
    quality: str
    trials: tuple[TrialFacts, ...]
    weights_format: str
    deployment_digest: str
    deployment_spec_digest: str
    concurrency: int
    primary_reward: str
    pass_threshold: float
    reward_range: tuple[float, float]
    quantization: str | None = None
    api: str | None = None
    accelerator_count: int | None = None
    engine: str | None = None
    engine_version: str | None = None
    image_digest: str | None = None
    agent_import_path: str | None = None
    host_release: str | None = None
    host_packages_sha256: str | None = None
    serving_profile_sha256: str | None = None
    needs_model: bool = True


@dataclass(frozen=True, slots=True)
class PublishedRun:
    """Everything that the tables say of one run."""

    trace: Trace
    scope: Scope
    cells: tuple[CellFacts, ...]
    experiment: str
    plan_digest: str
    manifest_sha256: str
    prices_sha256: str
    requested_by: str
    source_type: str
    waves: int
    build_digest: str
    harbor_version: str
    harbor_lock_sha256: str
    submitted_at: int
    completed_at: int
    approval: str = "not_needed"
    approved_by: str | None = None
    source_repo: str | None = None
    source_revision: str | None = None
    eval_task_id: str | None = None
    estimated_cost_usd_micros: int | None = None
