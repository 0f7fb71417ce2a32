"""Jobs as subprocesses of this machine, each in its own session, alive after their parent is gone.

One folder a job: `spec.json`, `pid`, `lock`, `log`, and `ended.json` once the worker said how it ended. The job holds a lock on
`lock` from before it is spawned until its last process that inherited it is gone, so a job is alive exactly while the
lock is held: no process id is ever trusted, none can be mistaken for another after a reboot or a wrap-around.
"""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from runner.domain.yields import declare, reach
from runner.ports.compute.jobs import JobKind, JobSpec, JobStage, JobSubmitted, JobUnknown, JobView, SubmitAnswer
from runner.ports.state.clock import Chance, Clock

SPEC: Final = "spec.json"
PID: Final = "pid"
LOCK: Final = "lock"
LOG: Final = "log"
ENDED: Final = "ended.json"
CANCELLED: Final = "cancelled"
FOLDER_VARIABLE: Final = "SEAWALL_JOB"

BEFORE_SPAWN: Final = declare("jobs.before_spawn", "local jobs, the job's folder stands, its process does not")
AFTER_SPAWN: Final = declare("jobs.after_spawn", "local jobs, the process runs, its id is not yet written")


class LocalJobs:
    """The port `Jobs` over subprocesses."""

    def __init__(self, folder: Path, checkout: Path, *, environment: Mapping[str, str], clock: Clock, chance: Chance) -> None:
        self._folder = folder
        self._checkout = checkout
        self._environment = dict(environment)
        self._clock = clock
        self._chance = chance

    def submit(self, spec: JobSpec) -> SubmitAnswer:
        """Start `python -m runner.workers.<kind>` for the action of `spec`."""
        job_id = f"job-{self._chance.uuid7().hex}"
        folder = self._folder / job_id
        try:
            folder.mkdir(parents=True, mode=0o700)
            created = self._clock.now_ms()
            _write(folder / SPEC, json.dumps({**_labels(spec), "job_id": job_id, "created_ms": created}).encode())
            process = self._spawn(spec, folder)
            reach(AFTER_SPAWN)
            _write(folder / PID, str(process.pid).encode())
        except OSError as error:
            return JobUnknown(f"{type(error).__name__} while the job was started")
        return JobSubmitted(job_id)

    def _spawn(self, spec: JobSpec, folder: Path) -> "subprocess.Popen[bytes]":
        """Start the worker with the job's lock held; whatever fails, this process keeps no part of it."""
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            reach(BEFORE_SPAWN)
            with (folder / LOG).open("ab") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", f"runner.workers.{spec.kind.value}", spec.run_id, spec.action_id, spec.target],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=self._checkout, pass_fds=(lock,),
                    start_new_session=True,
                    env={
                        **self._environment, "PYTHONPATH": str(self._checkout),
                        FOLDER_VARIABLE: str(folder),
                    },
                )  # fmt: skip
        finally:
            os.close(lock)
        _CHILDREN.append(process)
        return process

    def list(self) -> Sequence[JobView]:
        """Return every job, oldest first."""
        _reap_children()
        found = [_view(folder) for folder in sorted(self._folder.glob("job-*"))]
        return sorted((view for view in found if view is not None), key=lambda view: (view.created_ms, view.job_id))

    def cancel(self, job_id: str) -> None:
        """Send SIGTERM to the worker, which drains."""
        self._signal(job_id, signal.SIGTERM)

    def kill(self, job_id: str) -> None:
        """Send SIGKILL to the worker's whole group."""
        self._signal(job_id, signal.SIGKILL)

    def forget(self, job_id: str) -> None:
        """Remove the job's folder, unless something of it is alive."""
        folder = self._folder / job_id
        if folder.is_dir() and not _is_alive(folder):
            # Its specification goes first: what a killed removal leaves is no job any more, and is removed with the next.
            (folder / SPEC).unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)

    def _signal(self, job_id: str, number: signal.Signals) -> None:
        folder = self._folder / job_id
        with contextlib.suppress(OSError, ValueError):
            pid = int((folder / PID).read_text())
            if _is_alive(folder):
                _write(folder / CANCELLED, b"")
                os.killpg(pid, number)


_CHILDREN: Final[list["subprocess.Popen[bytes]"]] = []


def _reap_children() -> None:
    """Collect ended children, so that none stays as a zombie."""
    _CHILDREN[:] = [child for child in _CHILDREN if child.poll() is None]


def _labels(spec: JobSpec) -> dict[str, str | int]:
    return {
        "kind": spec.kind.value,
        "action_id": spec.action_id,
        "run_id": spec.run_id,
        "target": spec.target,
        "timeout_s": spec.timeout_s,
    }


def _view(folder: Path) -> JobView | None:
    try:
        spec = json.loads((folder / SPEC).read_bytes())
        return JobView(
            job_id=spec["job_id"],
            action_id=spec["action_id"],
            run_id=spec["run_id"],
            kind=JobKind(spec["kind"]),
            stage=_stage(folder),
            created_ms=int(spec["created_ms"]),
            timeout_s=int(spec["timeout_s"]),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None  # A folder without a whole specification never started anything.


def _stage(folder: Path) -> JobStage:
    if _is_alive(folder):
        return JobStage.RUNNING
    if (folder / ENDED).exists():
        return JobStage.COMPLETED if _exit_code(folder) == 0 else JobStage.ERROR
    return JobStage.CANCELLED if (folder / CANCELLED).exists() else JobStage.ERROR


def _exit_code(folder: Path) -> object:
    """Return what the worker said; nothing if it cannot be read, as after a power cut: the job was there all the same."""
    try:
        return json.loads((folder / ENDED).read_bytes())["exit_code"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _is_alive(folder: Path) -> bool:
    try:
        lock = os.open(folder / LOCK, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False


def _write(path: Path, data: bytes) -> None:
    """Write whole or not at all."""
    partial = path.with_name(f"{path.name}.partial-{os.getpid()}")
    partial.write_bytes(data)
    partial.replace(path)
