"""Two connections of one process to one file keep the locks that other processes respect."""

import subprocess
import sys
from pathlib import Path

from runner.adapters.local.state.sqlite_control_log import SqliteControlLog
from runner.adapters.local.state.sqlite_status import SqliteStatus
from runner.adapters.local.state.system_time import SystemClock
from runner.config import CHECKOUT

OTHER = """
import sys
from pathlib import Path
from runner.adapters.local.state.sqlite_status import SqliteStatus
from runner.domain.control.envelope import Subject
SqliteStatus(Path(sys.argv[1])).write(Subject("run", sys.argv[2]), b"{}", 1)
"""


def test_a_process_that_ends_leaves_the_log_to_those_that_still_use_it(tmp_path: Path) -> None:
    """The last one to close a file removes its write-ahead log; a process that only thinks so would lose our commits."""
    path = tmp_path / "control.sqlite"
    log, status = SqliteControlLog(path, SystemClock()), SqliteStatus(path)
    for number in range(3):
        subprocess.run([sys.executable, "-c", OTHER, str(path), f"run-{number}"], check=True, cwd=CHECKOUT)
        assert path.with_name("control.sqlite-wal").exists()
        assert len(status.list()) == number + 1
    assert log.head().serial == 0
