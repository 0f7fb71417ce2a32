import tomllib

import pytest

from runner.harness.reader import read_result
from tests.runner.adapters.local.compute.conftest import STARTER, Attempts

pytestmark = pytest.mark.harness
TASKS = sorted(path.parent.name for path in STARTER.glob("*/task.toml"))


def test_every_starter_task_is_solved_by_its_oracle_and_by_no_one_else(attempts: Attempts) -> None:
    """The oracle gets 1.0; doing nothing gets what the task's own metadata says, which is 0."""
    assert len(TASKS) >= 12
    rewards = {}
    for agent in ("oracle", "nop"):
        for batch in (TASKS[:8], TASKS[8:]):
            names = [f"{agent}-{task}" for task in batch]
            for name, task in zip(names, batch, strict=True):
                attempts.start(name, STARTER / task, {"name": agent})
            attempts.ends(*names)
            for name in names:
                rewards[name] = read_result(attempts.result_file(name).read_bytes(), "reward").reward
    floors = {
        task: tomllib.loads((STARTER / task / "task.toml").read_text(encoding="utf-8"))["metadata"]["nop_reward"]
        for task in TASKS
    }
    assert rewards == {**{f"oracle-{task}": 1.0 for task in TASKS}, **{f"nop-{task}": floors[task] for task in TASKS}}
