"""Savepoints of a run's projection: its state as bytes at one seq, part by part.

A savepoint is a manifest {seq, chain, reducer, run, parts} and the parts that it names. It is a shortcut: savepoint + tail equals
the cold fold byte for byte, and one that is unreadable, or was made by other rules (`REDUCER`), is ignored. Restoring loads no
part; a part is read when an event touches its trials. Called by the pass, around the fold.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec

from runner.domain.control.kinds import KINDS
from runner.domain.control.projection.state import Run, RunProjection
from runner.domain.control.projection.trials import (
    ATTEMPT_STATES,
    CATEGORIES,
    PART,
    TRIAL_STATES,
    PartSummary,
    TrialPart,
    Trials,
    encode_part,
    summarise,
)
from runner.domain.retries import POLICY
from shared.digests import Digest, digest_of, sha256
from shared.errors import StoreFault

RULES: Final = 2
"""Raise it with every change of a rule that gives another state for the same events."""
REDUCER: Final = digest_of(
    {
        "rules": RULES,
        "kinds": {kind: list(payload.__struct_fields__) for kind, payload in KINDS.items()},
        "run": list(Run.__struct_fields__),
        "trial": list(TrialPart.__slots__),
        "trial_states": list(TRIAL_STATES),
        "attempt_states": list(ATTEMPT_STATES),
        "policy": [[category, rule.tries, rule.outcome, rule.costs_budget] for category, rule in POLICY.items()],
        "categories": list(CATEGORIES),
        "part": PART,
    }
)


class SavepointManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What the bytes of a manifest say."""

    seq: int
    chain: str
    reducer: str
    run: Run
    parts: tuple[PartSummary, ...]


class Savepoint(NamedTuple):
    """What is stored: the manifest, the parts that are new, and all parts that the manifest names."""

    manifest: bytes
    parts: dict[Digest, bytes]
    keep: frozenset[Digest]


class Restored(NamedTuple):
    """A projection at the place in its journal where the fold goes on."""

    state: RunProjection
    seq: int
    chain: str


_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_decode: Final = msgspec.json.Decoder(SavepointManifest).decode


def make_savepoint(state: RunProjection, chain: str) -> Savepoint:
    """Return the savepoint of `state`, whose journal's chain is `chain`."""
    summaries: list[PartSummary] = []
    fresh: dict[Digest, bytes] = {}
    for number, part in enumerate(state.trials.parts):
        summary = state.trials.summaries[number]
        if part is not None:
            data = encode_part(part)
            digest = sha256(data)
            if digest != summary.digest:
                fresh[digest] = data
            summary = summarise(part, digest)
        summaries.append(summary)
    manifest = SavepointManifest(seq=state.run.seq, chain=chain, reducer=REDUCER, run=state.run, parts=tuple(summaries))
    keep = frozenset(Digest(summary.digest) for summary in summaries if summary.digest)
    return Savepoint(_encode(manifest), fresh, keep)


def restore(manifest: bytes | None, load: Callable[[Digest], bytes | None]) -> Restored | None:
    """Return the projection that `manifest` describes, or None if it cannot be used.

    `load` is called for a part when its trials are first touched; a part that is gone or altered raises SavepointLost there, and
    the caller folds from the beginning.
    """
    if manifest is None:
        return None
    try:
        found = _decode(manifest)
    except msgspec.MsgspecError:
        return None
    if found.reducer != REDUCER or found.seq != found.run.seq or len(found.parts) != -(-found.run.trials // PART):
        return None
    trials = Trials(found.run.trials, list(found.parts), lambda digest: _checked(digest, load(digest)))
    return Restored(RunProjection(found.run, trials), found.seq, found.chain)


def projection_bytes(state: RunProjection) -> bytes:
    """Return bytes that are equal if and only if two projections are: what properties and audits compare."""
    trials = state.trials
    parts = [sha256(encode_part(trials.part(number))) for number in range(len(trials.parts))]
    return _encode([state.run, parts])


class SavepointLost(StoreFault):
    """A part that a savepoint names is gone or altered: fold from the beginning."""

    def __init__(self, digest: str) -> None:
        message = f"part {digest[:16]} of a savepoint is gone or altered"
        super().__init__("SAVEPOINT_LOST", message, way_out="Nothing: the journal is folded from its beginning.")


def _checked(digest: Digest, data: bytes | None) -> bytes:
    if data is None or sha256(data) != digest:
        raise SavepointLost(digest)
    return data
