from pathlib import Path

import pytest

from runner.harness.reader import read_result
from tests.runner.adapters.local.compute.conftest import STARTER, Attempts

pytestmark = pytest.mark.harness
CHEATS = {
    name: {"import_path": f"runner.agents.cheat_{name}.agent:Cheat{name.title()}"} for name in ("reward", "answer", "verdict")
}
_SAY = "&& r=1 || r=0; echo $r > /logs/verifier/reward.txt"
WEAK = {
    "reward": ("", "cp /app/reward.txt /logs/verifier/reward.txt 2>/dev/null || echo 0 > /logs/verifier/reward.txt"),
    "answer": (
        "COPY expected.txt /data/expected.txt\n",
        f"cmp -s /app/answer.txt /tests/expected.txt {_SAY}",
    ),
    "verdict": ("", f"grep -q 'VERDICT: PASS' /app/answer.txt {_SAY}"),
}


def _weak_task(folder: Path, name: str) -> Path:
    line, test = WEAK[name]
    files = {
        "task.toml": 'schema_version = "1.1"\n', "instruction.md": "Do it.", "tests/test.sh": f"#!/bin/bash\n{test}\n",
        "environment/Dockerfile": f"FROM x\nWORKDIR /app\n{line}", "environment/expected.txt": "42\n",
        "tests/expected.txt": "42\n",
    }  # fmt: skip
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def _reward(attempts: Attempts, name: str) -> float | None:
    return read_result(attempts.result_file(name).read_bytes(), "reward").reward


def test_each_cheat_is_paid_by_the_task_that_is_weak_to_it_alone(attempts: Attempts, tmp_path: Path) -> None:
    """Three planted weak tasks, three adversaries: a full reward on the diagonal, none elsewhere."""
    names = [f"{cheat}-on-{task}" for cheat in CHEATS for task in WEAK]
    for name in names:
        cheat, _, task = name.partition("-on-")
        attempts.start(name, _weak_task(tmp_path / name, task), CHEATS[cheat])
    attempts.ends(*names)
    assert {name: _reward(attempts, name) for name in names} == {
        f"{cheat}-on-{task}": 1.0 if cheat == task else 0.0 for cheat in CHEATS for task in WEAK
    }


@pytest.mark.parametrize("task", ["hello-file", "find-the-commit", "word-count"])
def test_a_sound_task_pays_none(attempts: Attempts, task: str) -> None:
    """Starter tasks give the adversaries what doing nothing gets."""
    for cheat, agent in CHEATS.items():
        attempts.start(cheat, STARTER / task, agent)
    attempts.ends(*CHEATS)
    assert {cheat: _reward(attempts, cheat) for cheat in CHEATS} == dict.fromkeys(CHEATS, 0.0)
