"""Progress facts: what a worker says of its attempts, one array per fact, sealed by digest in the journal.

A worker writes one progress segment per heartbeat, even an empty one, so the segment is its heartbeat too: a first line that
names the owner, then one line per fact. The pass checks the owner, the claim and each bundle, and seals the segment's digest
in the journal, where the facts stand too. Written by workers, read by the pass and the fold.
"""

from collections.abc import Sequence
from typing import Final, Literal

import msgspec

from shared.errors import BadInput

STARTED: Final = "started"
ENDED: Final = "ended"
DAMAGED: Final = "Restore the evidence folder from a copy; the run goes on from there."


class Fact(msgspec.Struct, frozen=True, gc=False, array_like=True, omit_defaults=True):
    """One step of one attempt: it started, or it ended and its bundle is sealed."""

    trial: int
    """Plan index of the trial, from 0."""
    ordinal: int
    """Which try it is, from 1."""
    event: Literal["started", "ended"]
    at: str
    """The worker's clock; evidence only, it moves no state."""
    end: Literal["", "succeeded", "failed", "cancelled"] = ""
    bundle_sha256: str = ""
    """Digest of the sealed bundle's manifest; needed for an attempt that succeeded."""
    reward: float | None = None
    """What the verifier wrote, for status pages; the score is computed from the bundle."""
    category: str = ""
    """Why a failed attempt failed (shared/outcomes.py)."""
    reason: str = ""
    """A finer word inside the category, such as `session_missing`."""
    detail: str = ""
    """What a person must mend, where the category says that one is needed; made of names alone."""
    phase: str = ""
    """The part of a failed attempt that began last (shared/outcomes.py)."""
    exception: str = ""
    """Type of the exception that ended a failed attempt, at most 64 characters."""
    cost_usd_micros: int | None = None
    """What the model's use cost, where the agent reported it."""


class SegmentHead(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The first line of a progress segment: who wrote it, under which claim, which one it is."""

    wave_id: str
    action_id: str
    """The claimed action whose worker writes; another owner's segment is not sealed."""
    job: str
    k: int
    """Number of the segment inside its wave, dense from 1."""
    at: str
    running: int = 0
    """Attempts under way at that time."""


_encode = msgspec.json.Encoder().encode
_head = msgspec.json.Decoder(SegmentHead)
_facts = msgspec.json.Decoder(Fact)


def encode_segment(head: SegmentHead, facts: Sequence[Fact]) -> bytes:
    """Return the bytes of a progress segment."""
    return b"".join(_encode(line) + b"\n" for line in (head, *facts))


def decode_segment(data: bytes) -> tuple[SegmentHead, tuple[Fact, ...]]:
    """Return the head and the facts of a progress segment; raise PROGRESS_MALFORMED for anything else."""
    first, _, rest = data.partition(b"\n")
    try:
        return _head.decode(first), tuple(_facts.decode_lines(rest))
    except msgspec.MsgspecError as error:
        raise BadInput("PROGRESS_MALFORMED", f"a progress segment cannot be read: {error}", way_out=DAMAGED) from error
