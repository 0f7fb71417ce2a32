"""One pass over a control log whose first answer is lost: `python -m tests.kill.support.lossy_pass FAULT POINT`."""

import os
import signal
import sys
from dataclasses import replace

from runner.adapters.faults.faulty_control_log import CommitFault, FaultyControlLog
from runner.bootstrap import build
from runner.domain import yields
from runner.usecases.control.reconcile import reconcile


def main(fault: str, point: str) -> None:
    """Pass once; the process ends at `point`."""

    def hook(reached: str) -> None:
        if reached == point:
            os.kill(os.getpid(), signal.SIGKILL)

    house = build()
    yields.install(hook)
    world = house.pass_world()
    reconcile(replace(world, log=FaultyControlLog(house.log, [CommitFault(fault)])))


if __name__ == "__main__":
    main(*sys.argv[1:])
