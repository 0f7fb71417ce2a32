"""The sealing job: `python -m runner.workers.sealing RUN ACTION seal`; it seals a run whose waves have all ended."""

from runner.bootstrap import build
from runner.usecases.journals.claim_action import claim_action
from runner.usecases.journals.loading import load_lock, load_plan, require_run
from runner.usecases.runs.seal_run import SealWorld, seal_run
from runner.workers.job import StopWish, job_id, work_as_job
from shared.ids import ActionId, RunId, WaveId


def main(arguments: list[str], _is_stopped: StopWish) -> None:
    """Claim the action and seal the run."""
    run_id, action, _target = arguments
    house = build(process="sealing")
    claim_action(RunId(run_id), ActionId(action), job_id(), log=house.log, clock=house.clock, chance=house.chance)
    state = require_run(house.log, run_id, house.log.head().version)
    plan, lock = load_plan(house.objects, state.run.plan_digest), load_lock(house.log, state.run.lock_sha256)
    world = SealWorld(RunId(run_id), state, plan, lock, house.evidence)
    sealed = seal_run(world)
    for wave in state.run.waves:
        house.forget_work(WaveId(wave))  # What killed workers left behind; nothing of it is evidence.
    print(f"sealed {run_id}: {sealed.checksums_sha256}", flush=True)  # noqa: T201 - the job's log


if __name__ == "__main__":
    work_as_job(main)
