"""Tests of the plan: one digest whatever the order of what was written, each input in the digests that it belongs to."""

import copy
import json
import random
import socket
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.documents.plan import PlanHead
from shared.errors import BadInput
from shared.planning.inputs import HarborDump, SourceTask
from shared.planning.plan import Plan
from shared.planning.sharding import read_shards
from tests.builders.experiments import Tree, changed, good_tree, make_plan, small_tree, some_tasks
from tests.builders.goldens import check_golden
from tests.shared.planning.golden import GOLDEN, golden_ids, golden_lock, golden_plan

UNORDERED = {"models", "deployments", "agents", "include", "exclude", "tasks", "exclude_tasks", "secret_names"}


def shuffled(value: Any, chance: random.Random, name: str = "") -> Any:
    """Return `value` with keys, and the lists whose order means nothing, in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance, key) for key in keys}
    if isinstance(value, list):
        parts = [shuffled(part, chance) for part in value]
        if name in UNORDERED:
            chance.shuffle(parts)
        return parts
    return value


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_order_of_keys_lists_and_rules_means_nothing(seed: int) -> None:
    """Shuffled keys, lists, rules and source tasks give one plan digest."""
    chance = random.Random(seed)  # noqa: S311 - an order, no secret
    tree = changed(good_tree(), "matrix.deployments.1.secret_names", ["B", "A"])
    tasks = list(some_tasks())
    chance.shuffle(tasks)
    assert make_plan(shuffled(tree, chance), tasks=tuple(tasks)).digest == make_plan(tree).digest


def test_order_of_arguments_means_something() -> None:
    """The arguments of an engine are ordered: another order is another cell."""
    other = changed(good_tree(), "matrix.deployments.1.engine.args", ["32768", "--max-model-len"])
    assert digests(make_plan(other)) != digests(make_plan(good_tree()))


def test_labels_and_the_source_folder_are_in_no_digest() -> None:
    """A label, or another place of the same files, changes nothing of the plan."""
    before = make_plan(good_tree()).digest
    assert make_plan(changed(good_tree(), "metadata.labels", {"other": "x"})).digest == before
    assert make_plan(changed(good_tree(), "benchmark.source.path", "/elsewhere/tasks")).digest == before


def test_a_default_written_out_is_no_other_plan() -> None:
    """Naming a default, of ours or of the sandbox, changes no digest."""
    tree = small_tree()
    without = copy.deepcopy(tree)
    del (
        without["harbor"]["job"]["environment"]["kwargs"],
        without["benchmark"]["pass_threshold"],
        without["policy"]["max_attempts"],
    )
    assert make_plan(without).digest == make_plan(tree).digest


def test_two_ways_to_select_the_same_tasks_are_one_benchmark() -> None:
    """What is selected counts, not the pattern that selected it."""
    by_name = changed(small_tree(), "benchmark.tasks", [task.name for task in some_tasks()])
    assert digests(make_plan(by_name)) == digests(make_plan(small_tree()))


def test_nothing_is_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planning opens no socket."""
    monkeypatch.setattr(socket, "socket", None)
    monkeypatch.setattr(socket, "getaddrinfo", None)
    make_plan(good_tree())


def test_a_plan_reads_back_equal() -> None:
    """plan.json and shards.jsonl read back as the same plan."""
    made = make_plan(good_tree())
    read = Plan(PlanHead.from_bytes(made.head_bytes()), tuple(read_shards(made.shard_bytes())))
    assert read == made
    assert read.digest == made.digest


def test_a_repeated_cell_is_refused() -> None:
    """Two ids for one measurement are refused."""
    tree = small_tree()
    tree["matrix"]["agents"].append({**tree["matrix"]["agents"][0], "id": "twin"})
    with pytest.raises(BadInput, match="MATRIX_DUPLICATE_CELL"):
        make_plan(tree)


