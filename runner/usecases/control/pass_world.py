"""What a pass may look at and change, and what it reports of itself."""

from collections.abc import Callable
from dataclasses import dataclass, field

from runner.domain.pace import Pace
from runner.evidence.redaction import Redactor
from runner.ports.compute.jobs import Jobs
from runner.ports.state.clock import Chance, Clock
from runner.ports.state.control_log import ControlLog
from runner.ports.state.inbox import Inbox
from runner.ports.state.savepoints import SavepointStore
from runner.ports.state.status import StatusStore
from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.objects import Objects
from runner.usecases.results.publicity import ResultsSeen
from shared.digests import Digest
from shared.documents.plan import PlanHead
from shared.documents.reviewed.limits import Limits
from shared.documents.status import RefusalLine
from shared.ids import RunId
from shared.inbox.rights import Access


@dataclass(frozen=True, slots=True)
class Rules:
    """What requests and waves are judged by."""

    limits: Limits
    access: Access


@dataclass(frozen=True, slots=True)
class PassWorld:
    """The ports and settings of a pass."""

    log: ControlLog
    inbox: Inbox
    status: StatusStore
    jobs: Jobs
    evidence: EvidenceStore
    objects: Objects
    find_results: Callable[[RunId, PlanHead], ResultsSeen]
    """Returns what of the run stands in its results."""
    build: Callable[[], Digest]
    """Returns what the waves of a run that is planned here start from."""
    clock: Clock
    chance: Chance
    pace: Pace
    hold_hours: int
    savepoints: SavepointStore
    rules: Rules
    redactor: Redactor
    """Takes secrets out of what people and errors say, before it stands in a status or a report."""
    repeats_s: float = 0.0
    """How soon the next pass of the same loop follows; 0 where nobody promises one."""


@dataclass
class PassReport:
    """What a pass did; counts and ids, for people and tests."""

    commits: int = 0
    taken: int = 0
    refused: int = 0
    """Requests that could not be read."""
    events: int = 0
    submitted: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    frozen: dict[str, str] = field(default_factory=dict)
    """Runs that were set aside, and why."""
    faults: frozenset[str] = frozenset()
    """Those of them that a store's failure set aside."""
    refusals: list[tuple[str, RefusalLine]] = field(default_factory=list)
    """By run (empty: no run's journal could take it): requests that ended without effect."""
    forgotten: int = 0
    """Jobs of which nothing is kept any more."""
    open: frozenset[str] = frozenset()
    behind_s: int = 0
    """How far the machine's clock is behind the log, whose time never goes back: until it has caught up, bounds end late."""
    looked_at: int = 0
    """Runs that were decided for."""
    persons: dict[str, str] = field(default_factory=dict)
    """Runs that nothing but a person moves on, open or ended, and what is asked."""

    @property
    def open_runs(self) -> int:
        """How many runs have not ended."""
        return len(self.open)

    @property
    def is_idle(self) -> bool:
        """Tell whether there was nothing to do and nothing is open."""
        return not (self.commits or self.open or self.taken)

    @property
    def is_stuck(self) -> bool:
        """Tell whether nothing was done, and everything that is open waits for a person."""
        return not (self.commits or self.taken) and self.open <= self.persons.keys()

    @property
    def is_failed(self) -> bool:
        """Tell whether every run was set aside because a store failed."""
        return bool(self.frozen) and not self.looked_at and self.frozen.keys() <= self.faults
