"""harness_overhead: 100 trivial trials, 8 at once, from claim to sealed bundle, against the same trials through bare Harbor.

Both start a fresh process, import Harbor and run the starter task `hello-file` with the oracle in the local sandbox. Ours also
claims the wave, forks a child for each attempt, reads and classifies each result, redacts, archives, hashes and seals each
attempt's evidence, and reports progress.
"""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.measurement import Measurement, compare
from runner.bootstrap import House, build
from runner.config import CHECKOUT, read_settings
from runner.ports.compute.jobs import JobSpec, JobSubmitted, JobView, SubmitAnswer
from runner.usecases.control.reconcile import reconcile
from runner.usecases.runs.claim_wave import claim_wave
from runner.usecases.runs.plan_run import plan_run
from runner.usecases.runs.run_wave import run_wave
from runner.usecases.runs.submit_run import submit_run
from shared.ids import ActionId, RunId, WaveId

TRIALS: Final = 100
WIDTH: Final = 8
ROUNDS: Final = 5
TASK: Final = "hello-file"
MANIFEST: Final = CHECKOUT / "benchmarks" / "starter.yaml"


def measure() -> Measurement:
    """Measure whole waves in turns with bare Harbor; planning, submitting and reserving come before and are not counted."""
    with tempfile.TemporaryDirectory(prefix="seawall-bench-") as folder:
        reserved = [_reserve(Path(folder) / f"wave-{number}") for number in range(ROUNDS + 1)]
        bare = iter(range(ROUNDS + 1))
        return compare(
            "harness_overhead",
            lambda: _wave(reserved.pop()),
            lambda: _bare(Path(folder) / f"bare-{next(bare)}"),
            rounds=ROUNDS,
        )


class _Reserved(NamedTuple):
    """A wave that is reserved and waits for a worker to claim it."""

    house: House
    run_id: RunId
    action_id: ActionId
    wave_id: WaveId


def _wave(reserved: _Reserved) -> None:
    """Claim the wave and carry it out, as its worker does."""
    house, run_id, action, wave = reserved
    world = house.wave_world(wave, "job-benchmark")
    because = run_wave(claim_wave(run_id, action, wave, world), world, lambda: False)
    markers = list((house.settings.home / "evidence").rglob("attempts/*/_SUCCESS"))
    if because != "done" or len(markers) != TRIALS:
        raise RuntimeError(f"the wave ended {because!r} with {len(markers)} sealed attempts")


def _bare(folder: Path) -> None:
    """Run the same trials without us."""
    folder.mkdir()
    environment = {
        "PYTHONPATH": str(CHECKOUT),
        "PATH": os.environ["PATH"],
        "HARBOR_TELEMETRY": "off",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    task = CHECKOUT / "benchmarks" / "starter" / TASK
    command = [
        str(read_settings().harness),
        "-m",
        "benchmarks.servers.bare_harbor",
        str(task),
        str(folder),
        str(TRIALS),
        str(WIDTH),
    ]
    subprocess.run(command, check=True, cwd=CHECKOUT, env=environment, capture_output=True)


def _reserve(home: Path) -> _Reserved:
    """Submit a run of the trials and let a pass reserve its wave; the job that would claim it is this process."""
    house = build(read_settings({**os.environ, "SEAWALL_HOME": str(home), "SEAWALL_FAULT": ""}))
    planned = plan_run(_manifest().encode(), MANIFEST.parent, house.plan_world())
    run_id = submit_run(planned, MANIFEST.parent, house.actor(), house.submit_world()).run_id
    jobs = _Waiting()
    reconcile(replace(house.pass_world(), jobs=jobs))
    if jobs.spec is None:
        raise RuntimeError(f"the pass reserved no wave for {run_id}")
    return _Reserved(house, run_id, ActionId(jobs.spec.action_id), WaveId(jobs.spec.target))


def _manifest() -> str:
    text = MANIFEST.read_text(encoding="utf-8")
    text = text.replace("repeats: 3", f"repeats: {TRIALS}").replace("concurrent_trials: 4", f"concurrent_trials: {WIDTH}")
    text = text.replace("trials_per_shard: 15", f"trials_per_shard: {TRIALS}")
    text = text.replace("  source:", f"  tasks: [starter/{TASK}]\n  source:")
    return "\n".join(line for line in text.splitlines() if "id: nop" not in line)


class _Waiting:
    """Jobs that are remembered and not started."""

    def __init__(self) -> None:
        self.spec: JobSpec | None = None

    def submit(self, spec: JobSpec) -> SubmitAnswer:
        self.spec = spec
        return JobSubmitted("job-benchmark")

    def list(self) -> Sequence[JobView]:
        return ()

    def cancel(self, job_id: str) -> None:
        del job_id

    def kill(self, job_id: str) -> None:
        del job_id
