"""A harness without Harbor, in the test's own process: its parser repeats what it is given, its host writes scripted results."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runner.ports.compute.harness import (
    AttemptOrder,
    CheckedTask,
    EndReason,
    FieldProblem,
    HarnessCheckResult,
    HarnessHello,
    HarnessReport,
    ReportKind,
    TaskNeeds,
)
from runner.ports.state.clock import Clock
from shared.digests import Json, sha256
from shared.outcomes import Phase
from tests.builders.results import result_document

VERSION = "0.26.0"
LOCK_SHA256 = "0123456789abcdef" * 4
NEEDS = TaskNeeds(None, True, False, "undeclared", 0, None, None, None, 60.0, 60.0, 60.0, 0, ())  # noqa: FBT003 - a row of facts

type Script = Callable[[AttemptOrder], dict[str, Any] | None]
"""What an attempt's result file says; None: it leaves none."""


def by_agent(order: AttemptOrder) -> dict[str, Any]:
    """Return reward 1 for the agent `oracle` and 0 for every other."""
    return result_document(rewards={"reward": 1.0 if order.agent.get("name") == "oracle" else 0.0})


class ScriptedCheck:
    """Harbor's parser as a script: the fragments come back as given, one task a folder, and the given problems."""

    def __init__(self, *problems: FieldProblem, lock_sha256: str = LOCK_SHA256, needs: TaskNeeds = NEEDS) -> None:
        self._problems = problems
        self._needs = needs
        self._lock_sha256 = lock_sha256

    def check(self, agents: Sequence[Mapping[str, Json]], job: Mapping[str, Json], source: Path | None) -> HarnessCheckResult:
        """Return the reading; the digest of a task is that of its task.toml."""
        assert source is not None
        tasks = tuple(
            CheckedTask(f"org/{folder.name}", folder.name, sha256((folder / "task.toml").read_bytes()), self._needs)
            for folder in sorted(source.iterdir())
            if (folder / "task.toml").is_file()
        )
        skipped = tuple(folder.name for folder in sorted(source.iterdir()) if not (folder / "task.toml").is_file())
        return HarnessCheckResult(VERSION, self._lock_sha256, tuple(agents), job, tasks, self._problems, skipped)


class ScriptedHarness:
    """The port `Harness`: an attempt ends as soon as it is waited for."""

    def __init__(self, clock: Clock, script: Script = by_agent) -> None:
        self._clock = clock
        self._script = script
        self._reports: list[HarnessReport] = []
        self.orders: list[AttemptOrder] = []

    def hello(self) -> HarnessHello:
        """Say what the check said."""
        return HarnessHello(VERSION, LOCK_SHA256, 1)

    def start(self, order: AttemptOrder) -> None:
        """Write the result at once; its reports wait."""
        self.orders.append(order)
        document = self._script(order)
        if document is None:
            self._reports.append(HarnessReport(ReportKind.LOST, order.attempt_id, signal=9))
            return
        folder = order.folder / order.attempt_id
        folder.mkdir(parents=True)
        changes = {"task_checksum": sha256((order.task_path / "task.toml").read_bytes())}
        (folder / "result.json").write_text(json.dumps({**document, **changes}))
        (folder / "trial.log").write_text(f"{order.agent.get('name')} on {order.task_path.name}\n")
        self._reports.append(HarnessReport(ReportKind.PHASE, order.attempt_id, phase=Phase.VERIFIER))
        self._reports.append(HarnessReport(ReportKind.ENDED, order.attempt_id, exit_code=0, reason=EndReason.FINISHED))

    def cancel(self, attempt_id: str) -> None:
        """Do nothing: every attempt has ended."""

    def wait(self, timeout_s: float) -> Sequence[HarnessReport]:
        """Return what is reported, or let the time pass."""
        found, self._reports = self._reports, []
        if not found:
            time.sleep(0.001)  # The sealing threads are real.
            self._clock.sleep(timeout_s)
        return found

    def stop(self) -> Sequence[HarnessReport]:
        """Return nothing: nothing is under way."""
        return ()
