"""plan: 1,000,000 trials in 10,000 shards, digests, head, shard list and lock included, against one SHA-256 per trial key."""

import hashlib
import json
from pathlib import Path
from typing import Final

from benchmarks.measurement import Measurement, bare_interpreter_mb, compare, resident_mb
from shared.digests import Digest
from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.reader import read_experiment
from shared.documents.reviewed.prices import no_prices
from shared.documents.run_lock import HarborLock, RunLock
from shared.documents.yaml_reader import read_yaml
from shared.ids import RunId
from shared.planning.inputs import HarborDump, PlanInputs, ResolvedSource, SourceTask
from shared.planning.plan import Plan, plan
from shared.planning.sharding import trial_at

CELLS: Final = 20
TASKS: Final = 10_000
REPEATS: Final = 5
TRIALS_PER_SHARD: Final = 100
ZEROS: Final = Digest("0" * 64)


def measure() -> Measurement:
    """Measure the largest plan that Seawall makes, in its 20 cells of 10,000 tasks and 5 repeats."""
    experiment, inputs = _largest()
    _ours(experiment, inputs)
    peak_mb = resident_mb() - bare_interpreter_mb()
    head = plan(experiment, inputs, no_prices()).head
    keys = [trial_at(head, index).key.encode() for index in range(head.arithmetic.trials)]
    return compare("plan", lambda: _ours(experiment, inputs), lambda: _baseline(keys), rounds=5, peak_mb=peak_mb)


def _ours(experiment: Experiment, inputs: PlanInputs) -> None:
    made = plan(experiment, inputs, no_prices())
    if (made.head.arithmetic.trials, len(made.shards)) != (1_000_000, 10_000):
        raise ValueError("the plan has another size than this benchmark says")
    made.head_bytes()
    made.shard_bytes()
    _lock(made).to_bytes()


def _baseline(keys: list[bytes]) -> None:
    for key in keys:
        hashlib.sha256(key).hexdigest()


def _largest() -> tuple[Experiment, PlanInputs]:
    manifest = read_yaml((Path(__file__).parent / "starter.yaml").read_bytes()).value
    agent = manifest["matrix"]["agents"][0]
    manifest["matrix"]["agents"] = [{**agent, "id": f"agent-{n}", "agent": {"name": f"agent-{n}"}} for n in range(CELLS)]
    limits = {"repeats": REPEATS, "trials_per_shard": TRIALS_PER_SHARD, "shards_per_wave": 1}
    manifest["policy"] = {**manifest["policy"], **limits, "concurrent_trials": 64}
    experiment = read_experiment(json.dumps(manifest).encode())
    tasks = tuple(SourceTask(f"task-{n:05d}", f"task-{n:05d}", hashlib.sha256(b"%d" % n).hexdigest()) for n in range(TASKS))
    dumps = tuple(agent.agent.given() for agent in experiment.matrix.agents)
    source = ResolvedSource({"type": "task_package", "digest": ZEROS}, tasks)
    return experiment, PlanInputs(source, HarborDump(dumps, experiment.harbor.job.given()))


def _lock(made: Plan) -> RunLock:
    return RunLock(
        run_id=RunId("run-" + "0" * 32),
        plan_digest=made.digest,
        manifest_sha256=ZEROS,
        source_lock_sha256=made.head.benchmark.source_lock_sha256,
        prices_sha256=made.head.prices_sha256,
        build=ZEROS,
        harbor=HarborLock(version=made.head.harbor.version, lock_sha256=made.head.harbor.lock_sha256),
        requested_by="benchmark",
        submitted_at="2026-01-01T00:00:00Z",
    )
