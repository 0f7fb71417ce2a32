"""A batch: everything that one commit of the control log carries, and the key that names it.

The key is the digest of the batch, its parent and a nonce of its writer, so a batch whose answer was lost can be looked up, and
two writers that decide the same never share a key. Sizes are checked before anything is sent (BATCH_TOO_LARGE). Made by the
pass and by workers that claim; carried by every adapter of the control log.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from runner.domain import limits
from runner.domain.control.envelope import Event, Subject, encode_body
from runner.domain.control.kinds import CARRIERS
from runner.domain.control.leases import Move, digest_of_move
from runner.ports.state.answers import Version
from shared.digests import Digest, digest_of, sha256
from shared.errors import Refused


@dataclass(frozen=True, slots=True)
class Batch:
    """What one commit writes; made by `make_batch`."""

    key: Digest
    appends: Mapping[Subject, tuple[Event, ...]]
    bodies: Mapping[Subject, tuple[bytes, ...]] = field(repr=False)
    """The encoded events, in order, without their seq."""
    moves: tuple[Move, ...]
    documents: Mapping[Digest, bytes] = field(repr=False)
    closes: frozenset[Subject]
    """Subjects that have ended: they leave the head, and can still be read and appended to (late evidence)."""
    opens: frozenset[Subject]
    """Subjects that had ended and go on: they stand in the head again."""
    commit_class: str

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to say."""
        return not (any(self.appends.values()) or self.moves or self.documents or self.closes or self.opens)


def make_batch(
    appends: Mapping[Subject, Sequence[Event]],
    *,
    parent: Version,
    nonce: str,
    moves: Sequence[Move] = (),
    documents: Sequence[bytes] = (),
    closes: Sequence[Subject] = (),
    opens: Sequence[Subject] = (),
    commit_class: str = "pass",
) -> Batch:
    """Return the batch of these writes, encoded and keyed; raise BATCH_TOO_LARGE before anything is sent."""
    events = {subject: tuple(some) for subject, some in appends.items() if some}
    bodies = {subject: tuple(_checked_body(event) for event in some) for subject, some in events.items()}
    named = {sha256(data): data for data in documents}
    _check_sizes(bodies, named)
    key = digest_of(
        {
            "parent": parent,
            "nonce": nonce,
            "appends": [[*subject, *(sha256(body) for body in bodies[subject])] for subject in sorted(bodies)],
            "moves": [digest_of_move(move) for move in moves],
            "documents": sorted(named),
            "closes": sorted(list(subject) for subject in closes),
            "opens": sorted(list(subject) for subject in opens),
            "class": commit_class,
        }
    )
    return Batch(key, events, bodies, tuple(moves), named, frozenset(closes), frozenset(opens), commit_class)


def _checked_body(event: Event) -> bytes:
    body = encode_body(event)
    limit = limits.CARRIER_BYTES if event.kind in CARRIERS else limits.EVENT_BYTES
    if len(body) > limit:
        raise _too_large(f"event {event.kind} has {len(body)} bytes, at most {limit} fit")
    return body


def _check_sizes(bodies: Mapping[Subject, tuple[bytes, ...]], documents: Mapping[Digest, bytes]) -> None:
    total = sum(map(len, documents.values()))
    for subject, some in bodies.items():
        size = sum(len(body) + 1 for body in some)
        if size > limits.SEGMENT_BYTES or len(some) > limits.SEGMENT_EVENTS:
            raise _too_large(f"{len(some)} events of {size} bytes for {subject.id} are more than one segment holds")
        total += size
    if total > limits.COMMIT_BYTES or len(bodies) + len(documents) > limits.COMMIT_FILES:
        raise _too_large(f"{len(bodies) + len(documents)} files of {total} bytes are more than one commit holds")


def _too_large(message: str) -> Refused:
    return Refused("BATCH_TOO_LARGE", message, way_out="Commit in several batches, or store the bytes as an object and name it.")
