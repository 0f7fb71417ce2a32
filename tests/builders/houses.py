"""A whole installation in one process: real stores in a folder, a clock that a test moves, jobs that run when a test says so."""

import dataclasses
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path

from runner.bootstrap import House
from runner.config import CHECKOUT, Settings
from runner.domain.control.envelope import Event
from runner.domain.control.projection.state import RunProjection
from runner.ports.compute.jobs import JobKind, JobSpec, JobView
from runner.ports.state.control_log import ControlLog
from runner.usecases.control.pass_world import PassReport, PassWorld
from runner.usecases.control.reconcile import reconcile
from runner.usecases.journals.claim_action import claim_action
from runner.usecases.journals.loading import load_lock, load_plan, load_run, require_run, run_subject
from runner.usecases.results.publicity import make_public
from runner.usecases.runs.claim_wave import claim_wave
from runner.usecases.runs.plan_run import PlannedRun, World, plan_run
from runner.usecases.runs.run_wave import run_wave
from runner.usecases.runs.seal_run import SealWorld, seal_run
from runner.usecases.runs.submit_run import submit_run
from shared.digests import Digest
from shared.documents.reviewed.prices import PriceDocument
from shared.documents.yaml_reader import read_yaml
from shared.ids import ActionId, RunId, WaveId
from tests.builders.chances import CountedChance
from tests.builders.clocks import StoppedClock
from tests.builders.experiments import Tree, encode
from tests.doubles.harness import LOCK_SHA256, Script, ScriptedCheck, ScriptedHarness, by_agent
from tests.doubles.jobs import ScriptedJobs

BUILD = Digest("b" * 64)
TASKS = ("one", "two")


def starter_tree(repeats: int = 1, max_attempts: int = 3) -> Tree:
    """Return the starter manifest over the scripted harness."""
    tree: Tree = read_yaml((CHECKOUT / "benchmarks" / "starter.yaml").read_bytes()).value
    tree["harbor"]["lock_sha256"] = LOCK_SHA256
    tree["policy"].update(repeats=repeats, max_attempts=max_attempts)
    return tree


def write_source(folder: Path, tasks: tuple[str, ...] = TASKS) -> Path:
    """Write a benchmark of `tasks` below `folder`."""
    for name in tasks:
        (folder / "starter" / name).mkdir(parents=True, exist_ok=True)
        (folder / "starter" / name / "task.toml").write_text(f"# {name}\n")
    return folder


PRICES = PriceDocument(name="local", observed_at="2026-01-01T00:00:00Z")


