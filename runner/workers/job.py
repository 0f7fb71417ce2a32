"""What every worker shares: its last line, its exit code in the job's folder, and SIGTERM as a wish to end.

The only places that catch every exception are here and in bootstrap: an unexpected one is a fault (exit 1) with its traceback in
the job's log, an error of ours is its exit code and one line.
"""

import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Final

from runner.bootstrap import own_job
from runner.ports.stores.full_disk import is_full, store_full
from shared.errors import SeawallError

FAULT: Final = 1


class StopWish:
    """True once the process was asked to end; it then drains."""

    def __init__(self) -> None:
        self._is_set = False
        signal.signal(signal.SIGTERM, self._set)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    def __call__(self) -> bool:  # noqa: D102 - the class says it
        return self._is_set

    def _set(self, _number: int, _frame: object) -> None:
        self._is_set = True


def job_id() -> str:
    """Return the id of the job that this process is."""
    return own_job().job_id


def work_as_job(work: Callable[[list[str], StopWish], None]) -> None:
    """Do `work` with the job's arguments, record how it ended, and exit."""
    job = own_job()
    job.began()
    code = FAULT
    try:
        work(sys.argv[1:], StopWish())
        code = 0
    except SeawallError as error:
        code = error.exit_code
        sys.stderr.write(f"{error}\n")
    except OSError as error:
        traceback.print_exc()
        if is_full(error):
            code = store_full().exit_code
            sys.stderr.write(f"{store_full()}\n")
    except Exception:  # noqa: BLE001 - a worker's last line: whatever happened, the job's log says it
        traceback.print_exc()
    try:
        job.ended(code)
        sys.stdout.flush()
    finally:
        os._exit(code)
