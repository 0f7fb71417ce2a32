"""What one child of the trial host does: build Harbor's trial from an order, run it once, leave.

Always true: it never returns to the host's loop; its stdout and stderr are the attempt's `harbor.log`; SIGTERM cancels Harbor's
task, so that Harbor still writes `result.json`; if the host dies, it dies. A trial that cannot be created leaves no result, so
its exception is written to `failure.json`; so is the end of a sandbox that was not stopped. Called by `host.py` in the forked
child.
"""

import asyncio
import ctypes
import json
import os
import signal
import tempfile
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NoReturn

from harbor.models.trial.config import TrialConfig
from harbor.trial.hooks import TrialEvent, TrialHookEvent
from harbor.trial.trial import Trial

from runner.harness.faults import read_fault
from runner.harness.secrecy import child_environment, set_environment
from runner.harness.wire import phase_line
from runner.ports.compute.harness import AttemptOrder
from shared.outcomes import Phase

EXIT_RESULT: Final = 0
EXIT_FAULT: Final = 1
EXIT_CANCELLED: Final = 3
EXECUTOR_THREADS: Final = 16
"""A sandbox call that timed out may keep one, so there are more than a trial needs and a bound."""
JOB_FIELDS: Final = frozenset(
    {
        "environment", "verifier", "artifacts", "extra_instructions", "timeout_multiplier", "agent_timeout_multiplier",
        "verifier_timeout_multiplier", "agent_setup_timeout_multiplier", "environment_build_timeout_multiplier",
    }
)  # fmt: skip
_PHASES: Final = {
    TrialEvent.ENVIRONMENT_START: Phase.ENVIRONMENT,
    TrialEvent.AGENT_START: Phase.AGENT,
    TrialEvent.VERIFICATION_START: Phase.VERIFIER,
}
_PR_SET_PDEATHSIG: Final = 1


def scratch_of(folder: Path) -> Path:
    """Return the folder of an attempt that is removed when its process has ended."""
    return folder / "scratch"


def run_attempt(order: AttemptOrder, reports: int, taken: Mapping[str, str], host: int) -> NoReturn:
    """Carry out `order` in this forked child of the process `host` and end the process."""
    code = EXIT_FAULT
    try:
        _settle(order, reports, taken, host)
        code = asyncio.run(_run(order, reports), debug=False)
    except BaseException as error:  # noqa: BLE001 - a worker's last line: every way a trial can fail ends here
        traceback.print_exc()
        _record_failure(order, error)
    finally:
        os._exit(code)


def trial_config(order: AttemptOrder) -> TrialConfig:
    """Return Harbor's configuration of the order's trial; ValueError for a field that is not a job's."""
    agent = dict(order.agent)
    if order.model is not None:
        agent |= {
            "model_name": order.model.name,
            "base_url": order.model.base_url,
            "model_api_key_name": order.model.api_key_name,
        }
        if agent.get("import_path"):
            agent["skip_model_parsing"] = True
    if unknown := set(order.job) - JOB_FIELDS:
        raise ValueError(f"the job fragment has a field that is not carried into a trial: {min(unknown)}")
    document = {
        **order.job,
        "task": {"path": str(order.task_path)},
        "trial_name": order.attempt_id,
        "trials_dir": str(order.folder),
        "agent": agent,
    }
    return TrialConfig.model_validate(document)


def _settle(order: AttemptOrder, reports: int, taken: Mapping[str, str], host: int) -> None:
    """Make this child a process of its own: group, death signal, log, environment, scratch."""
    os.setsid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != host:
        os._exit(EXIT_FAULT)
    log = os.open(order.folder / "harbor.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.write(reports, phase_line(order.attempt_id, Phase.CREATE))
    home = scratch_of(order.folder) / "home"
    scratch = scratch_of(order.folder) / "tmp"
    for folder in (home, scratch):
        folder.mkdir(parents=True, exist_ok=True)
    set_environment(child_environment(taken, order.secret_names, home, scratch))
    tempfile.tempdir = str(scratch)
    os.chdir(order.folder)


async def _run(order: AttemptOrder, reports: int) -> int:
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(EXECUTOR_THREADS))
    task = asyncio.current_task()
    if task is not None:
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    async def tell(event: TrialHookEvent) -> None:
        os.write(reports, phase_line(order.attempt_id, _PHASES[event.event]))

    try:
        trial = await Trial.create(trial_config(order))
        for kind in _PHASES:
            trial.add_hook(kind, tell)
        await trial.run()
    except asyncio.CancelledError:
        return EXIT_CANCELLED
    if fault := read_fault(order.folder / order.attempt_id):
        _write_failure(order, *fault)
    return EXIT_RESULT


def _record_failure(order: AttemptOrder, error: BaseException) -> None:
    _write_failure(order, type(error).__name__, str(error)[:4000])


def _write_failure(order: AttemptOrder, name: str, message: str) -> None:
    facts = {"exception_type": name, "exception_message": message, "phase": Phase.CREATE.value}
    (order.folder / "failure.json").write_text(json.dumps(facts, indent=1), encoding="utf-8")
