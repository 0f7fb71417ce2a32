import json
import subprocess
import urllib.request
from pathlib import Path

import pytest

from runner.serving.install import ENVIRONMENT
from runner.serving.serve import LABEL, MODEL

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ENVIRONMENT / "bin" / "python"


def test_the_small_model_answers_with_real_usage() -> None:
    """It prints one line when ready, answers a chat request, counts tokens, and ends with its stdin."""
    if not PYTHON.exists():
        pytest.skip("the demonstration model is not installed: make demo MODEL=smollm2")
    command = [str(PYTHON), "-m", "runner.serving.serve", "--until-stdin-closes"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        ready = json.loads(server.stdout.readline())
        assert (ready["model"], ready["label"], ready["pid"]) == (MODEL, LABEL, server.pid)
        body = {"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 8, "temperature": 0}
        request = urllib.request.Request(  # noqa: S310 - a loopback address that the server printed
            f"{ready['base_url']}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310 - same
            usage = json.loads(answer.read())["usage"]
        assert 0 < usage["completion_tokens"] <= 8
        assert usage["prompt_tokens"] > 5
        server.stdin.close()
        assert server.wait(timeout=30) == 0
