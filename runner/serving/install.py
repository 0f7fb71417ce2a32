"""Makes the environment of the demonstration model from its own lock. Called by `make demo MODEL=smollm2`; safe to run twice."""

from pathlib import Path
from typing import Final

from runner.harness.install import make_environment

ENVIRONMENT: Final = ".venv-demo-model"
PROJECT: Final = Path("runner") / "serving" / "environment"


def install(uv: Path, root: Path) -> Path:
    """Make `.venv-demo-model` below the checkout `root` with the program `uv`; return its interpreter. Raises HarnessMissing."""
    return make_environment(uv, root, ENVIRONMENT, PROJECT)
