"""Loading what a run's journal and documents say at one version of the log."""

from typing import NamedTuple

from runner.domain.control.envelope import Subject
from runner.domain.control.projection.fold import fold_segments
from runner.domain.control.projection.state import RunProjection
from runner.ports.state.answers import Version
from runner.ports.state.control_log import ControlLog
from runner.ports.stores.objects import Objects
from shared.digests import parse_digest
from shared.documents.plan import PlanHead, Shard
from shared.documents.run_lock import RunLock
from shared.errors import Refused, StoreFault
from shared.planning.sharding import read_shards
from shared.states import RUN_TERMINAL

RUN = "run"


def run_subject(run_id: str) -> Subject:
    """Return the journal of `run_id`."""
    return Subject(RUN, run_id)


def load_run(log: ControlLog, run_id: str, at: Version) -> RunProjection:
    """Return the projection of `run_id` as of version `at`."""
    return fold_segments(RunProjection(), log.read(run_subject(run_id), 0, at))


class FollowedRun:
    """A run whose projection grows with its journal: each look folds only what was appended since the one before."""

    def __init__(self, log: ControlLog, run_id: str) -> None:
        self._log = log
        self._subject = run_subject(run_id)
        self._state = RunProjection()

    def at(self, version: Version) -> RunProjection:
        """Return the projection as of `version`, which is no older than the one before; it is the caller's to read alone."""
        return fold_segments(self._state, self._log.read(self._subject, self._state.run.seq, version))


class FinishedRun(NamedTuple):
    """A run as its journal told it at its end, and the chain of the journal there: the same whoever asks, and whenever."""

    state: RunProjection
    chain: str


def load_finished(log: ControlLog, run_id: str, at: Version) -> FinishedRun:
    """Return the run as of the append that finished it; raise RUN_OPEN."""
    state = RunProjection()
    for segment in log.read(run_subject(run_id), 0, at):
        fold_segments(state, [segment])
        if state.run.state in RUN_TERMINAL:
            return FinishedRun(state, segment.chain)
    raise Refused("RUN_OPEN", f"run {run_id} has not ended", way_out="Wait for `run reconcile --all --watch`.")


def require_run(log: ControlLog, run_id: str, at: Version) -> RunProjection:
    """Return the projection of a run that the log knows; raise NOT_FOUND."""
    state = load_run(log, run_id, at)
    if state.run.seq == 0:
        raise Refused("NOT_FOUND", f"the control log has no run {run_id}", way_out="`run list` shows the runs.")
    return state


def load_plan(objects: Objects, plan_digest: str) -> PlanHead:
    """Return the plan that `plan_digest` names."""
    return PlanHead.from_bytes(b"".join(objects.read(parse_digest(plan_digest))))


def load_shards(objects: Objects, head: PlanHead) -> tuple[Shard, ...]:
    """Return the shards of `head`, in plan order."""
    return tuple(read_shards(b"".join(objects.read(head.shards.sha256))))


def load_lock(log: ControlLog, lock_sha256: str) -> RunLock:
    """Return the run lock that the journal names."""
    data = log.document(parse_digest(lock_sha256))
    if data is None:
        raise StoreFault(
            "LOCK_MISSING",
            f"the run lock {lock_sha256} is not in the log",
            way_out="Restore the log from a copy.",
        )
    return RunLock.from_bytes(data)
