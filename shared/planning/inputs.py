"""What planning is given beside the experiment: the resolved source, Harbor's dumps, and the serving profiles that bind cells."""

from dataclasses import dataclass, field

from pydantic import JsonValue

from shared.digests import Digest


@dataclass(frozen=True)
class TaskNeeds:
    """What a task's own configuration asks of the sandbox, as Harbor reads it; times in seconds, None where it does not say."""

    docker_image: str | None = None
    gpus: int = 0
    has_compose: bool = False
    network: str = "undeclared"
    agent_seconds: float | None = None
    verifier_seconds: float | None = None
    local_obstacles: tuple[str, ...] = ()
    """Why a local sandbox cannot carry the task out; empty if it can."""


@dataclass(frozen=True)
class SourceTask:
    """One task of a source: name, folder inside the source, Harbor's digest, needs."""

    name: str
    path: str
    digest: str
    needs: TaskNeeds = TaskNeeds()


@dataclass(frozen=True)
class ResolvedSource:
    """A benchmark source pinned to bytes: its lock (no operator's path in it) and all its tasks, in any order."""

    lock: dict[str, JsonValue]
    tasks: tuple[SourceTask, ...]


@dataclass(frozen=True)
class HarborDump:
    """What Harbor's own parser made of the fragments, without defaults: agents in the manifest's order, and the job."""

    agents: tuple[dict[str, JsonValue], ...]
    job: dict[str, JsonValue]


@dataclass(frozen=True)
class BoundProfile:
    """A selected serving profile: the deployment it was measured on (identity digest) and the concurrency it selected."""

    sha256: Digest
    deployment_digest: Digest
    concurrency: int


@dataclass(frozen=True)
class PlanInputs:
    """Everything that is known about the world when a plan is made."""

    source: ResolvedSource
    harbor: HarborDump
    serving_profiles: tuple[BoundProfile, ...] = ()
    profiles: tuple[str, ...] = field(default=())
