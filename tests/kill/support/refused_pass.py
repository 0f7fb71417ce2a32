"""One pass whose jobs are refused: `python -m tests.kill.support.refused_pass POINT`; the process ends at `POINT`."""

import os
import signal
import sys
from dataclasses import replace

from runner.bootstrap import build
from runner.domain import yields
from runner.ports.compute.jobs import JobRefused
from runner.usecases.control.reconcile import reconcile
from tests.doubles.jobs import ScriptedJobs


def main(point: str) -> None:
    """Pass once."""

    def hook(reached: str) -> None:
        if reached == point:
            os.kill(os.getpid(), signal.SIGKILL)

    house = build()
    yields.install(hook)
    jobs = ScriptedJobs()
    jobs.refusal = JobRefused("FLAVOR_UNKNOWN", "there is no such hardware")
    reconcile(replace(house.pass_world(), jobs=jobs))


if __name__ == "__main__":
    main(*sys.argv[1:])
