"""One run as passes move it: a test says what each pass sees, and reads what it decides."""

from collections.abc import Mapping

from runner.domain.control import events
from runner.domain.control.decisions.draft import Draft
from runner.domain.control.decisions.endings import end_run
from runner.domain.control.decisions.seen import PlanShape, SeenJob, SeenRun, SeenSegment, Situation
from runner.domain.control.decisions.waves import next_wave, reserve_wave, settle_waves
from runner.domain.control.envelope import Payload, encode_body
from runner.domain.control.facts import Fact
from runner.domain.control.projection.fold import fold_strictly
from runner.domain.control.projection.state import Action, RunProjection
from runner.domain.pace import LOCAL
from shared.ids import RunId
from tests.builders.journals import START_MS, Journal, event

RUN_ID = RunId("run-1")
LATER_MS = 60_000
"""More than a reservation's bounds together."""


def alive(job: str = "job-1") -> SeenJob:
    """Return a job that runs."""
    return SeenJob(job, is_ended=False)


def gone(job: str = "job-1") -> SeenJob:
    """Return a job that has ended."""
    return SeenJob(job, is_ended=True)


class Passes:
    """One submitted run and the passes over it; `said` are the ids and bytes of all that they decided."""

    def __init__(
        self, trials: int = 2, max_attempts: int = 3, *, deployments: tuple[str, ...] = ("d",), per_wave: int = 100
    ) -> None:
        shards = tuple((cell, cell * trials, trials) for cell in range(len(deployments)))
        submitted = events.Submitted(
            plan_digest="p",
            lock_sha256="l",
            trials=trials * len(deployments),
            shards=shards,
            policy=events.Policy(max_attempts=max_attempts),
            requested_by="user-1",
            ceiling_usd_micros=10_000,
        )
        self.state: RunProjection = Journal().put("submitted", submitted).state
        self.shape = PlanShape(deployments, per_wave, 5)
        self.now_ms = START_MS
        self.number = 0
        self.told = 0
        self.said: dict[str, bytes] = {}

    def situation(self, *, is_held: bool = False, hold_hours: int = 0) -> Situation:
        """Return what the next pass knows beside the run."""
        return Situation(
            run_id=RUN_ID,
            now_ms=self.now_ms,
            pace=LOCAL,
            performer=f"pass-{self.number}",
            generation=self.number,
            is_held=is_held,
            hold_hours=hold_hours,
        )

    def run(self, seen: SeenRun | None = None, *, after_ms: int = LATER_MS, waves_per_run: int = 1, **situation: object) -> Draft:
        """Carry out the next pass, `after_ms` later, and return what it decided; no id ever stands for two events."""
        self.number += 1
        self.now_ms += after_ms
        found = seen or SeenRun()
        draft = Draft(self.state, self.situation(**situation))  # type: ignore[arg-type]
        settle_waves(draft, found)
        while len(draft.state.open_waves()) < waves_per_run and (wave := next_wave(draft, self.shape)):
            reserve_wave(draft, wave)
        end_run(draft, found)
        for each in draft.events:
            assert each.event_id not in self.said, f"{each.kind} was said before under the same id"
            self.said[each.event_id] = encode_body(each)
        return draft

    def see(self, *jobs: SeenJob, **seen: object) -> SeenRun:
        """Return `jobs` as those of the one open action, with whatever else is seen."""
        return SeenRun(jobs={self.action.action_id: jobs}, **seen)  # type: ignore[arg-type]

    @property
    def action(self) -> Action:
        """The one open action."""
        (found,) = self.state.open_actions()
        return found

    def tell(self, kind: str, payload: Payload) -> None:
        """Append what somebody else writes into the journal."""
        self.told += 1
        fold_strictly(self.state, event(kind, payload, 10_000 + self.told, at_ms=self.now_ms))

    def claim(self, job: str = "job-1") -> None:
        """Let `job` win the open action, and start the wave if it is one."""
        action = self.action
        self.tell("action_claimed", events.ActionClaimed(action_id=action.action_id, job=job))
        if action.wave_id:
            for kind in ("provisioned", "ready"):
                self.tell(kind, events.WaveMoved(wave_id=action.wave_id))
            self.tell("started", events.WaveStarted(wave_id=action.wave_id, job=job))

    def segment(self, *facts: Fact, k: int = 1) -> Mapping[str, tuple[SeenSegment, ...]]:
        """Return `facts` as the `k`-th segment of the open wave."""
        return {self.action.wave_id: (SeenSegment(k, f"{k:064x}", facts),)}

    def cancel(self) -> None:
        """Ask for the end of the run."""
        self.tell("cancel_requested", events.CancelRequested(request_id="req-9"))

    def work(self, *facts: Fact, job: str = "job-1") -> Draft:
        """Let a wave be claimed, report `facts` and end; return the pass that sees it."""
        self.claim(job)
        return self.run(self.see(gone(job), segments=self.segment(*facts)))

    def states(self) -> list[str]:
        """Return the state of each trial."""
        return [str(self.state.trials.trial(index).state) for index in range(self.state.trials.count)]


def kinds(draft: Draft) -> list[str]:
    """Return the kinds of the decided events."""
    return [each.kind for each in draft.events]


def payloads[P: Payload](draft: Draft, kind: type[P]) -> list[P]:
    """Return the payloads of one class."""
    return [each.payload for each in draft.events if isinstance(each.payload, kind)]
