import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.domain.yields import YIELDS
from runner.evidence.verification import verify_bundle, verify_run
from shared.documents.evidence.bundle import Marker
from tests.kill.support.evidence_worker import seal_everything
from tests.runner.evidence.trees import RUN, everything

pytestmark = pytest.mark.kill
NAMES = sorted(name for name in YIELDS if name.startswith("evidence."))


def run_worker(work: Path, fault: str) -> "subprocess.CompletedProcess[bytes]":
    """Run the worker to its end or to its death."""
    argv = [sys.executable, "-m", "tests.kill.support.evidence_worker", str(work), fault]
    return subprocess.run(argv, capture_output=True, check=False, timeout=120, cwd=Path(__file__).parents[2])


def stored(work: Path) -> dict[str, bytes]:
    """Return what a reader of the store can see: everything but the folder of unfinished files."""
    return {path: data for path, data in everything(work / "store").items() if not path.startswith(".incoming/")}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], dict[str, int]]:
    """Return what a run without a kill leaves, and how often each yield point is passed."""
    work = tmp_path_factory.mktemp("undisturbed")
    done = run_worker(work, "none:0")
    return stored(work), json.loads(done.stdout)


def test_each_yield_point_is_passed(undisturbed: tuple[dict[str, bytes], dict[str, int]]) -> None:
    """No declared name of the evidence is out of reach of these tests."""
    assert sorted(name for name in undisturbed[1] if name.startswith("evidence.")) == NAMES
    assert len(NAMES) >= 9


@pytest.mark.parametrize("where", ["first", "middle", "last"])
@pytest.mark.parametrize("name", NAMES)
def test_killed_at_a_yield_and_repeated_ends_in_equal_bytes(
    tmp_path: Path, undisturbed: tuple[dict[str, bytes], dict[str, int]], name: str, where: str
) -> None:
    """After the kill every visible marker has its whole bundle; the repeat writes exactly what an undisturbed run writes."""
    whole, passed = undisturbed
    number = {"first": 1, "middle": (passed[name] + 1) // 2, "last": passed[name]}[where]
    assert run_worker(tmp_path, f"{name}:{number}").returncode == -signal.SIGKILL
    before = stored(tmp_path)
    assert before.items() <= whole.items()
    for path in before:
        folder, _, file = path.rpartition("/")
        if file in set(Marker):
            verify_bundle(LocalEvidenceStore(tmp_path / "store"), folder)
    seal_everything(tmp_path)
    assert stored(tmp_path) == whole
    assert verify_run(LocalEvidenceStore(tmp_path / "store"), RUN).statements == 3
