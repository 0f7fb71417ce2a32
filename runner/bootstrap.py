"""The only place that builds adapters: from settings to a house whose ports are ready; and the hook that tests kill with."""

import itertools
import os
import shutil
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from runner.adapters.local.compute.harness import LocalHarness, LocalHarnessCheck
from runner.adapters.local.compute.host_facts import host_facts
from runner.adapters.local.compute.jobs import FOLDER_VARIABLE, LocalJobs
from runner.adapters.local.compute.own_job import OwnJob
from runner.adapters.local.compute.sandbox_probe import probe_sandbox
from runner.adapters.local.state.sqlite_control_log import SqliteControlLog
from runner.adapters.local.state.sqlite_inbox import SqliteInbox
from runner.adapters.local.state.sqlite_status import SqliteSavepoints, SqliteStatus
from runner.adapters.local.state.system_time import SystemChance, SystemClock
from runner.adapters.local.stores.build import build_digest
from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.adapters.local.stores.objects import LocalObjects
from runner.adapters.local.stores.results import LocalResults
from runner.adapters.local.stores.sources import LocalSources
from runner.config import Fault, Settings, read_settings, secret_values
from runner.domain import yields
from runner.domain.control.envelope import utc_text
from runner.evidence.redaction import Redactor
from runner.ports.state.clock import Chance, Clock
from runner.ports.stores.evidence_store import EvidenceStore
from runner.ports.stores.result_store import ResultStore
from runner.usecases.control.pass_world import PassWorld, Rules
from runner.usecases.imports.gather_import import is_import
from runner.usecases.imports.publish_import import publish_import
from runner.usecases.imports.seal_import import ImportWorld
from runner.usecases.requests.make_offer import OfferWorld
from runner.usecases.results.publicity import PublicityWorld, ResultsSeen, publish, results_of
from runner.usecases.results.publish_run import Publication
from runner.usecases.runs.plan_run import World as PlanWorld
from runner.usecases.runs.submit_run import SubmitWorld
from runner.usecases.runs.wave_world import WaveWorld
from shared.digests import Digest
from shared.documents.plan import PlanHead
from shared.documents.reviewed.limits import Limits, local_limits
from shared.documents.reviewed.prices import PriceDocument
from shared.documents.yaml_reader import read_yaml
from shared.errors import BadInput, StoreFault
from shared.ids import RunId, WaveId
from shared.inbox.codec import Actor
from shared.inbox.rights import Access
from shared.planning.secret_names import secret_names

LOCAL_PRICES: Final = PriceDocument(name="local", observed_at="2026-01-01T00:00:00Z")
"""What runs on this machine costs nothing; everything else has no price until a reviewed document is given."""

LOCAL_HOLD_HOURS: Final = 0
"""Nobody watches a machine of one person for trials that could be retried by hand: a run is sealed once no work is left."""
LOCAL_ORGANISATION: Final = "local"
"""Whoever works on this machine's command line is its maintainer, through this organisation."""


