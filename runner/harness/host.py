"""The trial host: imports Harbor once, stays single-threaded, forks one child for each attempt it is told to start.

Run as `python -m runner.harness.host` by the interpreter of the harness environment, with the checkout on PYTHONPATH. Orders
come in on stdin, reports go out on stdout (`wire.py`). It starts what it is told and has no limit of its own. End of input,
SIGTERM or a stop order end it: children are asked to cancel, so that Harbor writes their results, and killed with their group
after `GRACE_SECONDS`. An attempt that outlives its `trial_seconds` goes the same way.
"""

import gc
import hashlib
import importlib
import importlib.metadata
import json
import os
import select
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from runner.harness.reaping import reap
from runner.harness.secrecy import host_environment, set_environment, take_environment
from runner.harness.wire import ended_line, hello_line, read_order
from runner.ports.compute.harness import AttemptOrder, EndReason, HarnessHello

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_SECONDS: Final = 30.0
NO_HOME: Final = Path("/nonexistent")
"""The host writes nothing of its own; each child gets a home in its scratch folder."""
LOCK_FILE: Final = Path(__file__).parent / "environment" / "uv.lock"
AGENTS: Final = Path(__file__).parents[1] / "agents"
_READ_BYTES: Final = 1 << 20
PRELOADED: Final = (
    "dirhash", "gzip", "multiprocessing.pool", "scantree", "harbor.agents.nop", "harbor.agents.oracle", "harbor.trial.multi_step",
    "harbor.trial.single_step", "harbor.trial.sync_trajectory", "runner.harness.environments.local_sandbox",
)  # fmt: skip
"""What a trial imports on its way; imported before the fork, it is paid for once and not by every attempt."""


@dataclass(slots=True)
class Child:
    """A live attempt: its order, when it is asked to end, when it is killed, and why."""

    order: AttemptOrder
    asked_at: float
    killed_at: float = float("inf")
    reason: EndReason = EndReason.FINISHED


class Host:
    """The loop over orders, signals and deadlines. `run` is the child's part, given in so that Harbor is imported once."""

    def __init__(self, run: "Callable[[AttemptOrder, int, Mapping[str, str], int], NoReturn]", taken: Mapping[str, str]) -> None:
        self._run = run
        self._taken = taken
        self._children: dict[int, Child] = {}
        self._is_stopping = False
        self._pending = b""
        self._reports = os.dup(1)
        os.dup2(2, 1)  # whatever else prints goes to the log, not between the reports
        self._wake, wake_write = os.pipe()
        for end in (self._wake, wake_write):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: self._stop())

    def serve(self, hello: HarnessHello) -> None:
        """Say hello, then work until stopped and the last child is gone."""
        self._report(hello_line(hello))
        while self._children or not self._is_stopping:
            inputs = [self._wake] if self._is_stopping else [self._wake, 0]
            ready, _, _ = select.select(inputs, [], [], self._patience())
            if self._wake in ready:
                self._drain_wake()
            if 0 in ready:
                self._take_orders()
            self._collect()
            self._enforce()

    def _take_orders(self) -> None:
        data = os.read(0, _READ_BYTES)
        if not data:
            self._stop()
            return
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            if line.strip():
                self._obey(json.loads(line))

    def _obey(self, order: Mapping[str, dict[str, object]]) -> None:
        if "start" in order:
            self._start(read_order(order["start"]))
        elif "cancel" in order:
            for pid, child in self._children.items():
                if child.order.attempt_id == order["cancel"]["attempt_id"]:
                    self._ask_to_end(pid, child, EndReason.CANCELLED)
        elif "stop" in order:
            self._stop()

    def _start(self, order: AttemptOrder) -> None:
        if self._is_stopping:
            self._report(ended_line(order.attempt_id, 1, None, EndReason.STOPPED, ""))
            return
        try:
            self._fork(order)
        except OSError as error:
            self._report(ended_line(order.attempt_id, 1, None, EndReason.FINISHED, type(error).__name__))

    def _fork(self, order: AttemptOrder) -> None:
        order.folder.mkdir(parents=True, exist_ok=True)
        host = os.getpid()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        pid = os.fork()
        if pid == 0:
            self._become_child()
            self._run(order, self._reports, self._taken, host)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        self._children[pid] = Child(order, time.monotonic() + order.trial_seconds)

    def _become_child(self) -> None:
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.close(self._wake)

    def _collect(self) -> None:
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            child = self._children.pop(pid, None)
            if child is not None:
                reap(child.order.folder)
                code = os.waitstatus_to_exitcode(status)
                exit_code, number = (code, None) if code >= 0 else (None, -code)
                name = _failure_name(child.order.folder)
                self._report(ended_line(child.order.attempt_id, exit_code, number, child.reason, name))

    def _enforce(self) -> None:
        now = time.monotonic()
        for pid, child in self._children.items():
            if now >= child.killed_at:
                child.killed_at = float("inf")
                _signal_group(pid, signal.SIGKILL)
            elif now >= child.asked_at:
                self._ask_to_end(pid, child, EndReason.DEADLINE)

    def _ask_to_end(self, pid: int, child: Child, reason: EndReason) -> None:
        if child.reason is EndReason.FINISHED:
            child.reason = reason
            child.asked_at, child.killed_at = float("inf"), time.monotonic() + GRACE_SECONDS
            os.kill(pid, signal.SIGTERM)

    def _stop(self) -> None:
        self._is_stopping = True
        for pid, child in self._children.items():
            self._ask_to_end(pid, child, EndReason.STOPPED)

    def _patience(self) -> float | None:
        if not self._children:
            return None
        nearest = min(min(child.asked_at, child.killed_at) for child in self._children.values())
        return None if nearest == float("inf") else max(0.0, nearest - time.monotonic())

    def _drain_wake(self) -> None:
        try:
            while os.read(self._wake, 4096):
                pass
        except BlockingIOError:
            return

    def _report(self, line: bytes) -> None:
        try:
            os.write(self._reports, line)
        except BrokenPipeError:
            self._stop()


