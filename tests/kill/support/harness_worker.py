"""A worker that starts one sleeping attempt and waits, killed by `test_harness.py`: interpreter, checkout, folder, task."""

import os
import sys
from pathlib import Path

from runner.adapters.local.compute.harness import LocalHarness
from runner.ports.compute.harness import AttemptOrder

JOB = {"environment": {"import_path": "runner.harness.environments.local_sandbox:LocalSandbox"}}


def main() -> None:
    """Start the attempt and wait for ever."""
    interpreter, checkout, folder, task = (Path(word) for word in sys.argv[1:])
    harness = LocalHarness(interpreter, checkout, environment={"PATH": os.environ["PATH"]}, log=folder / "host.log")
    harness.start(AttemptOrder("nap", folder / "nap", task, {"import_path": "tests.doubles.agents:Sleeper"}, JOB, 600))
    while True:
        harness.wait(60)


if __name__ == "__main__":
    main()
