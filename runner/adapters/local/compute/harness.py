"""The trial host as a process on this machine, and Harbor's parser as another.

`LocalHarness` starts `python -m runner.harness.host` with the harness environment's interpreter and translates its lines. Always
true: every started attempt gets exactly one `ended` or `lost` report; a host that died has made `lost` reports of all its live
attempts, and what they left on this machine is reaped before those reports are handed out. Built by bootstrap.
"""

import contextlib
import json
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from runner.harness.reaping import reap
from runner.harness.secrecy import HARBOR_SETTINGS
from runner.harness.wire import cancel_line, order_line, read_report, stop_line
from runner.ports.compute.harness import (
    AttemptOrder,
    CheckedTask,
    FieldProblem,
    HarnessCheckResult,
    HarnessHello,
    HarnessMissing,
    HarnessReport,
    ReportKind,
    TaskNeeds,
    TaskVariable,
)
from shared.digests import Json
from shared.errors import Conflict

START_SECONDS: Final = 120.0
STOP_SECONDS: Final = 45.0
"""Longer than the host's own grace for its children."""
CHECK_SECONDS: Final = 300.0
_LOOK_SECONDS: Final = 1.0
"""So often a silent host is looked at: a stray process may hold its end of the pipe after it has died."""
_READ_BYTES: Final = 1 << 20
_WAY_OUT: Final = "Run `python -m runner harness install`."


class LocalHarness:
    """The port `Harness` over one child process."""

    def __init__(self, interpreter: Path, checkout: Path, *, environment: Mapping[str, str], log: Path) -> None:
        self._interpreter = interpreter
        self._checkout = checkout
        self._environment = {**environment, "PYTHONPATH": str(checkout)}
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._hello: HarnessHello | None = None
        self._pending = b""
        self._live: dict[str, AttemptOrder] = {}
        self._ready: list[HarnessReport] = []

    def hello(self) -> HarnessHello:
        """Return which Harbor answers; starts the host if it is not up."""
        if self._hello is None:
            self._launch()
            deadline = time.monotonic() + START_SECONDS
            while self._hello is None and self._process is not None and time.monotonic() < deadline:
                self._read(deadline - time.monotonic())
        if self._hello is None:
            self.stop()
            raise HarnessMissing("HARNESS_MISSING", f"the trial host did not start; its log is {self._log}", way_out=_WAY_OUT)
        return self._hello

    def start(self, order: AttemptOrder) -> None:
        """Begin `order`; a dead host shows in its `lost` report."""
        self.hello()
        if order.attempt_id in self._live:
            raise Conflict("ATTEMPT_LIVE", f"attempt {order.attempt_id} is live", way_out="Wait for its report.")
        self._live[order.attempt_id] = order
        self._write(order_line(order))

    def cancel(self, attempt_id: str) -> None:
        """Ask the attempt to end."""
        if attempt_id in self._live:
            self._write(cancel_line(attempt_id))

    def wait(self, timeout_s: float) -> Sequence[HarnessReport]:
        """Return the reports that have arrived, waiting up to `timeout_s` for the first."""
        deadline = time.monotonic() + timeout_s
        while not self._ready and self._process is not None:
            left = deadline - time.monotonic()
            self._read(max(0.0, left))
            if left <= 0:
                break
        ready, self._ready = self._ready, []
        return ready

    def stop(self) -> Sequence[HarnessReport]:
        """End every attempt gracefully, then the host; return the last reports."""
        if self._process is not None:
            self._write(stop_line())
            deadline = time.monotonic() + STOP_SECONDS
            while self._process is not None and time.monotonic() < deadline:
                self._read(deadline - time.monotonic())
            self._bury()
        ready, self._ready = self._ready, []
        return ready

    def _launch(self) -> None:
        if not self._interpreter.exists():
            raise HarnessMissing("HARNESS_MISSING", "Harbor's environment is not installed", way_out=_WAY_OUT)
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [str(self._interpreter), "-m", "runner.harness.host"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, env=self._environment, cwd=self._checkout,
                start_new_session=True,
            )  # fmt: skip

    def _read(self, timeout_s: float) -> None:
        process = self._process
        if process is None or process.stdout is None:
            return
        ready, _, _ = select.select([process.stdout], [], [], min(timeout_s, _LOOK_SECONDS))
        if not ready:
            if process.poll() is not None:
                self._bury()
            return
        data = os.read(process.stdout.fileno(), _READ_BYTES)
        if not data:
            self._bury()
            return
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        report = read_report(line)
        if isinstance(report, HarnessHello):
            self._hello = report
        elif report.attempt_id in self._live:
            if report.kind is ReportKind.ENDED:
                del self._live[report.attempt_id]
            self._ready.append(report)

    def _write(self, line: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None:
            self._lose()
            return
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(line)
            process.stdin.flush()

    def _bury(self) -> None:
        """Take note that the host is gone: end it for certain, reap what it left, report its attempts lost."""
        process, self._process, self._hello, self._pending = self._process, None, None, b""
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
        self._lose()

    def _lose(self) -> None:
        for order in self._live.values():
            reap(order.folder)
            self._ready.append(HarnessReport(ReportKind.LOST, order.attempt_id))
        self._live.clear()


class LocalHarnessCheck:
    """The port `HarnessCheck`: one short process for each question."""

    def __init__(self, interpreter: Path, checkout: Path) -> None:
        self._interpreter = interpreter
        self._checkout = checkout

    def check(self, agents: Sequence[Mapping[str, Json]], job: Mapping[str, Json], source: Path | None) -> HarnessCheckResult:
        """Return Harbor's reading of the fragments and, with a `source` folder, of its tasks."""
        if not self._interpreter.exists():
            raise HarnessMissing("HARNESS_MISSING", "Harbor's environment is not installed", way_out=_WAY_OUT)
        question = {"agents": [dict(agent) for agent in agents], "job": dict(job), "source": str(source) if source else None}
        answer = subprocess.run(
            [str(self._interpreter), "-m", "runner.harness.check"],
            input=json.dumps(question).encode(), capture_output=True, timeout=CHECK_SECONDS, check=False, cwd=self._checkout,
            env={"PYTHONPATH": str(self._checkout), "PATH": os.defpath, **HARBOR_SETTINGS},
        )  # fmt: skip
        if answer.returncode != 0:
            reason = answer.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise HarnessMissing("HARNESS_MISSING", f"Harbor's parser did not answer: {reason}", way_out=_WAY_OUT)
        return _check_result(json.loads(answer.stdout))


def _check_result(document: Any) -> HarnessCheckResult:
    tasks = tuple(_checked_task(task) for task in document["tasks"])
    problems = tuple(FieldProblem(**problem) for problem in document["problems"])
    agents, skipped = tuple(document["agents"]), tuple(document["skipped"])
    return HarnessCheckResult(document["harbor"], document["lock_sha256"], agents, document["job"], tasks, problems, skipped)


def _checked_task(task: Any) -> CheckedTask:
    asked = task["needs"]
    variables = tuple(TaskVariable(*each) for each in asked["variables"])
    needs = {**asked, "unsupported": tuple(asked["unsupported"]), "variables": variables}
    return CheckedTask(task["name"], task["path"], task["digest"], TaskNeeds(**needs))
