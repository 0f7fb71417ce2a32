"""What a pass believes of the world: its own workers' segments, and of those only what the evidence bears out."""

import dataclasses
from pathlib import Path

import pytest

from runner.domain.control.events import ProgressSealed
from runner.domain.control.facts import Fact, SegmentHead, encode_segment
from runner.ports.compute.jobs import JobStage
from runner.usecases.runs.claim_wave import claim_wave
from runner.usecases.runs.wave_attempts import begin_attempt, started_fact
from runner.usecases.runs.wave_orders import make_attempt
from runner.usecases.runs.wave_progress import Progress
from runner.usecases.runs.wave_world import WaveClaim
from shared import paths
from shared.errors import Conflict
from shared.ids import ActionId, RunId, WaveId
from tests.builders.houses import Place
from tests.builders.journals import begun, scored


def claimed(place: Place, run_id: RunId) -> WaveClaim:
    """Reserve a wave and claim it for its job; nothing of it is under way."""
    place.reconcile()
    ((job_id, spec),) = place.jobs.specs.items()
    wave = WaveId(spec.target)
    return claim_wave(run_id, ActionId(spec.action_id), wave, place.house.wave_world(wave, job_id))


def write_segment(place: Place, claim: WaveClaim, number: int, *facts: Fact, **changes: str) -> None:
    """Write a progress segment as the wave's worker would, or with something changed."""
    head = SegmentHead(wave_id=claim.wave_id, action_id=claim.action_id, job="job-1", k=number, at="2026-01-01T00:00:00.000Z")
    for name, value in changes.items():
        head = SegmentHead(**{**{field: getattr(head, field) for field in head.__struct_fields__}, name: value})
    place.house.evidence.put(paths.progress_segment(claim.run_id, claim.wave_id, number), encode_segment(head, facts))


def sealed(place: Place, run_id: RunId) -> list[ProgressSealed]:
    """Return the sealed segments of the run."""
    return [each.payload for each in place.events(run_id) if isinstance(each.payload, ProgressSealed)]


def end_jobs(place: Place) -> None:
    """Let every job be gone."""
    for job_id in place.jobs.views:
        place.jobs.end(job_id, JobStage.ERROR)


def test_segments_are_read_in_order_without_a_gap(tmp_path: Path) -> None:
    """The third waits for the second."""
    place = Place(tmp_path)
    run_id = place.submit()
    claim = claimed(place, run_id)
    write_segment(place, claim, 1, begun(0))
    write_segment(place, claim, 3, begun(1))
    place.reconcile()
    assert [each.k for each in sealed(place, run_id)] == [1]
    write_segment(place, claim, 2)
    place.reconcile()
    assert [each.k for each in sealed(place, run_id)] == [1, 2, 3]


def test_a_result_without_its_bundle_is_rejected(tmp_path: Path) -> None:
    """The segment is sealed, and says which of its facts the evidence does not bear out; nothing is scored."""
    place = Place(tmp_path)
    run_id = place.submit()
    claim = claimed(place, run_id)
    write_segment(place, claim, 1, begun(0), scored(0))
    place.reconcile()
    assert [each.rejected for each in sealed(place, run_id)] == [((0, 1, "BUNDLE_UNVERIFIED"),)]
    assert place.state(run_id).trials.trial(0).selected == 0


def test_a_segment_of_another_claim_sets_the_run_aside(tmp_path: Path) -> None:
    """Nothing that it says is taken, the run is reported, another goes on."""
    place = Place(tmp_path)
    run_id = place.submit()
    claim = claimed(place, run_id)
    write_segment(place, claim, 1, begun(0), action_id="act-" + "0" * 32)
    other = place.submit()
    for _ in range(10):
        report = place.reconcile()
        for job_id, spec in place.jobs.specs.items():
            if spec.run_id == run_id:
                place.jobs.end(job_id, JobStage.RUNNING)
        place.jobs.work_all()
    assert list(report.frozen) == [run_id]
    assert (sealed(place, run_id), place.state(other).run.label) == ([], "clean")


def test_a_wave_is_not_ended_before_all_that_it_wrote_is_read(tmp_path: Path) -> None:
    """Its job is gone; its last words count first."""
    place = Place(tmp_path)
    run_id = place.submit()
    claim = claimed(place, run_id)
    for number in range(1, 131):
        write_segment(place, claim, number)
    end_jobs(place)
    place.reconcile()
    assert (len(sealed(place, run_id)), len(place.state(run_id).open_waves())) == (100, 1)
    place.reconcile()
    assert len(sealed(place, run_id)) == 130
    assert "closed" in [each.kind for each in place.events(run_id)]


def test_a_worker_that_was_thought_dead_finds_its_place_taken(tmp_path: Path) -> None:
    """What it had begun was reported in its stead, under the number that it wanted."""
    place = Place(tmp_path)
    run_id = place.submit()
    claim = claimed(place, run_id)
    world = place.house.wave_world(claim.wave_id, "job-1")
    attempt = make_attempt(0, 1, None, claim, world)
    assert begin_attempt(attempt, world)
    other = dataclasses.replace(world, job_id="job-2")
    assert not begin_attempt(make_attempt(0, 1, None, claim, other), other)
    end_jobs(place)
    place.reconcile()
    assert place.state(run_id).trials.trial(0).attempts[0] == "lost"
    progress = Progress(claim, world)
    progress.add([started_fact(attempt, world)])
    with pytest.raises(Conflict) as caught:
        progress.flush(1)
    assert caught.value.code == "CLAIM_LOST"
