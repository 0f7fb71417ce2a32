"""A whole experiment, its source, Harbor's reading and prices, all valid; a test changes one place and plans it."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from shared.documents.experiment.experiment import Experiment
from shared.documents.experiment.reader import read_experiment
from shared.documents.reviewed.prices import FlavorPrice, HardwarePrice, PriceDocument, TokenPrice
from shared.documents.yaml_reader import read_yaml
from shared.planning.inputs import BoundProfile, HarborDump, PlanInputs, ResolvedSource, SourceTask
from shared.planning.plan import Plan, plan

MANIFESTS: Final = Path(__file__).parents[1] / "data" / "manifests"
GOOD: Final = MANIFESTS / "good.yaml"

type Tree = dict[str, Any]


def good_tree() -> Tree:
    """Return the plain values of the manifest that names every field."""
    tree: Tree = read_yaml(GOOD.read_bytes()).value
    return tree


def small_tree() -> Tree:
    """Return a manifest with one model, one server, one agent: one cell."""
    tree = good_tree()
    tree["matrix"]["deployments"] = tree["matrix"]["deployments"][3:]
    tree["matrix"]["agents"] = tree["matrix"]["agents"][1:]
    del tree["matrix"]["include"], tree["matrix"]["exclude"]
    tree["benchmark"].pop("exclude_tasks")
    return tree


def changed(tree: Tree, path: str, value: Any) -> Tree:
    """Return a copy of `tree` with the place `path` ("policy.repeats", "matrix.models.0.id") set to `value`."""
    other = copy.deepcopy(tree)
    here: Any = other
    *parents, last = path.split(".")
    for part in parents:
        here = here[int(part) if isinstance(here, list) else part]
    here[int(last) if isinstance(here, list) else last] = value
    return other


def encode(tree: Tree) -> bytes:
    """Return `tree` as a manifest's bytes; JSON is YAML."""
    return json.dumps(tree).encode()


def read(tree: Tree) -> Experiment:
    """Return the experiment that `tree` says."""
    return read_experiment(encode(tree))


def some_tasks(count: int = 10) -> tuple[SourceTask, ...]:
    """Return `count` tasks named task-00, task-01, .., and one named broken-1."""
    tasks = (SourceTask(f"task-{n:02d}", f"tasks/task-{n:02d}", f"{n:064x}") for n in range(count))
    return (*tasks, SourceTask("broken-1", "tasks/broken-1", "f" * 64))


def some_prices() -> PriceDocument:
    """Return a price for everything that the manifest uses."""
    return PriceDocument(
        name="reviewed",
        observed_at="2026-01-01T00:00:00Z",
        hardware=(
            HardwarePrice(vendor="aws", region="us-east-1", hardware="nvidia-l4", accelerator_count=1, hour_usd_micros=800_000),
        ),
        jobs=(FlavorPrice(flavor="cpu-basic", hour_usd_micros=10_000), FlavorPrice(flavor="cpu-upgrade", hour_usd_micros=30_000)),
        sandboxes=(FlavorPrice(flavor="cpu-basic", hour_usd_micros=10_000),),
        tokens=(TokenPrice(provider="fireworks", model="example/small", input_usd_micros=100_000, output_usd_micros=200_000),),
    )


def make_plan(
    tree: Tree,
    *,
    tasks: tuple[SourceTask, ...] | None = None,
    prices: PriceDocument | None = None,
    serving_profiles: tuple[BoundProfile, ...] = (),
    dump: Callable[[HarborDump], HarborDump] = lambda dump: dump,
    source_digest: str = "a" * 64,
) -> Plan:
    """Return the plan of `tree`; Harbor's reading is the fragments as given, changed by `dump`."""
    source = ResolvedSource({"type": "task_package", "digest": source_digest}, some_tasks() if tasks is None else tasks)
    inputs = PlanInputs(source, dump(make_inputs(tree).harbor), serving_profiles)
    return plan(read(tree), inputs, some_prices() if prices is None else prices)


def make_inputs(tree: Tree) -> PlanInputs:
    """Return what planning is given beside the experiment: some tasks, and the fragments as Harbor's reading."""
    experiment = read(tree)
    given = HarborDump(tuple(agent.agent.given() for agent in experiment.matrix.agents), experiment.harbor.job.given())
    return PlanInputs(ResolvedSource({"type": "task_package", "digest": "a" * 64}, some_tasks()), given)
