"""A Space that is ended in order writes what waits for its commit; one that is killed has told nobody that it was recorded."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shared.ids import RequestId
from shared.inbox.codec import Actor, Request, RequestSubject, encode_request
from tests.builders.hub import INBOX, INBOX_NAME, Hub

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.kill


@pytest.mark.parametrize(("how", "count"), [(signal.SIGTERM, 1), (signal.SIGKILL, 0)])
def test_what_waits_is_written_before_an_ordered_end(tmp_path: Path, how: signal.Signals, count: int) -> None:
    """At once, although its five seconds are not over."""
    hub = Hub(tmp_path / "hub")
    hub.edit(INBOX_NAME)
    asked = Request(RequestId("req-" + "1" * 32), "submit", Actor("alice", "o", "read"), RequestSubject("run", "run-1"), "{}")
    file = tmp_path / "request.json"
    file.write_bytes(encode_request(asked))
    command = [sys.executable, "-m", "tests.kill.support.space_flush", hub.address, INBOX_NAME, INBOX, str(file)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert process.stdout is not None
    assert process.stdout.readline() == "serving\n"
    process.send_signal(how)
    process.wait(30)
    held = {path: data for path, data in hub.files(INBOX_NAME).items() if path.startswith("requests/")}
    assert held == dict([(f"requests/{asked.request_id}.json", encode_request(asked))][:count])
    hub.close()
