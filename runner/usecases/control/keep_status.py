"""Keeping the status documents up with the journals: written by each pass, repaired where a pass died before it wrote."""

from runner.domain.control.projection.state import RunProjection
from runner.usecases.control.pass_world import PassWorld
from runner.usecases.control.write_status import SETTLED, Around, run_status, without_secrets
from runner.usecases.journals.loading import RUN, load_plan, load_run, run_subject
from runner.usecases.results.publicity import ResultsSeen
from shared.documents.plan import PlanHead
from shared.documents.status import RunStatus
from shared.errors import BadInput, SeawallError
from shared.ids import RunId


def keep_status(world: PassWorld, run_id: str, state: RunProjection, plan: PlanHead | None, around: Around) -> None:
    """Write the status of a run unless the stored one describes its journal, and what holds it back, as they are.

    Raises StoreFault if it cannot be written.
    """
    stored = world.status.read(run_subject(run_id))
    if stored is None or stored.seq < state.run.seq or (stored.seq == state.run.seq and _held_by(stored.data) != around.held_by):
        status = without_secrets(run_status(run_id, state, plan, world.clock.now_ms(), around), world.redactor)
        world.status.write(run_subject(run_id), status.to_bytes(), state.run.seq)


def repair_statuses(world: PassWorld) -> list[str]:
    """Write the status of runs that have ended while theirs says that something is awaited, or says nothing; return those runs.

    A pass that dies between its last commit and the status leaves one behind, and no later pass looks at a closed journal. One
    that cannot be read is damaged, or of another version of ours.
    """
    head, repaired = world.log.head(), []
    for subject, stored in world.status.list().items():
        if subject.type != RUN or subject in head.open or _is_settled(stored.data):
            continue
        try:
            state = load_run(world.log, subject.id, head.version)
            if stored.seq < state.run.seq or (stored.seq == state.run.seq and _read(stored.data) is None):
                plan = load_plan(world.objects, state.run.plan_digest) if state.run.plan_digest else None
                results = world.find_results(RunId(subject.id), plan) if plan and state.run.label else ResultsSeen()
                around = Around(results.publication_id, is_withdrawn=results.is_withdrawn)
                keep_status(world, subject.id, state, plan, around)
                repaired.append(subject.id)
        except SeawallError:
            continue  # Its journal cannot be read, or its status not be written: the others are repaired.
    return repaired


def _is_settled(data: bytes) -> bool:
    status = _read(data)
    return status is not None and status.awaits == SETTLED


def _held_by(data: bytes) -> str | None:
    """Return what the stored status says; None, which no run is held by, if it cannot be read."""
    status = _read(data)
    return None if status is None else status.held_by


def _read(data: bytes) -> RunStatus | None:
    try:
        return RunStatus.from_bytes(data)
    except BadInput:
        return None
