"""The programs that a local sandbox needs, and what to do where they are missing or may not work.

Called before any sandbox is started (`sandbox.py`, `local_sandbox.py`, the probe of a submission).
"""

import shutil
from collections.abc import Callable
from typing import Final, NamedTuple

from shared.errors import Refused

_INSTALL: Final = "Install it with `apt-get install bubblewrap` (Debian, Ubuntu) or `dnf install bubblewrap` (Fedora)"
_ALLOW: Final = (
    "Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, and on Ubuntu an AppArmor profile for bwrap),"
    " or run on a machine or in a container that has them"
)


class Tools(NamedTuple):
    """The programs a sandbox needs, by absolute path."""

    bwrap: str
    nsenter: str
    prlimit: str
    setpriv: str


def find_tools(which: Callable[[str], str | None] = shutil.which) -> Tools:
    """Return the programs a sandbox needs, or raise SANDBOX_UNAVAILABLE naming the one that is missing."""
    found = {name: which(name) for name in Tools._fields}
    for name, path in found.items():
        if path is None:
            way_out = f"{_INSTALL}." if name == "bwrap" else "Install the package util-linux."
            raise Refused("SANDBOX_UNAVAILABLE", f"the program {name!r} is not on PATH", field="job.environment", way_out=way_out)
    return Tools(*(str(path) for path in found.values()))


def unavailable(complaint: bytes) -> Refused:
    """Return the refusal that passes on what bubblewrap itself complained of."""
    text = complaint.decode(errors="replace").strip() or "it gave no reason"
    return Refused(
        "SANDBOX_UNAVAILABLE", f"bubblewrap cannot make a sandbox here: {text}", field="job.environment", way_out=f"{_ALLOW}."
    )
