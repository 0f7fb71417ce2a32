"""The head of a plan (plan.json): the experiment fully resolved; its digest is the plan's identity.

The head names cells, tasks, policy, source lock, prices and the root of the shard list; the list itself is shards.jsonl, one
short line a shard, so a plan of 1,000,000 trials stays small. Nothing in it says when, by whom or from which folder it was
made. Ids that people gave stand beside the digests for reading; which cells may be compared is decided by digests alone.
Written by shared/planning/plan.py, read by everything after it.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Protocol

from pydantic import Field, JsonValue

from shared import versions
from shared.documents.document import Document
from shared.documents.experiment.policy import Evidence, Publishing, Runtime
from shared.documents.run_lock import HarborLock, Sha256

type Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True)
class Shard:
    """An ordered set of trials scheduled together: `count` trials of one cell from plan index `first` on; never in a result."""

    cell: int
    first: int
    count: int
    digest: str


class PlannedTask(Document):
    """One selected task: its name, its folder inside the source, and Harbor's digest of it."""

    name: str
    path: str
    task_digest: str


class PlannedModel(Document):
    """One model of the matrix; the model `none`, for cells without one, has the word none in each field."""

    id: str
    repo: str
    revision: str
    weights_format: str
    quantization: str | None


class PlannedDeployment(Document):
    """One deployment of the matrix, whole, as the manifest gave it with defaults written out."""

    id: str
    kind: Literal["none", "endpoint", "provider", "server"]
    specification: dict[str, JsonValue]


class PlannedAgent(Document):
    """One agent of the matrix: Harbor's own dump of its configuration, without defaults."""

    id: str
    revision: str
    revision_kind: str
    agent: dict[str, JsonValue]


class PlannedCell(Document):
    """One cell: its digest and edition, the ids of its parts, and what scheduling it takes."""

    cell_digest: Sha256
    edition: Sha256
    model_id: str
    deployment_id: str
    deployment_digest: Sha256
    deployment_spec_digest: Sha256
    agent_id: str
    concurrency: Annotated[int, Field(ge=1)]
    serving_profile_sha256: Sha256 | None


class PlannedBenchmark(Document):
    """What is solved and how it is scored."""

    name: str
    benchmark_digest: Sha256
    tasks_sha256: Sha256
    source_lock: dict[str, JsonValue]
    source_lock_sha256: Sha256
    primary_reward: str
    reward_range: tuple[str, str]
    pass_threshold: str
    eval_task_id: str | None


class PlannedSandbox(Document):
    """The kind of sandbox and its settings, defaults written out."""

    kind: Literal["hf", "local"]
    settings: dict[str, JsonValue]


class PlannedHarbor(HarborLock):
    """The pinned Harbor and its own dump of the job fragment, without defaults."""

    job: dict[str, JsonValue]
    agent_setup_multiplier: str


class PlannedPolicy(Document):
    """Scheduling, retries, time and money, with every default written out."""

    repeats: Count
    concurrent_trials: Count
    trial_seconds: Count
    trials_per_shard: Count
    shards_per_wave: Count
    max_attempts: Count
    wave_max_seconds: Count
    wave_reserve_seconds: Count
    estimate_trial_seconds: Count
    headroom_thousandths: Count
    max_spend_usd_micros: Count
    max_trial_spend_usd_micros: Count | None


class Arithmetic(Document):
    """What the plan adds up to: counts, the longest wave in seconds, and cost in micro-USD."""

    cells: Count
    tasks: Count
    trials: Count
    shards: Count
    waves: Count
    longest_wave_seconds: Count
    expected_cost_usd_micros: Count
    worst_cost_usd_micros: Count
    wave_ceiling_usd_micros: Count


class ShardRoot(Document):
    """The digest of shards.jsonl and how many lines it has."""

    count: Count
    sha256: Sha256


class PlanHead(Document):
    """The content of plan.json."""

    error_code: ClassVar[str] = "PLAN_INVALID"

    schema_version: Annotated[int, Field(ge=1, le=versions.PLAN)] = versions.PLAN
    experiment: str
    benchmark: PlannedBenchmark
    tasks: tuple[PlannedTask, ...]
    models: tuple[PlannedModel, ...]
    deployments: tuple[PlannedDeployment, ...]
    agents: tuple[PlannedAgent, ...]
    cells: tuple[PlannedCell, ...]
    harbor: PlannedHarbor
    sandbox: PlannedSandbox
    policy: PlannedPolicy
    evidence: Evidence
    publishing: Publishing
    runtime: Runtime
    prices_sha256: Sha256
    profiles: tuple[str, ...]
    arithmetic: Arithmetic
    shards: ShardRoot

    @property
    def trials_per_cell(self) -> int:
        """How many trials each cell has: one a task and repeat."""
        return len(self.tasks) * self.policy.repeats

    def model(self, cell: PlannedCell) -> PlannedModel:
        """Return the model of `cell`."""
        return _named(self.models, cell.model_id)

    def deployment(self, cell: PlannedCell) -> PlannedDeployment:
        """Return the deployment of `cell`."""
        return _named(self.deployments, cell.deployment_id)

    def agent(self, cell: PlannedCell) -> PlannedAgent:
        """Return the agent of `cell`."""
        return _named(self.agents, cell.agent_id)


class _Named(Protocol):
    @property
    def id(self) -> str: ...


def _named[Part: _Named](parts: tuple[Part, ...], name: str) -> Part:
    return next(part for part in parts if part.id == name)
