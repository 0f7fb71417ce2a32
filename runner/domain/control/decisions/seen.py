"""What a pass saw of the world before it decided: jobs, progress segments, seals and publications of one run.

All of it was read after the log's head, jobs first, then what they wrote: so whatever a job that was seen ended has written, the
pass has seen as well.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from runner.domain.control.facts import Fact
from runner.domain.control.projection.state import Action
from runner.domain.pace import Pace
from shared.ids import RunId


@dataclass(frozen=True, slots=True)
class SeenJob:
    """One job that carries the label of an action of ours."""

    job_id: str
    is_ended: bool
    is_overdue: bool = False
    """It runs longer than its specification allows."""


@dataclass(frozen=True, slots=True)
class SeenSegment:
    """A progress segment that is not in the journal yet, its owner checked and its bundles verified."""

    k: int
    sha256: str
    facts: tuple[Fact, ...]
    rejected: tuple[tuple[int, int, str], ...] = ()


class Shown(NamedTuple):
    """The document that shows a requester what would be published, by its digest."""

    sha256: str
    publication_id: str


@dataclass(frozen=True, slots=True)
class SeenRun:
    """What was seen of one run."""

    jobs: Mapping[str, tuple[SeenJob, ...]] = field(default_factory=dict)
    """By action id."""
    segments: Mapping[str, tuple[SeenSegment, ...]] = field(default_factory=dict)
    """By wave id, dense from the next number on."""
    unread: frozenset[str] = frozenset()
    """Waves that have written more than was read: nothing ends them yet."""
    endings: Mapping[str, str] = field(default_factory=dict)
    """By wave id, why a worker that sealed its wave says it ended; empty: its work was done."""
    is_root_sealed: bool = False
    publication_id: str = ""
    """Of the run's receipt in its results, empty while there is none."""
    shown: Shown | None = None
    """What its requester would be shown, once a job has put it together."""
    is_kept_private: bool = False
    """The catalog has the record that says so."""
    is_withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class PlanShape:
    """What decisions need of a plan: which deployment each cell has, and how large a wave may be."""

    deployments: tuple[str, ...]
    """Deployment digest by cell index."""
    trials_per_wave: int
    wave_ceiling_usd_micros: int
    routes: tuple[str, ...] = ()
    """By cell index, the provider or server whose concurrency a wave counts against; empty text: none."""

    def route_of(self, cell: int) -> str:
        """Return the route of the cell with index `cell`."""
        return self.routes[cell] if cell < len(self.routes) else ""


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything beside the run itself that a decision depends on."""

    run_id: RunId
    now_ms: int
    """The store's time."""
    pace: Pace
    performer: str
    generation: int
    """Of the pass: it marks every reservation."""
    is_held: bool
    """New work is held back in the whole installation."""
    hold_hours: int

    def is_settled(self, action: Action) -> bool:
        """Tell whether nothing of the action's performer can still be on its way: what is not seen by now was not applied."""
        return self.now_ms >= action.perform_by_ms + int(self.pace.settle_s * 1000)
