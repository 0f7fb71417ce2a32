"""Makes the harness environment: Harbor, unmodified, from its own lock with every file's hash checked.

Called by `runner harness install`. Safe to run twice; nothing of ours is installed in it, and its host is started with the
checkout on PYTHONPATH.
"""

import os
import subprocess
from pathlib import Path
from typing import Final

from runner.ports.compute.harness import HarnessMissing

ENVIRONMENT: Final = ".venv-harness"
PROJECT: Final = Path("runner") / "harness" / "environment"
SHIMS_ENVIRONMENT: Final = ".venv-shims"
SHIMS_PROJECT: Final = Path("runner") / "harness" / "shims_environment"
INSTALL_SECONDS: Final = 1800


def install(uv: Path, root: Path) -> Path:
    """Make `.venv-harness` (and `.venv-shims`) below the checkout `root` with the program `uv`; return its interpreter."""
    make_environment(uv, root, SHIMS_ENVIRONMENT, SHIMS_PROJECT)
    return make_environment(uv, root, ENVIRONMENT, PROJECT)


def make_environment(uv: Path, root: Path, name: str, project: Path) -> Path:
    """Make the environment `name` below `root` exactly as the lock in `project` says; return its interpreter."""
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(root / name)}
    environment.pop("VIRTUAL_ENV", None)
    command = [str(uv), "sync", "--frozen", "--project", str(root / project)]
    done = subprocess.run(command, cwd=root, env=environment, timeout=INSTALL_SECONDS, check=False, stderr=subprocess.PIPE)
    if done.returncode != 0:
        reason = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise HarnessMissing("HARNESS_MISSING", f"uv could not make {name}: {reason}", way_out="Read uv's output and repeat.")
    return root / name / "bin" / "python"


def interpreter(root: Path) -> Path:
    """Return where the harness environment's interpreter lies below the checkout `root`, installed or not."""
    return root / ENVIRONMENT / "bin" / "python"
