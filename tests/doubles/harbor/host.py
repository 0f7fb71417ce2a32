"""A trial host that speaks the real protocol and writes result files as Harbor does, without running any task.

The agent `oracle` always earns reward 1, every other agent 0. `DOUBLE_GATE=<file>` with `DOUBLE_HOLDS=<agent>,..`: attempts of
these agents stay under way until that file exists, so that a test decides what is under way, without waiting for a time. It ends
with its worker, as the real host does. `DOUBLE_LEAKS=<variable>,..`: attempts put the values of these variables wherever an
attempt can put anything; those of `nop` fail with them in their message.
Started in place of the harness interpreter by the script that `write_interpreter` makes.
"""

import base64
import json
import os
import re
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path

from runner.harness.host import LOCK_FILE, lock_sha256
from runner.harness.wire import ended_line, hello_line, phase_line, read_order
from runner.ports.compute.harness import AttemptOrder, EndReason, HarnessHello
from shared.outcomes import Phase

LOOK_S = 0.02


def write_interpreter(path: Path) -> Path:
    """Write the script that stands for the harness interpreter and return its path."""
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tests.doubles.harbor.host\n')
    path.chmod(0o755)
    return path


class Host:
    """Attempts as threads of one process."""

    def __init__(self, gate: Path, held: frozenset[str]) -> None:
        self._gate = gate
        self._held = held
        self._cancelled: dict[str, threading.Event] = {}
        self._threads: list[threading.Thread] = []
        self._is_stopping = False

    def serve(self) -> None:
        """Obey orders until the input ends or says stop, then cancel what is under way."""
        for line in sys.stdin.buffer:
            ((verb, body),) = json.loads(line).items()
            if verb == "stop":
                break
            if verb == "start":
                self._start(read_order(body))
            elif body["attempt_id"] in self._cancelled:
                self._cancelled[body["attempt_id"]].set()
        self._is_stopping = True
        for event in self._cancelled.values():
            event.set()
        for thread in self._threads:
            thread.join()

    def _start(self, order: AttemptOrder) -> None:
        self._cancelled[order.attempt_id] = threading.Event()
        self._threads.append(threading.Thread(target=self._carry_out, args=(order, self._cancelled[order.attempt_id])))
        self._threads[-1].start()

    def _carry_out(self, order: AttemptOrder, cancelled: threading.Event) -> None:
        started = datetime.now(UTC).isoformat()
        _report(phase_line(order.attempt_id, Phase.AGENT))
        while not cancelled.wait(LOOK_S):
            if order.agent.get("name") not in self._held or self._gate.exists():
                _write_result(order, started)
                _leak(order)
                _report(phase_line(order.attempt_id, Phase.VERIFIER))
                _report(ended_line(order.attempt_id, 0, None, EndReason.FINISHED, ""))
                return
        reason = EndReason.STOPPED if self._is_stopping else EndReason.CANCELLED
        _report(ended_line(order.attempt_id, 1, None, reason, "CancelledError"))


def _write_result(order: AttemptOrder, started: str) -> None:
    folder = order.folder / order.attempt_id
    folder.mkdir(parents=True)
    agent = str(order.agent.get("name"))
    finished = datetime.now(UTC).isoformat()
    times = {"started_at": started, "finished_at": finished}
    document = {
        "schema_version": 1,
        "task_name": f"starter/{order.task_path.name}",
        "trial_name": order.attempt_id,
        "agent_info": {"name": agent, "version": "1", "model_info": None},
        "agent_result": None,
        "verifier_result": {"rewards": {"reward": 1.0 if agent == "oracle" else 0.0}},
        "verifier_environment_mode": "shared",
        "exception_info": None,
        **times,
        **dict.fromkeys(("environment_setup", "agent_setup", "agent_execution", "verifier"), times),
    }
    (folder / "result.json").write_text(json.dumps(document))
    (folder / "trial.log").write_text(f"{agent} on {order.task_path.name}\n")


def _leak(order: AttemptOrder) -> None:
    values = [os.environ[name] for name in filter(None, os.environ.get("DOUBLE_LEAKS", "").split(","))]
    if not values:
        return
    text = " ".join(f"key={value}" for value in values)
    folder = order.folder / order.attempt_id
    sys.stderr.write(f"host: {text}\n")
    for path in (folder / "agent" / "leak.log", folder / "verifier" / "leak-stdout.txt", order.folder / "harbor.log"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{text}\n")
    for value in values:
        (folder / "agent" / f"leak-{value}.txt").write_text(value)
    encoded = base64.b64encode(text.encode()).decode()
    (folder / "agent" / "leak.json").write_text(json.dumps([{"content": text, "body": encoded}]))
    if order.agent.get("name") == "nop":
        failure = {
            "exception_type": "NonZeroAgentExitCodeError",
            "exception_message": text,
            "exception_traceback": text,
            "occurred_at": "",
        }
        (order.folder / "failure.json").write_text(json.dumps(failure))
        result = json.loads((folder / "result.json").read_bytes())
        result.update(verifier_result=None, exception_info=failure)
        (folder / "result.json").write_text(json.dumps(result))


def _report(line: bytes) -> None:
    try:
        os.write(1, line)
    except BrokenPipeError:
        os._exit(1)


def main() -> None:
    """Say hello and serve."""
    found = re.search(r"harbor==([0-9.]+)", (LOCK_FILE.parent / "pyproject.toml").read_text())
    _report(hello_line(HarnessHello(found[1] if found else "", lock_sha256(), os.getpid())))
    held = frozenset(filter(None, os.environ.get("DOUBLE_HOLDS", "").split(",")))
    Host(Path(os.environ.get("DOUBLE_GATE", "/nonexistent")), held).serve()


if __name__ == "__main__":
    main()