@dataclass(frozen=True)
class House:
    """One installation, its adapters built when they are first used."""

    settings: Settings
    clock: Clock
    chance: Chance

    @cached_property
    def log(self) -> SqliteControlLog:
        """The control log; raises StoreFault CONTROL_LOST if it is gone while evidence of its runs stands."""
        path = self.settings.home / "control.sqlite"
        is_new = not path.exists() or path.stat().st_size == 0
        if is_new and any((self.settings.home / "evidence" / "runs").glob("run-*")):
            message = f"{path} is gone or empty, and there is evidence of runs that it knew"
            raise StoreFault("CONTROL_LOST", message, way_out="Restore it from a copy; nothing was changed.")
        return SqliteControlLog(path, self.clock)

    @cached_property
    def inbox(self) -> SqliteInbox:
        """The inbox."""
        return SqliteInbox(self.settings.home / "inbox.sqlite", self.clock)

    @cached_property
    def status(self) -> SqliteStatus:
        """The status documents."""
        return SqliteStatus(self.settings.home / "control.sqlite")

    @cached_property
    def savepoints(self) -> SqliteSavepoints:
        """Savepoints of long journals."""
        return SqliteSavepoints(self.settings.home / "control.sqlite")

    @cached_property
    def rules(self) -> Rules:
        """What requests and waves are judged by."""
        settings = self.settings
        access = Access(settings.submitters, settings.member_orgs, settings.maintainer_orgs | {LOCAL_ORGANISATION})
        return Rules(_limits(settings.limits), access)

    @cached_property
    def redactor(self) -> Redactor:
        """Knows the secrets of this process's environment."""
        return Redactor(secret_values(self.settings.environment))

    @cached_property
    def objects(self) -> LocalObjects:
        """The object store."""
        return LocalObjects(self.settings.home)

    @cached_property
    def evidence(self) -> LocalEvidenceStore:
        """The evidence store."""
        return LocalEvidenceStore(self.settings.home / "evidence")

    @cached_property
    def sources(self) -> LocalSources:
        """Benchmark sources."""
        return LocalSources(self.objects, self.settings.home / "work" / "sources")

    @cached_property
    def jobs(self) -> LocalJobs:
        """Jobs as subprocesses of this machine."""
        environment = {**self.settings.environment, "SEAWALL_HOME": str(self.settings.home)}
        return LocalJobs(
            self.settings.home / "jobs",
            self.settings.checkout,
            environment=environment,
            clock=self.clock,
            chance=self.chance,
        )

    def plan_world(self) -> PlanWorld:
        """Return what planning may look at."""
        check = LocalHarnessCheck(self.settings.harness, self.settings.checkout)
        return PlanWorld(self.sources, check, LOCAL_PRICES, {})

    def submit_world(self) -> SubmitWorld:
        """Return what submitting needs."""
        build = build_digest(self.settings.checkout)
        return SubmitWorld(
            inbox=self.inbox,
            objects=self.objects,
            sources=self.sources,
            clock=self.clock,
            unique=self.chance.uuid7,
            build=build,
            servers=frozenset(self.settings.servers),
            probe_sandbox=probe_sandbox,
        )

    def pass_world(self) -> PassWorld:
        """Return what a pass needs."""
        return PassWorld(
            log=self.log,
            inbox=self.inbox,
            status=self.status,
            jobs=self.jobs,
            evidence=self.evidence,
            objects=self.objects,
            find_results=self.find_results,
            build=lambda: build_digest(self.settings.checkout),
            clock=self.clock,
            chance=self.chance,
            pace=self.settings.pace,
            hold_hours=LOCAL_HOLD_HOURS,
            savepoints=self.savepoints,
            rules=self.rules,
            redactor=self.redactor,
        )

    def wave_world(self, wave: WaveId, job_id: str) -> WaveWorld:
        """Return what the worker of `wave` needs."""
        settings = self.settings
        work = self._work(wave)
        return WaveWorld(
            log=self.log,
            evidence=self.evidence,
            objects=self.objects,
            sources=self.sources,
            harness=LocalHarness(settings.harness, settings.checkout, environment=settings.environment, log=work / "host.log"),
            clock=self.clock,
            chance=self.chance,
            pace=settings.pace,
            work=work,
            servers=settings.servers,
            secrets=secret_values(settings.environment),
            job_id=job_id,
            probe_sandbox=probe_sandbox,
            host=host_facts(),
        )

    def redacting(self, world: WaveWorld, plan: PlanHead) -> WaveWorld:
        """Return `world` with the value of every secret that `plan` names among those that must never be stored."""
        names = frozenset(name for cell in plan.cells for name in secret_names(plan, cell))
        return replace(world, secrets=secret_values(self.settings.environment, names))

    @cached_property
    def results(self) -> LocalResults:
        """The published results."""
        return LocalResults(self.settings.results)

    def find_results(self, run_id: RunId, plan: PlanHead) -> ResultsSeen:
        """Return what of the run stands in its dataset and its catalog."""
        return results_of(run_id, plan, self.results)

    def offer_world(self) -> OfferWorld:
        """Return what making an offer needs."""
        return OfferWorld(self.log, self.status, self.sources, LOCAL_PRICES, self.clock, self.chance, self.settings.actor)

    def publicity_world(self) -> PublicityWorld:
        """Return what the publishing job needs."""
        return PublicityWorld(self.log, self.objects, self.evidence, self.results, self.clock)

    def publish(self, run_id: RunId, into: ResultStore | None = None) -> Publication:
        """Publish a finished run from its journal and evidence, into its own datasets or into another store."""
        if is_import(run_id, self.evidence):
            now = utc_text(self.clock.now_ms())
            return publish_import(run_id, self.evidence, self.results if into is None else into, now)
        return publish(run_id, self.publicity_world(), into)

    def own_build(self) -> Digest:
        """Return the digest of this checkout's code."""
        return build_digest(self.settings.checkout)

    def import_world(self) -> ImportWorld:
        """Return what sealing an import needs; with the log there first, which evidence alone would seem to have lost."""
        self.log.head()
        work = self.settings.home / "work" / f"import-{self.chance.uuid7().hex}"
        return ImportWorld(self.evidence, work, secret_values(self.settings.environment))

    def actor(self) -> Actor:
        """Return who acts through the command line: on this machine, its maintainer."""
        return Actor(self.settings.actor, LOCAL_ORGANISATION, "admin")

    def forget_work(self, wave: WaveId) -> None:
        """Remove the scratch of a wave that has ended; its evidence is stored."""
        shutil.rmtree(self._work(wave), ignore_errors=True)

    def _work(self, wave: WaveId) -> Path:
        work = self.settings.home / "work" / wave
        work.mkdir(parents=True, exist_ok=True, mode=0o700)
        return work