def test_golden_plan_and_lock() -> None:
    """The bytes of plan.json, shards.jsonl and run.lock.json, and the ids of one run, are what they were."""
    made = golden_plan()
    check_golden(GOLDEN / "plan.json", made.head_bytes() + b"\n")
    check_golden(GOLDEN / "shards.jsonl", made.shard_bytes())
    check_golden(GOLDEN / "run.lock.json", golden_lock(made).to_bytes() + b"\n")
    check_golden(GOLDEN / "ids.json", json.dumps(golden_ids(made), indent=1).encode() + b"\n")


@pytest.mark.parametrize("seed", ["0", "1"])
def test_two_clean_processes_agree(seed: str) -> None:
    """Another process, with another hash seed, locale and time zone, makes the plan of this one."""
    code = "from tests.shared.planning.golden import golden_plan; print(golden_plan().digest)"
    environment = {"PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": "Pacific/Auckland", "PYTHONPATH": str(GOLDEN.parents[3])}
    answer = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True, text=True, timeout=120
    )
    assert answer.stdout.strip() == golden_plan().digest


def digests(made: Plan) -> list[tuple[str, str]]:
    return [(cell.cell_digest, cell.edition) for cell in made.head.cells]


IN_BOTH: list[tuple[str, Any]] = [
    ("benchmark.name", "other"),
    ("benchmark.tasks", ["task-00"]),
    ("benchmark.primary_reward", "score"),
    ("benchmark.reward_range", ["0", "2"]),
    ("benchmark.pass_threshold", "0.5"),
    ("policy.repeats", 2),
    ("policy.trial_seconds", 601),
    ("harbor.job.agent_setup_timeout_multiplier", 2),
    ("harbor.job.agent_timeout_multiplier", 2),
    ("harbor.job.verifier", {"override_timeout_sec": 61}),
    ("harbor.job.environment.override_cpus", 2),
    ("harbor.job.environment.env", {"MODE": "x"}),
    ("harbor.job.environment.kwargs", {"shims": True}),
    ("harbor.job.extra_instructions", ["Answer."]),
    ("harbor.job.artifacts", ["/logs"]),
]
IN_CELL: list[tuple[str, Any]] = [
    ("matrix.models.0.repo", "example/large"),
    ("matrix.models.0.revision", "f" * 40),
    ("matrix.models.0.weights.format", "gguf"),
    ("matrix.models.0.weights.quantization", None),
    ("matrix.deployments.0.server", "workshop"),
    ("matrix.deployments.0.api", "responses"),
    ("matrix.deployments.0.served_model", "other"),
    ("matrix.deployments.0.context_tokens", 16_384),
    ("matrix.deployments.0.max_output_tokens", 2_048),
    ("matrix.deployments.0.parameters", {"temperature": 0}),
    ("matrix.deployments.0.secret_names", ["OTHER"]),
    ("matrix.agents.0.revision", "f" * 40),
    ("matrix.agents.0.agent.kwargs", {"max_turns": 9}),
    ("matrix.agents.0.agent.override_timeout_sec", 121),
    ("matrix.agents.0.agent.env", {"MODE": "x"}),
    ("harbor.version", "0.26.1"),
    ("harbor.lock_sha256", "f" * 64),
    ("policy.max_trial_spend_usd_micros", 100_001),
]
IN_NEITHER: list[tuple[str, Any]] = [
    ("matrix.models.0.id", "renamed"),
    ("matrix.deployments.0.id", "renamed"),
    ("matrix.deployments.0.request_concurrency", 5),
    ("matrix.agents.0.id", "renamed"),
    ("policy.concurrent_trials", 5),
    ("policy.trials_per_shard", 17),
    ("policy.shards_per_wave", 3),
    ("policy.max_attempts", 2),
    ("policy.wave", {"max_seconds": 14_000, "reserve_seconds": 299}),
    ("policy.estimate", {"trial_seconds": 61, "headroom": "1.3"}),
    ("policy.max_spend_usd_micros", 90_000_001),
    ("metadata.name", "renamed"),
    ("evidence.bucket", "example/other"),
    ("evidence.progress", "off"),
    ("publishing.series", "second"),
    ("publishing.role", "final"),
    ("runtime.job.image", "python@sha256:" + "f" * 64),
    ("runtime.build", "f" * 64),
]


