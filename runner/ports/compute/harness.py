"""The harness: one trial host that carries out attempts, and the check that reads configuration with Harbor's own parser.

The caller decides concurrency: it starts an attempt when it has a slot and gets its `ended` report when the slot is free. An
attempt's files lie in its own folder; the report says how its process ended, never what the result is worth (that is read from
`result.json` by `runner.harness.reader`). A host that dies makes one `lost` report for each live attempt.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, Protocol

from shared.digests import Json
from shared.errors import SeawallError
from shared.outcomes import Phase


class HarnessMissing(SeawallError):
    """The harness environment is not installed, or its host cannot start."""

    exit_code = 3


class ReportKind(StrEnum):
    """What a report tells."""

    PHASE = "phase"
    ENDED = "ended"
    LOST = "lost"


class EndReason(StrEnum):
    """Why an attempt's process ended: by itself, or because somebody ended it."""

    FINISHED = "finished"
    CANCELLED = "cancelled"
    DEADLINE = "deadline"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The model that an attempt's agent talks to: an OpenAI-compatible address and the name of the variable with its key."""

    name: str
    base_url: str
    api_key_name: str


@dataclass(frozen=True, slots=True)
class AttemptOrder:
    """One attempt to carry out."""

    attempt_id: str
    folder: Path
    """Absolute and the attempt's own: Harbor's tree becomes `folder/attempt_id/`, its log `folder/harbor.log`."""
    task_path: Path
    agent: Mapping[str, Json]
    """A fragment of Harbor's AgentConfig."""
    job: Mapping[str, Json]
    """A fragment of Harbor's JobConfig: environment, verifier, multipliers, artifacts, extra_instructions."""
    trial_seconds: float
    model: ModelAccess | None = None
    secret_names: tuple[str, ...] = ()
    """Variables of the host's own environment that this attempt may see, and no other does."""


@dataclass(frozen=True, slots=True)
class HarnessReport:
    """What the host says of one attempt."""

    kind: ReportKind
    attempt_id: str
    phase: Phase | None = None
    exit_code: int | None = None
    signal: int | None = None
    reason: EndReason | None = None
    exception_type: str = ""
    """Set if the trial could not even be created, or its sandbox ended on its own; its message lies in `folder/failure.json`."""


@dataclass(frozen=True, slots=True)
class HarnessHello:
    """Which Harbor the host runs; a wave compares it with its plan (`HARNESS_MISMATCH`)."""

    harbor: str
    lock_sha256: str
    pid: int


class Harness(Protocol):
    """A trial host that is up. Not thread-safe; one owner."""

    def hello(self) -> HarnessHello:
        """Return which Harbor answers; starts the host if it is not up. Raises HarnessMissing."""
        ...

    def start(self, order: AttemptOrder) -> None:
        """Begin `order`. A second start of a live attempt raises Conflict; a dead host makes its `lost` report."""
        ...

    def cancel(self, attempt_id: str) -> None:
        """Ask the attempt to end; Harbor still writes its result. Nothing happens if it is not live."""
        ...

    def wait(self, timeout_s: float) -> Sequence[HarnessReport]:
        """Return the reports that have arrived, waiting up to `timeout_s` for the first. Empty means none in time."""
        ...

    def stop(self) -> Sequence[HarnessReport]:
        """End every attempt gracefully, then the host; return the last reports. No sandbox is left. Twice is once."""
        ...


class TaskVariable(NamedTuple):
    """A variable that a task.toml takes from whoever runs it: `${name}` without a default, as the value of `key`."""

    section: str
    """`environment`, `verifier` or `solution`; the last one is read by Harbor's oracle alone."""
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class TaskNeeds:
    """What a task.toml asks of its environment."""

    docker_image: str | None
    has_dockerfile: bool
    has_compose: bool
    network: str
    """`undeclared`, `public`, `no-network` or `allowlist`."""
    gpus: int
    cpus: float | None
    memory_mb: int | None
    storage_mb: int | None
    agent_seconds: float | None
    verifier_seconds: float
    build_seconds: float
    steps: int
    unsupported: tuple[str, ...]
    """Why a local sandbox cannot carry it out; empty if it can."""
    variables: tuple[TaskVariable, ...] = ()
    has_solution: bool = True
    """Whether Harbor's oracle finds a script to run, in each step if there are steps."""
    base_image: str = ""
    """What the Dockerfile builds on, as it can be read; a local sandbox uses neither this nor `docker_image`."""


@dataclass(frozen=True, slots=True)
class CheckedTask:
    """One task of a source, as Harbor reads it."""

    name: str
    path: str
    """Relative to the source folder."""
    digest: str
    """Harbor's own checksum, as it stands in result.json."""
    needs: TaskNeeds


@dataclass(frozen=True, slots=True)
class FieldProblem:
    """A place in a fragment that Harbor's parser refused or silently dropped."""

    path: str
    problem: str


@dataclass(frozen=True, slots=True)
class HarnessCheckResult:
    """Harbor's reading of what was asked: fragments without defaults, tasks, problems."""

    harbor: str
    lock_sha256: str
    agents: tuple[Mapping[str, Json], ...]
    job: Mapping[str, Json]
    tasks: tuple[CheckedTask, ...] = ()
    problems: tuple[FieldProblem, ...] = field(default=())
    skipped: tuple[str, ...] = ()
    """Folders of the source that are no tasks and hold none, relative to it."""


class HarnessCheck(Protocol):
    """Harbor's own parser, asked once per plan."""

    def check(self, agents: Sequence[Mapping[str, Json]], job: Mapping[str, Json], source: Path | None) -> HarnessCheckResult:
        """Return Harbor's reading; runs nothing of a task. Raises HarnessMissing."""
        ...
