import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.adapters.local.compute.harness import LocalHarness, LocalHarnessCheck
from runner.harness.failures import classify, facts_of
from runner.harness.host import lock_sha256
from runner.harness.install import interpreter
from runner.harness.reader import read_result
from runner.harness.reaping import holders
from runner.ports.compute.harness import EndReason, HarnessMissing, ReportKind
from shared.errors import Conflict
from shared.outcomes import AttemptEnd, Category, Phase
from tests.runner.adapters.local.compute.conftest import JOB, ROOT, SECRETS, STARTER, TASKS, Attempts

pytestmark = pytest.mark.harness
SLEEPER = {"import_path": "tests.doubles.agents:Sleeper"}


def _meaning(attempts: Attempts, name: str, *, is_deadline: bool = False) -> tuple[AttemptEnd, Category | None]:
    result = read_result(attempts.result_file(name).read_bytes(), "reward")
    meaning = classify(facts_of(result, is_deadline=is_deadline))
    return meaning.attempt, meaning.category


def test_the_hello_names_harbor_and_its_lock(attempts: Attempts) -> None:
    """A wave compares it with its plan."""
    hello = attempts.harness.hello()
    assert (hello.harbor, hello.lock_sha256) == ("0.26.0", lock_sha256())


def test_an_attempt_reports_its_phases_and_its_end(attempts: Attempts) -> None:
    """Phases come in order, the end once; the files lie in the attempt's folder and no scratch is left."""
    attempts.start("att-1", STARTER / "hello-file", {"name": "oracle"})
    reports = []
    while not reports or reports[-1].kind is ReportKind.PHASE:
        reports += attempts.harness.wait(30)
    assert [report.phase for report in reports[:-1]] == [Phase.CREATE, Phase.ENVIRONMENT, Phase.AGENT, Phase.VERIFIER]
    assert (reports[-1].kind, reports[-1].exit_code, reports[-1].reason) == (ReportKind.ENDED, 0, EndReason.FINISHED)
    assert _meaning(attempts, "att-1") == (AttemptEnd.SUCCEEDED, None)
    assert sorted(path.name for path in (attempts.folder / "att-1").iterdir()) == ["att-1", "harbor.log"]


def test_each_kind_of_failure_is_told_apart(attempts: Attempts, tmp_path: Path) -> None:
    """A build that fails, a verifier without end, a raising agent, a GPU task: siblings of one host, each its own category."""
    gpu = tmp_path / "gpu-task"
    _copy_task(STARTER / "hello-file", gpu, "\n[environment]\n", "\n[environment]\ngpus = 1\n")
    attempts.start("build", TASKS / "cannot-build", {"name": "oracle"})
    attempts.start("slow", TASKS / "verifier-times-out", {"name": "oracle"})
    attempts.start("raise", STARTER / "hello-file", {"import_path": "tests.doubles.agents:Raiser"})
    attempts.start("good", STARTER / "hello-file", {"name": "oracle"})
    attempts.start("gpu", gpu, {"name": "oracle"})
    ends = attempts.ends("build", "slow", "raise", "good", "gpu")
    assert _meaning(attempts, "build") == (AttemptEnd.FAILED, Category.TRANSIENT)
    assert _meaning(attempts, "slow") == (AttemptEnd.FAILED, Category.BENCHMARK)
    assert _meaning(attempts, "raise") == (AttemptEnd.FAILED, Category.TRANSIENT)
    assert _meaning(attempts, "good") == (AttemptEnd.SUCCEEDED, None)
    assert (ends["gpu"].exit_code, ends["gpu"].exception_type) == (1, "RuntimeError")
    assert list(holders(attempts.folder)) == []


def _copy_task(source: Path, target: Path, old: str, new: str) -> None:
    for path in sorted(source.rglob("*")):
        if path.is_file():
            (target / path.relative_to(source)).parent.mkdir(parents=True, exist_ok=True)
            (target / path.relative_to(source)).write_bytes(path.read_bytes())
    text = (target / "task.toml").read_text(encoding="utf-8")
    assert old in text
    (target / "task.toml").write_text(text.replace(old, new), encoding="utf-8")