def one_cell(tree: Tree, **given: Any) -> tuple[str, str]:
    (found,) = digests(make_plan(tree, **given))
    return found


@pytest.mark.parametrize(("path", "value"), IN_BOTH, ids=lambda part: str(part)[:50])
def test_each_field_of_the_edition_alone_changes_both(path: str, value: Any) -> None:
    """What decides which cells are ranked together is in edition and cell digest."""
    cell, edition = one_cell(small_tree())
    other_cell, other_edition = one_cell(changed(small_tree(), path, value))
    assert (other_cell != cell, other_edition != edition) == (True, True)


@pytest.mark.parametrize(("path", "value"), IN_CELL, ids=lambda part: str(part)[:50])
def test_each_field_of_the_cell_alone_changes_the_cell_only(path: str, value: Any) -> None:
    """What makes a route or an agent is in the cell digest and leaves the edition."""
    cell, edition = one_cell(small_tree())
    other_cell, other_edition = one_cell(changed(small_tree(), path, value))
    assert (other_cell != cell, other_edition != edition) == (True, False)


@pytest.mark.parametrize(("path", "value"), IN_NEITHER, ids=lambda part: str(part)[:50])
def test_what_changes_no_outcome_is_in_neither(path: str, value: Any) -> None:
    """Ids, concurrency, estimates, budgets and places change neither digest."""
    before = small_tree()
    assert one_cell(changed(before, path, value)) == one_cell(before)


def test_task_digests_and_source_lock_are_in_both() -> None:
    """Another byte in a task, or another lock, is another edition."""
    cell, edition = one_cell(small_tree())
    flipped = (SourceTask("task-00", "tasks/task-00", "e" * 64), *some_tasks()[1:])
    for found in (one_cell(small_tree(), tasks=flipped), one_cell(small_tree(), source_digest="b" * 64)):
        assert found[0] != cell
        assert found[1] != edition


@pytest.mark.parametrize(
    ("path", "value", "is_covered"),
    [
        ("benchmark.tasks", ["task-00"], True),
        ("benchmark.reward_range", ["0", "2"], True),
        ("harbor.job.verifier", {"override_timeout_sec": 61}, True),
        ("policy.repeats", 2, False),
        ("policy.trial_seconds", 601, False),
        ("harbor.job.agent_setup_timeout_multiplier", 2, False),
        ("harbor.job.environment.kwargs", {"shims": True}, False),
    ],
)
def test_the_benchmark_digest_covers_source_selection_scoring_and_job(path: str, value: Any, is_covered: bool) -> None:
    """What the edition names by itself is not in the benchmark's digest a second time."""
    before = make_plan(small_tree()).head.benchmark.benchmark_digest
    assert (make_plan(changed(small_tree(), path, value)).head.benchmark.benchmark_digest != before) is is_covered


def test_tasks_sha256_is_the_same_for_any_kind_of_source() -> None:
    """The digest of the tasks does not know where they came from."""
    one = make_plan(small_tree(), source_digest="a" * 64).head.benchmark
    other = make_plan(small_tree(), source_digest="b" * 64).head.benchmark
    assert one.tasks_sha256 == other.tasks_sha256
    assert one.benchmark_digest != other.benchmark_digest


def test_harbors_reading_decides_not_the_text() -> None:
    """Harbor's dump enters the digests: a field that Harbor leaves out as a default is not in them."""

    def without_env(dump: HarborDump) -> HarborDump:
        return HarborDump(tuple({k: v for k, v in agent.items() if k != "env"} for agent in dump.agents), dump.job)

    assert one_cell(small_tree(), dump=without_env) != one_cell(small_tree())
