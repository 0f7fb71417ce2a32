"""The folder of the job that this process is, seen from inside: its id, its process id, how it ended.

Called by runner/workers/job.py through bootstrap; the outside of the same folder is runner/adapters/local/compute/jobs.py.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from runner.adapters.local.compute.jobs import ENDED, PID


@dataclass(frozen=True, slots=True)
class OwnJob:
    """One job, as its own worker sees it."""

    folder: Path

    @property
    def job_id(self) -> str:
        """The id that the pass knows the job by."""
        return self.folder.name

    def began(self) -> None:
        """Record which process works."""
        (self.folder / PID).write_text(str(os.getpid()))

    def ended(self, exit_code: int) -> None:
        """Record how the work ended, whole or not at all."""
        partial = self.folder / f"{ENDED}.partial"
        partial.write_text(json.dumps({"exit_code": exit_code}))
        partial.replace(self.folder / ENDED)
