"""What an agent can do to its sandbox, and that it buys no other try by it."""

import json
import os
import signal
from pathlib import Path

import pytest

from runner.evidence.left_behind import LEFT_BEHIND, LeftBehind, read_left_behind
from runner.harness.failures import classify, facts_of
from runner.harness.reader import read_result
from runner.harness.reaping import holders
from shared.outcomes import Category
from tests.runner.adapters.local.compute.conftest import STARTER, Attempts
from tests.runner.adapters.local.compute.test_local_sandbox import _task

pytestmark = pytest.mark.harness


def start(attempts: Attempts, name: str, command: str, task: Path = STARTER / "hello-file") -> None:
    """Start an attempt whose agent runs `command`."""
    attempts.start(name, task, {"import_path": "tests.doubles.agents:Commander", "kwargs": {"command": command}})


def category(attempts: Attempts, name: str) -> Category | None:
    """Return what the attempt's result alone means."""
    return classify(facts_of(read_result(attempts.result_file(name).read_bytes(), "reward"))).category


SABOTAGE = {
    "kills all": ("kill -9 -1; kill -9 1", None),
    "removes the verifier's folder": ("rm -rf /logs/verifier; echo x > /logs/verifier", Category.BENCHMARK),
    "is in the reward's place": ("mkdir -p /logs/verifier/reward.txt/x", Category.BENCHMARK),
    "is in the tests' place": ("echo x > /tests", Category.BENCHMARK),
    "goes on killing": ("nohup setsid bash -c 'while :; do kill -9 -1; done' > /dev/null 2>&1 &", Category.BENCHMARK),
}


@pytest.mark.parametrize("name", SABOTAGE)
def test_what_an_agent_breaks_is_never_the_infrastructure(attempts: Attempts, name: str) -> None:
    """The trial is scored, or its benchmark failed; that the sandbox was lost is not claimed."""
    command, expected = SABOTAGE[name]
    start(attempts, "att", command)
    end = attempts.ends("att")["att"]
    assert (category(attempts, "att"), end.exception_type) == (expected, ""), attempts.result("att")["exception_info"]


def test_a_full_sandbox_is_the_agents(attempts: Attempts, tmp_path: Path) -> None:
    """The task's own storage is the bound; the attempt's last words name the reason."""
    task = _task(tmp_path / "task", "FROM x\n", "schema_version = '1.1'\n[environment]\nstorage_mb = 16\n")
    start(attempts, "full", "for n in $(seq 40); do head -c 1M /dev/urandom > /app/$n; done; sleep 60", task)
    end = attempts.ends("full")["full"]
    assert end.exception_type == "SandboxFull"
    failure = json.loads((attempts.folder / "full" / "failure.json").read_bytes())
    assert "was ended: it held" in failure["exception_message"]
    assert category(attempts, "full") is Category.AGENT


def test_a_sandbox_that_the_host_lost_is_told_from_a_broken_one(attempts: Attempts) -> None:
    """The holder is killed from outside: whatever Harbor makes of it, the attempt says that its sandbox was lost."""
    start(attempts, "lost", "touch /logs/agent/running; sleep 60")
    attempts.asleep("lost")
    for pid in holders(attempts.folder / "lost"):
        os.kill(pid, signal.SIGKILL)
    assert attempts.ends("lost")["lost"].exception_type == "SandboxLost"


def test_what_stays_in_the_sandbox_is_listed_beside_the_result(attempts: Attempts) -> None:
    """Pipes and files beyond the bound, by their path in the trial's folder."""
    start(attempts, "att", "mkfifo /logs/agent/pipe; truncate -s 65M /logs/artifacts/huge")
    attempts.ends("att")
    trial = attempts.result_file("att").parent
    assert (trial / LEFT_BEHIND).is_file()
    assert LeftBehind("agent/pipe", "not_a_regular_file", 0) in read_left_behind(trial)
    assert [left.size_bytes for left in read_left_behind(trial) if left.reason == "file_too_big"] == [65 << 20]
