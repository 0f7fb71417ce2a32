"""Makes the harness environment: Harbor, unmodified, from its own lock with every file's hash checked.

Called by `runner harness install`. Safe to run twice; nothing of ours is installed in it, and its host is started with the
checkout on PYTHONPATH.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from runner.ports.compute.harness import HarnessMissing

ENVIRONMENT: Final = ".venv-harness"
PROJECT: Final = Path("runner") / "harness" / "environment"
SHIMS_ENVIRONMENT: Final = ".venv-shims"
SHIMS_PROJECT: Final = Path("runner") / "harness" / "shims_environment"
INSTALL_SECONDS: Final = 1800
SETUP_UV: Final = Path(".uv") / "bin" / "uv"
"""Where tools/setup.sh puts the program when this machine has none that works."""
TOLD_LINES: Final = 20
_WAY_OUT: Final = "Name the program with --uv PATH, or mend what it complains of, and repeat."


def find_uv(root: Path) -> Path:
    """Return the program uv: the one that setup put below `root`, else the one on PATH, else the one beside this Python."""
    on_path = shutil.which("uv")
    places = [root / SETUP_UV, *([Path(on_path)] if on_path else []), Path(sys.executable).with_name("uv")]
    found = next((place for place in places if place.is_file() and os.access(place, os.X_OK)), None)
    if found is None:
        message = f"there is no program uv in {SETUP_UV.parent} and none on PATH"
        raise HarnessMissing("HARNESS_MISSING", message, way_out="Name it with --uv PATH, or run tools/setup.sh.")
    return found


def install(uv: Path, root: Path) -> Path:
    """Make `.venv-harness` (and `.venv-shims`) below the checkout `root` with the program `uv`; return its interpreter."""
    make_environment(uv, root, SHIMS_ENVIRONMENT, SHIMS_PROJECT)
    return make_environment(uv, root, ENVIRONMENT, PROJECT)


def make_environment(uv: Path, root: Path, name: str, project: Path) -> Path:
    """Make the environment `name` below `root` exactly as the lock in `project` says; return its interpreter."""
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(root / name)}
    environment.pop("VIRTUAL_ENV", None)
    command = [str(uv), "sync", "--frozen", "--project", str(root / project)]
    try:
        done = subprocess.run(command, cwd=root, env=environment, timeout=INSTALL_SECONDS, check=False, stderr=subprocess.PIPE)
    except OSError as error:
        raise HarnessMissing("HARNESS_MISSING", f"{uv} cannot be run: {error.strerror}", way_out=_WAY_OUT) from error
    except subprocess.TimeoutExpired as error:
        message = f"uv did not make {name} in {INSTALL_SECONDS} s"
        raise HarnessMissing("HARNESS_MISSING", message, way_out="Look at the network and repeat.") from error
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines()[-TOLD_LINES:]
        said = "\n".join(["", *lines, ""])
        raise HarnessMissing("HARNESS_MISSING", f"{uv} could not make {name}, and says:{said}", way_out=_WAY_OUT)
    return root / name / "bin" / "python"


def interpreter(root: Path) -> Path:
    """Return where the harness environment's interpreter lies below the checkout `root`, installed or not."""
    return root / ENVIRONMENT / "bin" / "python"
