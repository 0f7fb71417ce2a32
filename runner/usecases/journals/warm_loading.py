"""Loading a run, or the installation, from its savepoint and the tail of its journal; a long tail makes the next savepoint.

A savepoint is believed only if the journal, at that very seq, has the chain that it names: one of a log that was restored from
an older copy, or of another run of events, is not used. Without a usable one the journal is folded from its beginning, and the
result is the same, byte for byte. Called by the pass; a dry pass and the audit let nothing be stored.
"""

from collections.abc import Iterator
from contextlib import suppress

from runner.domain import limits
from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Subject
from runner.domain.control.installation import (
    INSTALLATION,
    Installation,
    RestoredInstallation,
    fold_installation,
    make_installation_savepoint,
    restore_installation,
)
from runner.domain.control.projection.fold import fold_segments
from runner.domain.control.projection.savepoints import Restored, SavepointLost, make_savepoint, restore
from runner.domain.control.projection.state import RunProjection
from runner.ports.state.answers import Version
from runner.ports.state.control_log import ControlLog
from runner.ports.state.savepoints import SavepointStore
from runner.usecases.journals.loading import run_subject
from shared.errors import StoreFault


def load_warm(
    log: ControlLog, savepoints: SavepointStore, run_id: str, at: Version, *, is_cold: bool = False, may_save: bool = True
) -> RunProjection:
    """Return the projection of `run_id` as of version `at`; `is_cold` folds from the beginning whatever is stored.

    A part of the savepoint is read when its trials are first touched; one that is gone raises SavepointLost there, and the
    caller loads again with `is_cold`.
    """
    subject = run_subject(run_id)
    manifest = None if is_cold else savepoints.newest(subject)
    restored = restore(manifest, lambda digest: savepoints.part(subject, digest))
    keeper = savepoints if may_save else None
    if restored is not None:
        with suppress(SavepointLost):
            found = _fold_after(log, keeper, subject, at, restored)
            if found is not None:
                return found
    return _fold_after(log, keeper, subject, at, Restored(RunProjection(), 0, "")) or RunProjection()


def load_installation(log: ControlLog, savepoints: SavepointStore, at: Version, *, may_save: bool = True) -> Installation:
    """Return the state of the installation as of version `at`."""
    restored, keeper = restore_installation(savepoints.newest(INSTALLATION)), savepoints if may_save else None
    if restored is not None:
        found = _fold_installation(log, keeper, at, restored)
        if found is not None:
            return found
    return _fold_installation(log, keeper, at, RestoredInstallation(Installation(), "")) or Installation()


def _fold_installation(
    log: ControlLog, keeper: SavepointStore | None, at: Version, start: RestoredInstallation
) -> Installation | None:
    state, chain, since = start.state, start.chain, start.state.seq
    segments = _tail(log, INSTALLATION, at, since, chain)
    if segments is None:
        return None
    for segment in segments:
        fold_installation([segment], state)
        chain = segment.chain
    if keeper is not None and state.seq - since >= limits.SAVEPOINT_EVENTS:
        with suppress(StoreFault):  # A shortcut that could not be stored is made by a later pass.
            keeper.save(INSTALLATION, make_installation_savepoint(state, chain), {}, frozenset())
    return state


def _fold_after(
    log: ControlLog, keeper: SavepointStore | None, subject: Subject, at: Version, start: Restored
) -> RunProjection | None:
    state, chain = start.state, start.chain
    segments = _tail(log, subject, at, start.seq, chain)
    if segments is None:
        return None
    for segment in segments:
        fold_segments(state, [segment])
        chain = segment.chain
    if keeper is not None and state.run.seq - start.seq >= limits.SAVEPOINT_EVENTS:
        made = make_savepoint(state, chain)
        with suppress(StoreFault):  # A shortcut that could not be stored is made by a later pass.
            keeper.save(subject, made.manifest, made.parts, made.keep)
    return state


def _tail(log: ControlLog, subject: Subject, at: Version, seq: int, chain: str) -> Iterator[Segment] | None:
    """Return the segments after `seq`; None if the journal does not have, at `seq`, the chain that a savepoint names."""
    segments = log.read(subject, max(seq - 1, 0), at)
    if seq:
        last = next(segments, None)
        if last is None or (last.last_seq, last.chain) != (seq, chain):
            return None
    return segments
