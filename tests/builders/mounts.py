"""A process whose folder is a disk of a few kilobytes, or can only be read: made with bubblewrap, as root or as anybody."""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from runner.config import CHECKOUT

WHOLE: Final = ("bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
needs_mounts: Final = pytest.mark.skipif(
    shutil.which("bwrap") is None or subprocess.run([*WHOLE, "true"], check=False, capture_output=True).returncode != 0,
    reason="bubblewrap cannot make namespaces here",
)


def on_small_disk(folder: Path, size: int, script: str) -> Any:
    """Return what `script` prints as JSON, run where `folder` is an empty disk of `size` bytes."""
    return _run(["--size", str(size), "--tmpfs", str(folder)], script, {}, [str(folder)])


def where_read_only(folder: Path, script: str, environment: Mapping[str, str]) -> Any:
    """Return what `script` prints as JSON, run where nothing in `folder` can be written."""
    return _run(["--ro-bind", str(folder), str(folder)], script, environment, [str(folder)])


def _run(mounts: Sequence[str], script: str, environment: Mapping[str, str], arguments: Sequence[str]) -> Any:
    done = subprocess.run(
        [*WHOLE, *mounts, sys.executable, "-c", script, *arguments],
        cwd=CHECKOUT, env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