def main() -> None:
    """Take the environment, import Harbor, serve."""
    taken = take_environment()
    set_environment(host_environment(taken, NO_HOME))
    hello = HarnessHello(importlib.metadata.version("harbor"), lock_sha256(), os.getpid())
    from runner.harness.attempt import run_attempt

    for name in (*PRELOADED, *_own_agents()):
        importlib.import_module(name)
    _finish_models()
    _read_once()
    gc.collect()
    gc.freeze()
    Host(run_attempt, taken).serve(hello)


def _own_agents() -> list[str]:
    """Return the modules of the agents that come with this package; an agent of somebody else is imported in its child alone."""
    return [f"runner.agents.{found.parent.name}.agent" for found in sorted(AGENTS.glob("*/agent.py"))]


def _finish_models() -> None:
    """Build every model of Harbor that waits for its first use: once here, and not in every child."""
    from pydantic import BaseModel

    waiting = BaseModel.__subclasses__()
    while waiting:
        model = waiting.pop()
        waiting += model.__subclasses__()
        if model.__module__.startswith("harbor.") and not model.__pydantic_complete__:
            model.model_rebuild(raise_errors=False)


def _read_once() -> None:
    """Ask this machine what every sandbox asks it, and compile Harbor's ignore rules: a child finds the answers in memory."""
    from harbor.publisher.packager import DEFAULT_IGNORES
    from pathspec import PathSpec

    from runner.harness.environments.settings import settings_arguments, settings_files

    settings_files(has_network=False)
    settings_arguments({})
    PathSpec.from_lines("gitignore", DEFAULT_IGNORES)


def lock_sha256() -> str:
    """Return the digest of the lock that the harness environment was made from."""
    return hashlib.sha256(LOCK_FILE.read_bytes()).hexdigest()


def _failure_name(folder: Path) -> str:
    try:
        return str(json.loads((folder / "failure.json").read_bytes())["exception_type"])
    except (OSError, ValueError, KeyError):
        return ""


def _signal_group(pid: int, number: int) -> None:
    for send in (os.killpg, os.kill):
        try:
            send(pid, number)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    main()
