import json
import subprocess

import pytest

from runner.harness.install import interpreter
from runner.harness.reader import read_result
from runner.ports.compute.harness import ModelAccess
from shared.outcomes import Observation
from tests.doubles.openai.server import ScriptedModel, Turn
from tests.runner.adapters.local.compute.conftest import ROOT, STARTER, Attempts

pytestmark = pytest.mark.harness
AGENT = {"import_path": "runner.agents.bash_loop.agent:BashLoop", "kwargs": {"max_turns": 5}}
SOLVE = "echo 'Hello, world!' > /app/hello.txt"


def _run(attempts: Attempts, model: ScriptedModel, task: str = "hello-file") -> None:
    access = ModelAccess("scripted", model.base_url, "FIRST_KEY")
    attempts.start("att", STARTER / task, AGENT, model=access, secrets=("FIRST_KEY",))
    assert attempts.ends("att")["att"].exit_code == 0


@pytest.mark.parametrize(
    ("turn", "knows_tools"),
    [(Turn(commands=[SOLVE]), True), (Turn(text=f"```bash\n{SOLVE}\n```"), True), (Turn(text=f"```bash\n{SOLVE}\n```"), False)],
    ids=["native call", "fenced block", "server without tools"],
)
def test_the_agent_solves_a_task_with_any_kind_of_answer(attempts: Attempts, turn: Turn, knows_tools: bool) -> None:
    """The command runs in the sandbox, its usage is counted, the key goes to the model and nowhere else."""
    with ScriptedModel([turn, "DONE"], knows_tools=knows_tools) as model:
        _run(attempts, model)
        assert {seen.headers["Authorization"] for seen in model.requests} == {"Bearer first-secret-value"}
    result = read_result(attempts.result_file("att").read_bytes(), "reward")
    assert (result.reward, result.model_name) == (1.0, "scripted")
    usage = result.usage
    assert (usage.observation, usage.input_tokens, usage.output_tokens) == (Observation.OBSERVED, 200, 20)
    files = [path for path in attempts.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if b"first-secret-value" in path.read_bytes()]


def test_the_trajectory_is_valid_to_harbors_own_validator(attempts: Attempts) -> None:
    """Each command has its observation, and ATIF's rules hold."""
    with ScriptedModel([Turn(text="look", commands=["ls /app", "echo ü"]), Turn(commands=[SOLVE]), "hm", "DONE"]) as model:
        _run(attempts, model)
    file = attempts.folder / "att" / "att" / "agent" / "trajectory.json"
    document = json.loads(file.read_bytes())
    observed = document["steps"][2]["observation"]["results"]
    assert [(one["source_call_id"], one["content"]) for one in observed] == [("call-0", ""), ("call-1", "ü")]
    command = [str(interpreter(ROOT)), "-m", "harbor.utils.trajectory_validator", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_failing_model_keeps_what_there_was(attempts: Attempts) -> None:
    """An outage in the second turn: the exception is recorded, and the first turn's usage and trajectory are kept."""
    with ScriptedModel([Turn(commands=["true"]), Turn(status=401, error="bad key")]) as model:
        _run(attempts, model)
    result = read_result(attempts.result_file("att").read_bytes(), "reward")
    assert result.exception is not None
    assert (result.exception.type, result.usage.input_tokens) == ("ModelRequestFailed", 100)
    assert (attempts.folder / "att" / "att" / "agent" / "trajectory.json").exists()


def test_a_command_without_end_is_ended_and_the_agent_goes_on(attempts: Attempts) -> None:
    """The model is told; the turn limit ends a model that never does."""
    agent = {**AGENT, "kwargs": {"max_turns": 2, "command_seconds": 1}}
    with ScriptedModel([Turn(commands=["sleep 60"]), Turn(commands=[SOLVE])]) as model:
        access = ModelAccess("scripted", model.base_url, "FIRST_KEY")
        attempts.start("att", STARTER / "hello-file", agent, model=access, secrets=("FIRST_KEY",))
        attempts.ends("att")
        assert "ended after 1 seconds" in model.requests[1].body["messages"][-1]["content"]
    assert attempts.result("att")["agent_result"]["metadata"] == {"turns": 2, "end": "turn_limit"}
    assert read_result(attempts.result_file("att").read_bytes(), "reward").reward == 1.0
