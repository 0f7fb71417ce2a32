"""Every identifier of Seawall: its type, its shape, and the only functions that make one.

Three ways to make an id, and no fourth: `derive` hashes what the thing *is* (so the same thing always has the same id),
`generate` wraps a version-7 UUID that the caller passes in (time and chance are passed in), `attempt_id` names the n-th try.
Every id is `<prefix>-<32 hex>` and fits `[a-z0-9][a-z0-9-]{0,62}`, so it can stand in a URL, a path and a job label.
"""

import re
from typing import Final, NewType
from uuid import UUID

from shared.digests import Json, digest_of

RunId = NewType("RunId", str)
CellId = NewType("CellId", str)
TrialId = NewType("TrialId", str)
AttemptId = NewType("AttemptId", str)
WaveId = NewType("WaveId", str)
ActionId = NewType("ActionId", str)
EventId = NewType("EventId", str)
RequestId = NewType("RequestId", str)
PublicationId = NewType("PublicationId", str)
MetricId = NewType("MetricId", str)
ArtifactId = NewType("ArtifactId", str)

PREFIXES: Final = {
    "run": RunId,
    "cell": CellId,
    "trial": TrialId,
    "att": AttemptId,
    "wave": WaveId,
    "act": ActionId,
    "evt": EventId,
    "req": RequestId,
    "pub": PublicationId,
    "metric": MetricId,
    "art": ArtifactId,
}
_ID: Final = re.compile(r"([a-z]+)-[0-9a-f]{32}")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")


def derive(prefix: str, *parts: Json) -> str:
    """Return the id that `parts` alone determine: 32 hex characters of the digest of [prefix, *parts]."""
    _known(prefix)
    return f"{prefix}-{digest_of([prefix, *parts])[:32]}"


def generate(prefix: str, unique: UUID) -> str:
    """Return an id made of `unique`, a version-7 UUID, so that ids sort by the time they were made."""
    _known(prefix)
    return f"{prefix}-{unique.hex}"


def uuid7(at_ms: int, random_bits: int) -> UUID:
    """Return the version-7 UUID (RFC 9562) of 48 bits of UTC milliseconds and 74 random bits."""
    high, low = random_bits >> 62 & 0xFFF, random_bits & ((1 << 62) - 1)
    return UUID(int=(at_ms & ((1 << 48) - 1)) << 80 | 0x7 << 76 | high << 64 | 0x2 << 62 | low)


def cell_id(run: RunId, cell_digest: str) -> CellId:
    """Return the id of the cell with `cell_digest` inside `run`."""
    return CellId(derive("cell", run, cell_digest))


def trial_id(run: RunId, trial_key: str) -> TrialId:
    """Return the id of the trial that the plan calls `trial_key` inside `run`."""
    return TrialId(derive("trial", run, trial_key))


def attempt_id(trial: TrialId, ordinal: int) -> AttemptId:
    """Return the id of the `ordinal`-th physical try (from 1) at `trial`; two starts of one try share it and so show."""
    if ordinal < 1:
        raise ValueError("attempt ordinals start at 1")
    return AttemptId(derive("att", trial, ordinal))


def wave_id(run: RunId, number: int) -> WaveId:
    """Return the id of the `number`-th wave (from 1) of `run`."""
    return WaveId(derive("wave", run, number))


def action_id(subject: str, verb: str, target: str, generation: int) -> ActionId:
    """Return the id of one decided side effect; `generation` rises only after a recorded end of the one before."""
    return ActionId(derive("act", subject, verb, target, generation))


def private_record_id(run: RunId) -> PublicationId:
    """Return the id under which a catalog records that `run` was kept private; nobody can tell the run from it."""
    return PublicationId(derive("pub", "private", run))


def withdrawal_record_id(publication: str) -> PublicationId:
    """Return the id under which a catalog records that `publication` was withdrawn."""
    return PublicationId(derive("pub", "withdrawn", publication))


def is_id(text: str, prefix: str) -> bool:
    """Tell whether `text` is an id of the kind `prefix`."""
    match = _ID.fullmatch(text)
    return match is not None and match.group(1) == prefix


def is_name(text: str) -> bool:
    """Tell whether `text` may name a thing that people name: `[a-z0-9][a-z0-9-]{0,62}`."""
    return _NAME.fullmatch(text) is not None


def _known(prefix: str) -> None:
    if prefix not in PREFIXES:
        raise ValueError(f"unknown id prefix {prefix!r}; add it to shared/ids.py")
