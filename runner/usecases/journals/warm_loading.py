"""Loading a run from its savepoint and the tail of its journal, and making the next savepoint once the tail is long.

A savepoint is believed only if the journal, at that very seq, has the chain that it names: one of a log that was restored from
an older copy, or of another run of events, is not used. Without a usable one the journal is folded from its beginning, and the
result is the same, byte for byte. Called by the pass.
"""

from contextlib import suppress

from runner.domain import limits
from runner.domain.control.envelope import Subject
from runner.domain.control.projection.fold import fold_segments
from runner.domain.control.projection.savepoints import Restored, SavepointLost, make_savepoint, restore
from runner.domain.control.projection.state import RunProjection
from runner.ports.state.answers import Version
from runner.ports.state.control_log import ControlLog
from runner.ports.state.savepoints import SavepointStore
from runner.usecases.journals.loading import run_subject
from shared.errors import StoreFault


def load_warm(log: ControlLog, savepoints: SavepointStore, run_id: str, at: Version, *, is_cold: bool = False) -> RunProjection:
    """Return the projection of `run_id` as of version `at`; `is_cold` folds from the beginning whatever is stored.

    A part of the savepoint is read when its trials are first touched; one that is gone raises SavepointLost there, and the
    caller loads again with `is_cold`.
    """
    subject = run_subject(run_id)
    manifest = None if is_cold else savepoints.newest(subject)
    restored = restore(manifest, lambda digest: savepoints.part(subject, digest))
    if restored is not None:
        with suppress(SavepointLost):
            found = _fold_after(log, savepoints, subject, at, restored)
            if found is not None:
                return found
    return _fold_after(log, savepoints, subject, at, Restored(RunProjection(), 0, "")) or RunProjection()


def _fold_after(
    log: ControlLog, savepoints: SavepointStore, subject: Subject, at: Version, start: Restored
) -> RunProjection | None:
    """Return `start` and what followed; None if the journal does not have, at its seq, the chain that it names."""
    state, chain = start.state, start.chain
    segments = log.read(subject, max(start.seq - 1, 0), at)
    if start.seq:
        last = next(segments, None)
        if last is None or (last.last_seq, last.chain) != (start.seq, start.chain):
            return None
    for segment in segments:
        fold_segments(state, [segment])
        chain = segment.chain
    if state.run.seq - start.seq >= limits.SAVEPOINT_EVENTS:
        made = make_savepoint(state, chain)
        with suppress(StoreFault):  # A shortcut that could not be stored is made by a later pass.
            savepoints.save(subject, made.manifest, made.parts, made.keep)
    return state
