"""What a run counts for whose journal cannot be read: as much as it may use, from what is still readable of it.

Left out of the caps it would free money and slots that its jobs, which run on, still use. So it counts with its whole ceiling,
and with the waves that were open when its status was written; if that is older than the journal, with as many as a run may have.
Of a run of which nothing at all can be read nobody knows whose it is: then no new work starts. Called by the pass.
"""

from contextlib import suppress
from typing import Final

from runner.domain.control.envelope import utc_text
from runner.domain.control.projection.fold import fold_segments
from runner.domain.control.projection.state import Run, RunProjection, Wave
from runner.ports.state.control_log import Head
from runner.usecases.control.pass_world import PassWorld
from runner.usecases.journals.loading import run_subject
from shared.documents.status import RunStatus
from shared.errors import SeawallError
from shared.states import RunState, WaveState

ANY_ROUTE: Final = "?"
"""The route of a wave that may be at any."""
UNREADABLE: Final = "RUN_UNREADABLE"
"""What holds everything back while a run cannot be counted."""


def presume_run(world: PassWorld, run_id: str, head: Head) -> Run | None:
    """Return the run as it has to be counted at `head`; None if nothing says whose it is."""
    told, status = _readable_part(world, run_id, head), _status(world, run_id)
    user, owner = told.requested_by, told.owner
    if not user and status is not None:
        user, owner = status.requested_by, status.owner
    if not user:
        return None
    ceiling = max(told.ceiling_usd_micros, status.ceiling_usd_micros if status else 0)
    return Run(
        state=RunState.ACTIVE,
        requested_by=user,
        owner=owner,
        submitted_ms=told.submitted_ms or head.now_ms,
        ceiling_usd_micros=ceiling,
        settled={f"{user} {utc_text(head.now_ms)[:10]}": ceiling},
        starts=told.starts,
        waves={wave.wave_id: wave for wave in _waves(world, told, status, head.open[run_subject(run_id)].seq)},
    )


def _readable_part(world: PassWorld, run_id: str, head: Head) -> Run:
    """Return what the journal tells before the place where it breaks."""
    state = RunProjection()
    with suppress(Exception):  # Whatever breaks it was reported by whoever met it first.
        for segment in world.log.read(run_subject(run_id), 0, head.version):
            fold_segments(state, [segment])
    return state.run


def _status(world: PassWorld, run_id: str) -> RunStatus | None:
    try:
        stored = world.status.read(run_subject(run_id))
        return RunStatus.from_bytes(stored.data) if stored is not None else None
    except SeawallError:
        return None


def _waves(world: PassWorld, told: Run, status: RunStatus | None, tip: int) -> list[Wave]:
    if status is not None and status.seq >= tip:
        numbers = [wave.number for wave in status.waves if wave.state != WaveState.CLOSED]
    else:
        numbers = list(range(1, world.rules.limits.concurrency.waves_per_run + 1))
    routes = {wave.number: wave.route for wave in told.waves.values()}
    return [_wave(number, routes.get(number, ANY_ROUTE)) for number in numbers]


def _wave(number: int, route: str) -> Wave:
    name = f"presumed-{number}"
    return Wave(wave_id=name, number=number, state=WaveState.ACTIVE, ranges=(), assignment_sha256="", deployment="", route=route)
