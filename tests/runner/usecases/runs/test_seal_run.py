"""Sealing a run: from journal and bundles alone, equal bytes however often, lost waves included."""

from pathlib import Path

import pytest

from runner.evidence.verification import verify_run
from runner.ports.compute.jobs import JobStage
from runner.usecases.journals.loading import load_lock, load_plan
from runner.usecases.runs.seal_run import SealWorld, seal_run
from shared import paths
from shared.documents.evidence.bundle import Marker
from shared.ids import RunId
from tests.builders.houses import Place, starter_tree
from tests.doubles.harness import by_agent


def seal_again(place: Place, run_id: RunId) -> str:
    """Seal the run once more; return the digest of its root."""
    house, state = place.house, place.state(run_id)
    plan, lock = load_plan(house.objects, state.run.plan_digest), load_lock(house.log, state.run.lock_sha256)
    return seal_run(SealWorld(run_id, state, plan, lock, house.evidence)).checksums_sha256


def test_sealing_again_changes_nothing(tmp_path: Path) -> None:
    """The same root, byte for byte."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.finish()
    before = verify_run(place.house.evidence, run_id)
    assert seal_again(place, run_id) == before.checksums_sha256
    assert verify_run(place.house.evidence, run_id) == before


def test_a_lost_wave_is_sealed_as_failed(tmp_path: Path) -> None:
    """With the segments that it wrote; the run still ends clean."""
    place = Place(tmp_path)
    run_id = place.submit()
    place.reconcile()
    for job_id in place.jobs.views:
        place.jobs.end(job_id, JobStage.ERROR)
    place.clock.sleep(60)
    place.finish()
    assert place.state(run_id).run.label == "clean"
    waves = sorted(path.parent.name for path in (place.house.settings.home / "evidence").rglob("waves/*/_FAILED"))
    assert len(waves) == 1
    verify_run(place.house.evidence, run_id)


@pytest.mark.parametrize(
    ("is_kept", "marker"),
    [
        (lambda _order: True, Marker.SUCCESS),
        (lambda order: order.task_path.name == "one", Marker.SUCCESS),
        (lambda _order: False, Marker.FAILED),
    ],
)
def test_the_roots_marker_says_how_the_run_ended(tmp_path: Path, is_kept: object, marker: Marker) -> None:
    """Complete, degraded too; or without one scored trial."""
    place = Place(tmp_path, lambda order: by_agent(order) if is_kept(order) else None)  # type: ignore[operator]
    run_id = place.submit(starter_tree(max_attempts=1))
    place.finish()
    assert place.house.evidence.stat(f"{paths.run_prefix(run_id)}/{marker.value}") is not None
