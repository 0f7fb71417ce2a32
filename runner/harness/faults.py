"""Why a sandbox ended before it was stopped, from the environment that saw it to the attempt's last words.

Harbor wraps and swallows what an environment raises: a sandbox that the host lost may reach `result.json` as a verifier folder
that cannot be downloaded, which is just what an agent that removed the folder gets. So the environment writes the fault beside
the result, outside the sandbox's reach, and the attempt's process passes it on as its own failure. The first fault stays.
"""

import json
from pathlib import Path
from typing import Final, NamedTuple

FAULT: Final = "sandbox-fault.json"
SANDBOX_LOST: Final = "SandboxLost"
SANDBOX_FULL: Final = "SandboxFull"
SANDBOX_FAULTS: Final = frozenset({SANDBOX_LOST, SANDBOX_FULL})
"""The names of the exceptions of `environments/sandbox.py` that tell the sandbox's end."""


class Fault(NamedTuple):
    """The name of the exception and what it says."""

    name: str
    message: str


def write_fault(trial: Path, error: Exception) -> None:
    """Write that the sandbox of the trial whose folder is `trial` ended with `error`, unless one did before."""
    try:
        with (trial / FAULT).open("x", encoding="utf-8") as stream:
            json.dump(Fault(type(error).__name__, str(error))._asdict(), stream)
    except FileExistsError:
        return


def read_fault(trial: Path) -> Fault | None:
    """Return the fault of a trial's sandbox, or None if it ended when it was stopped."""
    try:
        return Fault(**json.loads((trial / FAULT).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
