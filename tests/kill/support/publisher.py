"""One publisher among many: `python -m tests.kill.support.publisher RUN GATE`; it waits for the file GATE, then publishes RUN."""

import sys
import time
from pathlib import Path

from runner.bootstrap import build
from shared.ids import RunId


def main(run_id: str, gate: Path) -> None:
    """Publish as soon as every publisher is ready, and print the publication."""
    house = build()
    gate.with_name(f"ready-{id(house)}-{time.monotonic_ns()}").touch()
    while not gate.exists():
        time.sleep(0.005)
    print(house.publish(RunId(run_id)).publication_id)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