def test_a_missing_variable_is_a_configuration_failure(attempts: Attempts) -> None:
    """`${NAME}` that the host does not have fails its own attempt alone, before anything is started."""
    job = {"environment": {**JOB["environment"], "env": {"TOKEN": "${NO_SUCH_TOKEN}"}}}  # type: ignore[dict-item]
    attempts.start("missing", STARTER / "hello-file", {"name": "oracle", "env": {"A": "${NO_SUCH_TOKEN}"}}, job=job)
    attempts.start("secret", STARTER / "hello-file", {"name": "oracle"}, secrets=("NO_SUCH_TOKEN",))
    ends = attempts.ends("missing", "secret")
    assert [ends[name].exit_code for name in ("missing", "secret")] == [1, 1]
    for name in ("missing", "secret"):
        failure = json.loads((attempts.folder / name / "failure.json").read_bytes())
        assert "Environment variable" in failure["exception_message"]
        assert "not found" in failure["exception_message"]


def test_no_attempt_sees_anothers_secret(attempts: Attempts) -> None:
    """An agent sees the secret that its order names and no other, not even in the memory of its own process or the host's."""
    agent = {"import_path": "tests.doubles.agents:EnvironmentReader"}
    attempts.start("one", STARTER / "hello-file", agent, secrets=("FIRST_KEY",))
    attempts.ends("one")
    text = (attempts.folder / "one" / "one" / "agent" / "seen.json").read_text(encoding="utf-8")
    own = json.loads(text)["own"]
    assert own["FIRST_KEY"] == SECRETS["FIRST_KEY"]
    assert SECRETS["SECOND_KEY"] not in text
    assert set(own) == {
        "FIRST_KEY", "HARBOR_TELEMETRY", "HOME", "LANG", "LITELLM_LOCAL_MODEL_COST_MAP", "PATH", "PYTHONPATH", "TMPDIR",
    }  # fmt: skip


def test_a_cancelled_attempt_still_writes_its_result(attempts: Attempts) -> None:
    """Cancelling is Harbor's own, and its sandbox is gone afterwards."""
    attempts.start("nap", STARTER / "hello-file", SLEEPER)
    attempts.asleep("nap")
    attempts.harness.cancel("nap")
    end = attempts.ends("nap")["nap"]
    assert (end.exit_code, end.reason) == (3, EndReason.CANCELLED)
    assert _meaning(attempts, "nap") == (AttemptEnd.CANCELLED, Category.CANCELLED)
    assert list(holders(attempts.folder)) == []


def test_an_attempt_past_its_outer_clock_is_ended(attempts: Attempts) -> None:
    """The host's reason tells a deadline from a cancellation: the agent had its time."""
    attempts.start("nap", STARTER / "hello-file", SLEEPER, seconds=1.5)
    end = attempts.ends("nap")["nap"]
    assert end.reason is EndReason.DEADLINE
    assert _meaning(attempts, "nap", is_deadline=True) == (AttemptEnd.FAILED, Category.AGENT)


@pytest.mark.kill
def test_a_killed_child_leaves_its_sibling_alone(attempts: Attempts) -> None:
    """SIGKILL of one attempt's process: it ends by signal, its sandbox is gone, the other finishes."""
    attempts.start("dead", STARTER / "hello-file", SLEEPER)
    attempts.start("live", STARTER / "count-errors", {"name": "oracle"})
    os.kill(attempts.asleep("dead"), signal.SIGKILL)
    ends = attempts.ends("dead", "live")
    assert (ends["dead"].signal, ends["dead"].exit_code) == (signal.SIGKILL, None)
    assert _meaning(attempts, "live") == (AttemptEnd.SUCCEEDED, None)
    assert list(holders(attempts.folder)) == []
    assert not (attempts.folder / "dead" / "scratch").exists()


