"""The publishing job: `python -m runner.workers.publishing RUN ACTION publish`; it publishes a finished run."""

from runner.bootstrap import build
from runner.usecases.journals.claim_action import claim_action
from runner.workers.job import StopWish, job_id, work_as_job
from shared.ids import ActionId, RunId


def main(arguments: list[str], _is_stopped: StopWish) -> None:
    """Claim the action and publish the run."""
    run_id, action, _target = arguments
    house = build(process="publishing")
    claim_action(RunId(run_id), ActionId(action), job_id(), log=house.log, clock=house.clock, chance=house.chance)
    publication = house.publish(RunId(run_id))
    print(f"published {run_id} as {publication.publication_id}", flush=True)  # noqa: T201 - the job's log


if __name__ == "__main__":
    work_as_job(main)
