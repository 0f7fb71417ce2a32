"""What a wave works on and with: its ports, its plan, its assignment. Built by the worker, read by every step of the wave."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runner.domain.pace import Pace
from runner.ports.compute.harness import Harness
from runner.ports.state.clock import Chance, Clock
from runner.ports.state.control_log import ControlLog
from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.objects import Objects
from runner.ports.stores.sources import Sources
from shared.digests import Json
from shared.documents.plan import PlanHead
from shared.documents.run_lock import RunLock
from shared.ids import ActionId, RunId, WaveId
from shared.outcomes import Category


@dataclass(frozen=True, slots=True)
class WaveWorld:
    """The ports and settings of one wave worker."""

    log: ControlLog
    evidence: EvidenceStore
    objects: Objects
    sources: Sources
    harness: Harness
    clock: Clock
    chance: Chance
    pace: Pace
    work: Path
    """Scratch of this wave on local disk."""
    servers: Mapping[str, str]
    secrets: Mapping[str, str] = field(repr=False)
    """Values that must not be stored, by name."""
    job_id: str
    probe_sandbox: Callable[[str], None]
    """Raises Refused SANDBOX_UNAVAILABLE if sandboxes of that kind cannot be made here."""
    host: Mapping[str, Json]
    """What of this machine can change an outcome."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """One trial of the wave: the tries it may make here and what failed before."""

    trial: int
    first_ordinal: int
    attempts_allowed: int
    failures: Mapping[Category, int]


@dataclass(frozen=True, slots=True)
class WaveClaim:
    """A claimed wave: nobody else works on it."""

    run_id: RunId
    wave_id: WaveId
    action_id: ActionId
    number: int
    head: PlanHead
    lock: RunLock
    assigned: tuple[Assigned, ...]
    max_attempts: int