@pytest.mark.kill
def test_a_killed_host_loses_its_attempts_and_leaves_nothing(attempts: Attempts) -> None:
    """SIGKILL of the host: one `lost` report each, no process, no scratch; the next start brings a new host up."""
    first = attempts.harness.hello()
    for name in ("a", "b"):
        attempts.start(name, STARTER / "hello-file", SLEEPER)
    children = [attempts.asleep(name) for name in ("a", "b")]
    os.kill(first.pid, signal.SIGKILL)
    ends = attempts.ends("a", "b")
    assert {end.kind for end in ends.values()} == {ReportKind.LOST}
    assert list(holders(attempts.folder)) == []
    assert not any(_is_running(pid) for pid in children)
    assert list(attempts.folder.glob("*/scratch")) == []
    attempts.start("again", STARTER / "hello-file", {"name": "oracle"})
    assert attempts.ends("again")["again"].exit_code == 0
    assert attempts.harness.hello().pid != first.pid


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.kill
def test_a_terminated_host_lets_harbor_write_its_results(attempts: Attempts) -> None:
    """SIGTERM of the host, as when a job is stopped: live attempts are cancelled, their results are there."""
    attempts.start("nap", STARTER / "hello-file", SLEEPER)
    attempts.asleep("nap")
    os.kill(attempts.harness.hello().pid, signal.SIGTERM)
    end = attempts.ends("nap")["nap"]
    assert (end.kind, end.reason) == (ReportKind.ENDED, EndReason.STOPPED)
    assert _meaning(attempts, "nap")[0] is AttemptEnd.CANCELLED


def test_a_live_attempt_is_not_started_twice(attempts: Attempts) -> None:
    """The second start is a conflict."""
    attempts.start("nap", STARTER / "hello-file", SLEEPER)
    with pytest.raises(Conflict):
        attempts.start("nap", STARTER / "hello-file", SLEEPER)
    assert attempts.harness.stop()[-1].reason is EndReason.STOPPED
    assert attempts.harness.stop() == []


def test_a_missing_environment_is_told_with_its_command(tmp_path: Path) -> None:
    """Host and check name the command that installs Harbor."""
    missing = LocalHarness(tmp_path / "none", ROOT, environment={}, log=tmp_path / "log")
    for ask in (missing.hello, lambda: LocalHarnessCheck(tmp_path / "none", ROOT).check([], {}, None)):
        with pytest.raises(HarnessMissing) as caught:
            ask()
        assert caught.value.code == "HARNESS_MISSING"
        assert "harness install" in caught.value.way_out


def test_harbors_parser_reports_what_it_drops(make_attempts: Callable[[], Attempts]) -> None:
    """A key that does not come back, and a value that is refused, have their paths; defaults are left out."""
    agents = [{"name": "oracle", "kwargs": {"a": 1}, "nmae": 3}, {"import_path": "x:y", "override_timeout_sec": "soon"}]
    job = {"environment": {**JOB["environment"], "bogus": 1}, "timeout_multiplier": 1.0, "agent_timeout_multiplier": 2}  # type: ignore[dict-item]
    make_attempts()
    answer = LocalHarnessCheck(interpreter(ROOT), ROOT).check(agents, job, None)
    assert answer.agents == ({"name": "oracle", "kwargs": {"a": 1}}, {})
    assert answer.job == {**JOB, "agent_timeout_multiplier": 2.0}
    assert [problem.path for problem in answer.problems] == [
        "agents[0].nmae",
        "agents[1].override_timeout_sec",
        "job.environment.bogus",
    ]


def test_the_checks_digest_is_the_one_that_a_trial_records(attempts: Attempts) -> None:
    """Planning and result name one task by one digest."""
    answer = LocalHarnessCheck(interpreter(ROOT), ROOT).check([], {}, STARTER)
    tasks = {task.path: task for task in answer.tasks}
    attempts.start("one", STARTER / "stock-ledger", {"name": "nop"})
    attempts.ends("one")
    assert attempts.result("one")["task_checksum"] == tasks["stock-ledger"].digest
    assert (tasks["stock-ledger"].needs.steps, tasks["hello-file"].needs.network) == (2, "no-network")
    assert all(not task.needs.unsupported for task in answer.tasks)


