"""Each environment can import what it may start: `space` what a Space installs, `harness` Harbor alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SPACE = ROOT / ".venv-space/bin/python"
HARNESS = ROOT / ".venv-harness/bin/python"

IMPORT_ALL = """
import importlib, pkgutil, sys
found = 0
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            found += 1
print(found)
"""
DOCUMENTS = """
from pathlib import Path
from shared.digests import digest_of
from shared.documents.experiment.reader import read_experiment
from shared.documents.reviewed.limits import default_limits
experiment = read_experiment(Path("benchmarks/starter-smollm2.yaml").read_bytes())
print(digest_of(experiment.model_dump(mode="json")), default_limits().digest)
"""


def test_space_environment_imports_both_of_its_packages() -> None:
    """`space` and `shared` import whole with what a Space installs, an older pydantic included."""
    assert int(run(SPACE, IMPORT_ALL, "shared", "space")) > 50


def test_documents_have_the_same_bytes_under_both_pydantic_versions() -> None:
    """A digest does not depend on the environment that computes it."""
    assert run(SPACE, DOCUMENTS) == run(Path(sys.executable), DOCUMENTS)


def test_harness_environment_imports_what_it_starts() -> None:
    """The trial host, the check, the sandbox and every agent import with Harbor's environment alone."""
    assert int(run(HARNESS, IMPORT_ALL, "runner.harness", "runner.agents")) > 15


def run(interpreter: Path, code: str, *arguments: str) -> str:
    """Return what `code` prints under `interpreter`."""
    if not interpreter.exists():
        if os.environ.get("CI"):
            pytest.fail(f"{interpreter.parent.parent.name} is missing; run `make setup`")
        pytest.skip(f"{interpreter.parent.parent.name} is missing; run `make setup`")
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], "HARBOR_TELEMETRY": "off", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [str(interpreter), "-c", code, *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().rpartition("\n")[2]