def build(settings: Settings | None = None, process: str = "cli") -> House:
    """Return the installation that `settings` (default: the environment's) describe, for this kind of process."""
    found = settings or read_settings()
    if found.fault is not None and found.fault.process in {"", process}:
        yields.install(_killer(found.fault))
    try:
        found.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        message = f"{found.home} cannot be a folder of ours: {error.strerror}"
        raise BadInput("SETTING_INVALID", message, field="SEAWALL_HOME", way_out="Name a folder that can be written.") from error
    return House(replace(found, home=found.home.resolve()), SystemClock(), SystemChance())


def evidence_at(folder: Path) -> EvidenceStore:
    """Return the evidence in `folder`, an installation's or a copy of one, without an installation around it."""
    return LocalEvidenceStore(folder.absolute())


def results_at(folder: Path) -> LocalResults:
    """Return the results published in `folder`, without an installation around them."""
    return LocalResults(folder.absolute())


def own_job() -> OwnJob:
    """Return the job that this process is; only a worker that the jobs port started is one."""
    return OwnJob(Path(os.environ[FOLDER_VARIABLE]))


def _limits(path: Path | None) -> Limits:
    """Return the limits that requests and waves are judged by; raise BadInput naming the setting."""
    if path is None:
        return local_limits()
    try:
        return Limits.from_json(read_yaml(path.read_bytes()).value)
    except OSError as error:
        raise BadInput(
            "SETTING_INVALID",
            f"{path} cannot be read: {error.strerror}",
            field="SEAWALL_LIMITS",
            way_out="Name a limits document that can be read, or unset it.",
        ) from error


def _killer(fault: Fault) -> Callable[[str], None]:
    """Return a hook that ends or stops this process where `fault` says."""
    passages, lock = itertools.count(1), threading.Lock()

    def hook(reached: str) -> None:
        if reached != fault.point:
            return
        with lock:
            if next(passages) == fault.count and _is_first(fault.once):
                os.kill(os.getpid(), signal.SIGSTOP if fault.is_stop else signal.SIGKILL)

    return hook


def _is_first(once: Path | None) -> bool:
    """Tell whether this process created `once`."""
    if once is None:
        return True
    try:
        once.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
