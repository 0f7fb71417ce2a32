"""Tests of how serving ends: in order, and without a word to whoever pressed Ctrl-C."""

import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

ROOT = Path(__file__).parents[2]
SERVER = """
import sys
from fastapi import FastAPI
from space.serving import serve

class Told:
    def __init__(self, name):
        self.name = name
    def close(self, *seconds):
        print(self.name, *seconds, flush=True)

app = FastAPI()
app.state.inbox, app.state.refresh = Told("inbox"), Told("refresh")
sys.exit(serve(app, "127.0.0.1", int(sys.argv[1])))
"""


def test_an_interrupt_ends_quietly_and_writes_what_waits() -> None:
    """The inbox is told to hurry and then flushed, the mirrors are closed, nothing is said, and the exit code is 130."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", SERVER, str(port)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert _is_up(port, process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert (process.returncode, err) == (130, "")
    assert out.splitlines() == ["inbox 0", "inbox 10.0", "refresh"]


def _is_up(port: int, process: "subprocess.Popen[str]") -> bool:
    for _ in range(240):
        if process.poll() is not None:
            return False
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            threading.Event().wait(0.25)
        else:
            return True
    return False
