"""The publishing job: `python -m runner.workers.publishing RUN ACTION TARGET`, of a run that has ended.

TARGET is publish, show (put together what its requester is shown), keep_private or withdraw.
"""

from runner.bootstrap import build
from runner.usecases.journals.claim_action import claim_action
from runner.usecases.results.publicity import make_public
from runner.workers.job import StopWish, job_id, work_as_job
from shared.ids import ActionId, RunId


def main(arguments: list[str], _is_stopped: StopWish) -> None:
    """Claim the action and do what it is for."""
    run_id, action, target = arguments
    house = build(process="publishing")
    claim_action(RunId(run_id), ActionId(action), job_id(), log=house.log, clock=house.clock, chance=house.chance)
    print(make_public(RunId(run_id), target, house.publicity_world()), flush=True)  # noqa: T201 - the job's log


if __name__ == "__main__":
    work_as_job(main)
