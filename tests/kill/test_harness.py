import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.harness.install import interpreter
from runner.harness.reaping import holders

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.harness, pytest.mark.kill]


def test_a_killed_worker_takes_its_host_and_sandboxes_along(tmp_path: Path) -> None:
    """SIGKILL of the worker: the host sees its input end, cancels the attempt, Harbor writes its result, nothing is left."""
    if not interpreter(ROOT).exists():
        pytest.skip("Harbor's environment is not installed: python -m runner harness install")
    task = ROOT / "benchmarks" / "starter" / "hello-file"
    command = [
        sys.executable,
        "-m",
        "tests.kill.support.harness_worker",
        str(interpreter(ROOT)),
        str(ROOT),
        str(tmp_path),
        str(task),
    ]
    with subprocess.Popen(command, cwd=ROOT) as worker:
        _until((tmp_path / "nap" / "nap" / "agent" / "asleep").exists)
        worker.kill()
        worker.wait()
    _until(lambda: not (tmp_path / "nap" / "scratch").exists())
    assert list(holders(tmp_path)) == []
    assert (tmp_path / "nap" / "nap" / "result.json").exists()


def _until(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not claim():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)
