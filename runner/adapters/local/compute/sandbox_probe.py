"""Whether sandboxes can be made on this machine, asked before anything is promised: `true` is run in one."""

import asyncio
import tempfile
from pathlib import Path

from runner.harness.environments.sandbox import probe
from runner.harness.environments.tools import find_tools
from shared.errors import Refused

LOCAL = "local"


def probe_sandbox(kind: str) -> None:
    """Raise Refused SANDBOX_UNAVAILABLE, with bubblewrap's own words and the way out, if sandboxes of `kind` cannot be made."""
    if kind != LOCAL:
        message = f"sandboxes of kind {kind} are not built yet"
        raise Refused("SANDBOX_UNAVAILABLE", message, way_out="Use the local sandbox.")
    with tempfile.TemporaryDirectory(prefix="seawall-probe-") as folder:
        asyncio.run(probe(find_tools(), Path(folder) / "box"))
