"""The wave job: `python -m runner.workers.wave RUN ACTION WAVE`, started by a pass through the jobs port."""

from runner.bootstrap import build
from runner.usecases.runs.claim_wave import claim_wave
from runner.usecases.runs.run_wave import run_wave
from runner.workers.job import StopWish, job_id, work_as_job
from shared.ids import ActionId, RunId, WaveId


def main(arguments: list[str], is_stopped: StopWish) -> None:
    """Claim the wave and carry it out."""
    run_id, action, wave = arguments
    house = build(process="wave")
    world = house.wave_world(WaveId(wave), job_id())
    claim = claim_wave(RunId(run_id), ActionId(action), WaveId(wave), world)
    print(f"wave {claim.number} of {run_id}: {len(claim.assigned)} trials", flush=True)  # noqa: T201 - the job's log
    because = run_wave(claim, house.redacting(world, claim.head), is_stopped)
    print(f"wave {claim.number} ended: {because}", flush=True)  # noqa: T201 - the job's log
    house.forget_work(WaveId(wave))


if __name__ == "__main__":
    work_as_job(main)