def test_the_check_tells_which_variables_a_task_takes(tmp_path: Path) -> None:
    """Those without a default, of every section that Harbor looks up; a text that only holds one is none."""
    _copy_task(STARTER / "hello-file", tmp_path / "one", "[verifier]", '[solution.env]\nA = "${GIVEN}"\n\n[verifier]')
    text = (tmp_path / "one" / "task.toml").read_text(encoding="utf-8")
    more = (
        '\n[verifier.env]\nKEY = "${JUDGE_KEY}"\nHAS = "${HAS:-1}"\nTEXT = "a ${JUDGE_KEY}"\n[environment.env]\nB = "${PLACE}"\n'
    )
    (tmp_path / "one" / "task.toml").write_text(text + more, encoding="utf-8")
    (task,) = LocalHarnessCheck(interpreter(ROOT), ROOT).check([], {}, tmp_path).tasks
    assert [tuple(each) for each in task.needs.variables] == [
        ("environment", "B", "PLACE"),
        ("solution", "A", "GIVEN"),
        ("verifier", "KEY", "JUDGE_KEY"),
    ]


def test_the_check_tells_what_is_no_task_and_which_image_is_named(tmp_path: Path) -> None:
    """A folder among tasks, one beside them, and nothing of what lies inside a task."""
    shutil.copytree(STARTER / "hello-file", tmp_path / "group" / "one")
    for name in ("group/draft", "notes/deep"):
        (tmp_path / name).mkdir(parents=True)
    answer = LocalHarnessCheck(interpreter(ROOT), ROOT).check([], {}, tmp_path)
    assert answer.skipped == ("group/draft", "notes")
    assert [task.needs.base_image for task in answer.tasks] == ["debian:12-slim"]
    assert LocalHarnessCheck(interpreter(ROOT), ROOT).check([], {}, tmp_path / "group" / "one").skipped == ()


def test_the_check_tells_what_a_task_lacks(tmp_path: Path) -> None:
    """Something to build or start from, and a solution where the oracle looks for one."""
    for name in ("whole", "bare", "unsolved"):
        shutil.copytree(STARTER / "hello-file", tmp_path / name)
    shutil.copytree(STARTER / "stock-ledger", tmp_path / "steps")
    (tmp_path / "bare" / "environment" / "Dockerfile").unlink()
    shutil.rmtree(tmp_path / "unsolved" / "solution")
    first, *_ = sorted((tmp_path / "steps" / "steps").iterdir())
    shutil.rmtree(first / "solution")
    needs = {task.path: task.needs for task in LocalHarnessCheck(interpreter(ROOT), ROOT).check([], {}, tmp_path).tasks}
    assert {path: each.has_solution for path, each in needs.items()} == {
        "whole": True,
        "bare": True,
        "unsolved": False,
        "steps": False,
    }
    assert needs["bare"].unsupported == ("it has no environment/Dockerfile and names no docker_image",)
    assert not needs["whole"].unsupported


def test_the_check_names_an_agent_that_harbor_does_not_have(make_attempts: Callable[[], Attempts]) -> None:
    """With the near one where there is one; an agent of ours is looked up by its path and not by a name."""
    make_attempts()
    agents = [{"name": "oracle"}, {"name": "orakle"}, {"name": "%%%"}, {"import_path": "x:y"}]
    problems = LocalHarnessCheck(interpreter(ROOT), ROOT).check(agents, JOB, None).problems
    assert [(problem.path, problem.problem) for problem in problems] == [
        ("agents[1].name", "Harbor has no agent 'orakle', did you mean 'oracle'?"),
        ("agents[2].name", "Harbor has no agent '%%%'"),
    ]


def test_the_check_names_the_field_of_a_task_that_harbor_cannot_read(tmp_path: Path) -> None:
    """Or the line, where the file is no TOML; the other tasks are read all the same."""
    damages = {"line": ("[agent]", "[agent"), "typed": ("timeout_sec = 120.0", 'timeout_sec = "soon"'), "whole": ("", "")}
    for name, (old, new) in damages.items():
        shutil.copytree(STARTER / "hello-file", tmp_path / name)
        file = tmp_path / name / "task.toml"
        file.write_text(file.read_text().replace(old, new, 1))
    answer = LocalHarnessCheck(interpreter(ROOT), ROOT).check([], {}, tmp_path)
    assert [task.path for task in answer.tasks] == ["whole"]
    (line, typed) = answer.problems
    assert (line.path, "line 12" in line.problem) == ("line", True)
    assert (typed.path, typed.problem.partition(": ")[0]) == ("typed", "agent.timeout_sec")
