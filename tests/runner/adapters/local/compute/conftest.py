"""A real trial host for tests marked `harness`, and what it takes to run attempts through it."""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from runner.adapters.local.compute.harness import LocalHarness
from runner.harness.install import interpreter
from runner.ports.compute.harness import AttemptOrder, HarnessReport, ModelAccess, ReportKind
from shared.digests import Json

ROOT = Path(__file__).parents[5]
STARTER = ROOT / "benchmarks" / "starter"
TASKS = ROOT / "tests" / "data" / "tasks"
JOB: Mapping[str, Json] = {"environment": {"import_path": "runner.harness.environments.local_sandbox:LocalSandbox"}}
SECRETS = {"FIRST_KEY": "first-secret-value", "SECOND_KEY": "second-secret-value"}


class Attempts:
    """A host and the attempts run through it, each in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        environment = {"PATH": os.environ["PATH"], **SECRETS}
        self.folder = folder
        self.harness = LocalHarness(interpreter(ROOT), ROOT, environment=environment, log=folder / "host.log")

    def start(
        self,
        name: str,
        task: Path,
        agent: Mapping[str, Json],
        *,
        job: Mapping[str, Json] = JOB,
        seconds: float = 120,
        model: ModelAccess | None = None,
        secrets: tuple[str, ...] = (),
    ) -> None:
        """Start an attempt called `name`."""
        self.harness.start(AttemptOrder(name, self.folder / name, task, agent, job, seconds, model, secrets))

    def ends(self, *names: str) -> dict[str, HarnessReport]:
        """Return the last report of each attempt, waiting for all."""
        found: dict[str, HarnessReport] = {}
        deadline = time.monotonic() + 120
        while set(found) < set(names):
            assert time.monotonic() < deadline, f"no end of {set(names) - set(found)}"
            for report in self.harness.wait(1.0):
                if report.kind is not ReportKind.PHASE:
                    found[report.attempt_id] = report
        return found

    def result_file(self, name: str) -> Path:
        """Return where Harbor wrote the attempt's result."""
        return self.folder / name / name / "result.json"

    def result(self, name: str) -> dict[str, Any]:
        """Return the attempt's result."""
        document: dict[str, Any] = json.loads(self.result_file(name).read_bytes())
        return document

    def asleep(self, name: str) -> int:
        """Return the pid of a `Sleeper`'s process once its sandbox is up."""
        mark = self.folder / name / name / "agent" / "asleep"
        deadline = time.monotonic() + 60
        while not (mark.exists() and mark.read_text(encoding="utf-8")):
            assert time.monotonic() < deadline, "the agent never began"
            time.sleep(0.01)
        return int(mark.read_text(encoding="utf-8"))


@pytest.fixture
def make_attempts(tmp_path: Path) -> Iterator[Callable[[], Attempts]]:
    """Return a maker of hosts that are stopped after the test."""
    if not interpreter(ROOT).exists():
        pytest.skip("Harbor's environment is not installed: python -m runner harness install")
    made: list[Attempts] = []

    def make() -> Attempts:
        made.append(Attempts(tmp_path / f"host-{len(made)}"))
        return made[-1]

    yield make
    for attempts in made:
        attempts.harness.stop()


@pytest.fixture
def attempts(make_attempts: Callable[[], Attempts]) -> Attempts:
    """Return one host."""
    return make_attempts()
