"""The host's environment: taken once at its start, wiped from memory that others can read, handed out by name.

A forked child inherits its parent's memory, in it the block that `/proc/<pid>/environ` shows. So the host copies its variables,
overwrites that block, and gives each child only what its order names. Called by `host.py` before Harbor is imported.
"""

import ctypes
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from shared.errors import BadInput

MIN_SECRET_CHARS: Final = 8
"""Harbor replaces a secret's value wherever it stands in a trial's files; one letter would ruin them."""
HARBOR_SETTINGS: Final = {"HARBOR_TELEMETRY": "off", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
ALWAYS_SET: Final = frozenset({"PYTHONPATH", "PATH", "HOME", "LANG", "TMPDIR", *HARBOR_SETTINGS})
"""What every attempt's process has without being given it by name."""
PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def take_environment() -> dict[str, str]:
    """Return this process's environment and leave it with none: neither in os.environ nor in the block others can read."""
    taken = dict(os.environ)
    libc = ctypes.CDLL(None)
    block = ctypes.POINTER(ctypes.c_void_p).in_dll(libc, "environ")
    index = 0
    while address := block[index]:
        ctypes.memset(address, 0, len(ctypes.string_at(address)))
        index += 1
    os.environ.clear()
    libc.clearenv()
    return taken


def set_environment(variables: Mapping[str, str]) -> None:
    """Make `variables` the whole environment of this process."""
    os.environ.clear()
    os.environ.update(variables)


def host_environment(taken: Mapping[str, str], home: Path) -> dict[str, str]:
    """Return what the host itself needs: where our packages lie and Harbor's switches."""
    return {"PYTHONPATH": taken.get("PYTHONPATH", ""), "PATH": PATH, "HOME": str(home), "LANG": "C.UTF-8", **HARBOR_SETTINGS}


def child_environment(taken: Mapping[str, str], names: Iterable[str], home: Path, scratch: Path) -> dict[str, str]:
    """Return what one attempt's process sees: the host's own settings, its scratch folder, and the secrets called `names`."""
    missing = sorted(name for name in names if name not in taken)
    if missing:
        raise BadInput(
            "SECRET_MISSING",
            f"Environment variable {missing[0]!r} not found in the trial host",
            field="secret_names",
            way_out="Set it where the worker is started.",
        )
    for name in names:
        if len(taken[name]) < MIN_SECRET_CHARS:
            raise BadInput(
                "SECRET_TOO_SHORT",
                f"the value of {name!r} has fewer than {MIN_SECRET_CHARS} characters: Harbor would blot it out of every result",
                field="secret_names",
                way_out="Use a longer value; a server that asks for none takes any.",
            )
    return {**host_environment(taken, home), "TMPDIR": str(scratch), **{name: taken[name] for name in names}}