class Place:
    """An installation below `folder` and what happens in it."""

    def __init__(
        self,
        folder: Path,
        script: Script = by_agent,
        environment: Mapping[str, str] | None = None,
        probe_sandbox: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.folder = folder
        self.probe_sandbox = probe_sandbox
        self.clock = StoppedClock()
        settings = Settings(
            home=folder / "home",
            results=folder / "results",
            harness=folder / "no-harness",
            servers={},
            actor="tester",
            fault=None,
            environment=environment or {},
        )
        settings.home.mkdir(parents=True)
        self.house = House(settings, self.clock, CountedChance())
        self.script = script
        self.jobs = ScriptedJobs(self._work)
        self.rules = self.house.rules
        """What passes judge requests and waves by."""

    def plan(self, tree: Tree | None = None, prices: PriceDocument = PRICES) -> PlannedRun:
        """Return the plan of `tree`."""
        source = write_source(self.folder / "source")
        return plan_run(encode(tree or starter_tree()), source, World(self.house.sources, ScriptedCheck(), prices, {}))

    def submit(self, tree: Tree | None = None, key: str = "") -> RunId:
        """Put a run into the inbox and return its id."""
        house = self.house
        world = dataclasses.replace(
            house.submit_world(), clock=self.clock, build=BUILD, servers=frozenset(), probe_sandbox=lambda _: None
        )
        return submit_run(self.plan(tree), self.folder / "source", house.actor(), world, key).run_id

    def world(self, log: ControlLog | None = None, **changes: object) -> PassWorld:
        """Return what a pass works on."""
        given = {"jobs": self.jobs, "rules": self.rules, "build": lambda: BUILD, **changes}
        found = dataclasses.replace(self.house.pass_world(), **given)  # type: ignore[arg-type]
        return found if log is None else dataclasses.replace(found, log=log)

    def reconcile(self, log: ControlLog | None = None, **changes: object) -> PassReport:
        """Carry out one pass, one second later."""
        self.clock.sleep(1)
        return reconcile(self.world(log, **changes))

    def finish(self) -> PassReport:
        """Let passes and jobs take turns until nothing is open; return the last pass's report."""
        for _ in range(60):
            report = self.reconcile()
            if report.is_idle:
                return report
            self.jobs.work_all()
        raise AssertionError(f"still open: {report}, {self.jobs.errors}")

    def settle(self) -> PassReport:
        """Let passes and jobs take turns until nothing moves on without a person; return the last pass's report."""
        for _ in range(60):
            report = self.reconcile()
            if report.is_stuck and not self.house.inbox.list(1).waiting:
                return report
            self.jobs.work_all()
        raise AssertionError(f"still moving: {report}, {self.jobs.errors}")

    def state(self, run_id: RunId) -> RunProjection:
        """Return what the journal says of the run."""
        log = self.house.log
        return load_run(log, run_id, log.head().version)

    def everything(self) -> dict[str, object]:
        """Return what the installation holds: each table of its databases, each other file."""
        found: dict[str, object] = {}
        for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            if path.suffix == ".sqlite":
                with sqlite3.connect(path) as connection:
                    for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
                        found[f"{path.name} {table}"] = connection.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608 - ours
            elif ".sqlite-" not in path.name:
                found[str(path.relative_to(self.folder))] = path.read_bytes()
        return found

    def events(self, run_id: RunId) -> list[Event]:
        """Return the journal of the run."""
        log = self.house.log
        return [event for segment in log.read(run_subject(run_id), 0, log.head().version) for event in segment.events]

    def _work(self, view: JobView, spec: JobSpec) -> None:
        workers: dict[JobKind, Callable[[JobView, JobSpec], None]] = {
            JobKind.WAVE: self._wave,
            JobKind.SEALING: self._seal,
            JobKind.PUBLISHING: self._publish,
        }
        workers[spec.kind](view, spec)

    def _wave(self, view: JobView, spec: JobSpec) -> None:
        world = self.house.wave_world(WaveId(spec.target), view.job_id)
        harness = ScriptedHarness(self.clock, self.script)
        world = dataclasses.replace(world, harness=harness, host=HOST, probe_sandbox=self.probe_sandbox)
        claim = claim_wave(RunId(spec.run_id), ActionId(spec.action_id), WaveId(spec.target), world)
        run_wave(claim, self.house.redacting(world, claim.head), lambda: False)

    def _seal(self, view: JobView, spec: JobSpec) -> None:
        self._claim(view, spec)
        house, run_id = self.house, RunId(spec.run_id)
        state = require_run(house.log, run_id, house.log.head().version)
        plan, lock = load_plan(house.objects, state.run.plan_digest), load_lock(house.log, state.run.lock_sha256)
        seal_run(SealWorld(run_id, state, plan, lock, house.evidence))

    def _publish(self, view: JobView, spec: JobSpec) -> None:
        self._claim(view, spec)
        make_public(RunId(spec.run_id), spec.target, self.house.publicity_world())

    def _claim(self, view: JobView, spec: JobSpec) -> None:
        house, action = self.house, ActionId(spec.action_id)
        claim_action(RunId(spec.run_id), action, view.job_id, log=house.log, clock=self.clock, chance=house.chance)


HOST = {"host_release": "test 1", "host_packages_sha256": "c" * 64}
