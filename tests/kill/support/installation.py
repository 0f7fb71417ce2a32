"""A whole installation in a temporary folder, moved by real processes: what every kill test starts, kills, restarts and reads."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from runner.bootstrap import House, build
from runner.config import CHECKOUT, read_settings
from runner.domain.control.envelope import Event
from runner.domain.control.projection.state import RunProjection
from runner.usecases.journals.loading import load_run, run_subject
from shared.ids import RunId
from tests.doubles.harbor.host import write_interpreter

TASKS: Final = ("hello-file", "make-folder")
AGENTS: Final = ("oracle", "nop")
TRIALS: Final = len(TASKS) * len(AGENTS)
END_S: Final = 120
"""Far more than any run here takes; a run that hangs fails its test instead of the whole suite."""
KEPT: Final = ("PATH", "HOME", "LANG")
COMPILED: Final = Path(tempfile.gettempdir()) / f"seawall-kill-{os.getpid()}"
"""Where the many short processes of one test session find each other's compiled modules."""


class Installation:
    """One home folder and the processes that work on it."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.gate = folder / "gate"
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environment: dict[str, str] = {
            **kept,
            "PYTHONPATH": str(CHECKOUT),
            "PYTHONPYCACHEPREFIX": str(COMPILED),
            "SEAWALL_HOME": str(self.home),
            "SEAWALL_ACTOR": "tester",
            "SEAWALL_PACE": "quick",
            **settings,
        }

    def use_double(self) -> "Installation":
        """Let jobs talk to the scripted trial host."""
        self.environment["SEAWALL_HARNESS"] = str(write_interpreter(self.folder / "python"))
        return self

    def close_gate(self, agents: str) -> None:
        """Keep every attempt of these agents (comma separated) under way until `open_gate`."""
        self.environment.update(DOUBLE_GATE=str(self.gate), DOUBLE_HOLDS=agents)

    def open_gate(self) -> None:
        """Let attempts end."""
        self.gate.touch()

    def start(self, *arguments: str, **extra: str) -> "subprocess.Popen[bytes]":
        """Start `python -m runner` with `arguments` and return the process."""
        return self.spawn([sys.executable, "-m", "runner", *arguments], **extra)

    def spawn(self, command: Sequence[str], **extra: str) -> "subprocess.Popen[bytes]":
        """Start `command` with the installation's settings."""
        with (self.folder / "cli.log").open("ab") as log:
            return subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=CHECKOUT,
                env={**self.environment, **extra},
            )  # fmt: skip

    def call(self, *arguments: str, **extra: str) -> int:
        """Run `python -m runner` with `arguments` to its end and return its exit code (negative: the signal that ended it)."""
        process = self.start(*arguments, **extra)
        try:
            return process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def finish(self, **extra: str) -> int:
        """Reconcile until nothing is open; return the exit code."""
        return self.call("run", "reconcile", "--all", "--watch", **extra)

    def wait_until(self, is_so: Callable[[RunProjection], bool]) -> RunProjection:
        """Return the run's state once `is_so` holds of it; fail after a time in which it always does."""
        deadline = time.monotonic() + END_S
        while time.monotonic() < deadline:
            if self.is_taken and is_so(state := self.state()):
                return state
            time.sleep(0.05)
        raise AssertionError("what was waited for did not come")

    @property
    def is_taken(self) -> bool:
        """Tell whether a pass has written the run's first status."""
        return (self.home / "control.sqlite").exists() and any(subject.type == "run" for subject in self.house.status.list())

    @cached_property
    def house(self) -> House:
        """The installation's stores, opened in this process."""
        return build(read_settings({**self.environment, "SEAWALL_FAULT": ""}))

    @property
    def run_id(self) -> RunId:
        """The one run of this installation."""
        (found,) = [subject.id for subject in self.house.status.list() if subject.type == "run"]
        return RunId(found)

    def state(self) -> RunProjection:
        """Return what the journal says of the run now."""
        log = self.house.log
        return load_run(log, self.run_id, log.head().version)

    def events(self) -> list[Event]:
        """Return the run's whole journal."""
        log = self.house.log
        segments = log.read(run_subject(self.run_id), 0, log.head().version)
        return [event for segment in segments for event in segment.events]

    def living(self) -> list[str]:
        """Return the command lines of living processes that belong to this installation: jobs, trial hosts, sandboxes."""
        return [f"{pid} {line}" for pid, line in living_below(self.folder).items()]

    def jobs(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the specifications of every job of `kind`, oldest first."""
        specs = [json.loads(path.read_bytes()) for path in sorted((self.home / "jobs").glob("job-*/spec.json"))]
        return [spec for spec in specs if spec["kind"] == kind]

    def signal_jobs(self, kinds: Sequence[str], number: signal.Signals) -> int:
        """Send `number` to the workers of these kinds that are alive; return to how many."""
        sent = 0
        for line in self.living():
            pid, _, command = line.partition(" ")
            if any(f"runner.workers.{kind} " in command for kind in kinds):
                try:
                    os.kill(int(pid), number)
                    sent += 1
                except ProcessLookupError:
                    continue
        return sent


def living_below(folder: Path) -> dict[int, str]:
    """Return, by process id, the command line of each living process that was started with a path below `folder`."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes()
                words = (entry / "environ").read_bytes() + command
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if f"{folder}/".encode() in words and state != "Z":
                found[int(entry.name)] = command.replace(b"\0", b" ").decode(errors="replace")
    return found


def write_experiment(folder: Path, *, edit: Mapping[str, str] | None = None) -> Path:
    """Write a small experiment over two starter tasks into `folder` and return its manifest."""
    for task in TASKS:
        shutil.copytree(CHECKOUT / "benchmarks" / "starter" / task, folder / "starter" / task)
    text = (CHECKOUT / "benchmarks" / "starter.yaml").read_text()
    for old, new in {"concurrent_trials: 4": "concurrent_trials: 2", "repeats: 3": "repeats: 1", **(edit or {})}.items():
        if old not in text:
            raise AssertionError(f"the starter manifest no longer says {old!r}")
        text = text.replace(old, new)
    (folder / "starter.yaml").write_text(text)
    return folder / "starter.yaml"


def copy_submitted(template: Path, folder: Path) -> Installation:
    """Return an installation with the same submitted request as `template`'s, nothing of it taken; the trial host is scripted."""
    shutil.copytree(template / "home", folder / "home")
    return Installation(folder).use_double()
