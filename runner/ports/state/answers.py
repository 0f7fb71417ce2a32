"""What a state store answers to a write: a value for each case, so that ambiguity is never an exception.

    Applied    it is there, durably          Busy       nothing happened; the same call again after `after_s`
    Conflict   somebody else was first       Throttled  nothing happened; nothing new before `until_ms` (store time)
    Full       no room for more requests     Unknown    it may have happened: read before anything else
    Never      it did not and will not happen (the answer to `resolve` alone)

Refusals that no second try could change are raised instead, as errors of shared/errors.py: FENCED, EVENT_ID_REUSED,
BATCH_TOO_LARGE, STORE_FULL, STORE_UNSUPPORTED. Answered by every adapter of `runner.ports.state`.
"""

from dataclasses import dataclass
from typing import NewType

Version = NewType("Version", str)


@dataclass(frozen=True, slots=True)
class Applied:
    """The write is durable; `version` names the state that has it (empty for an inbox)."""

    version: Version


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody else was first: re-read and decide again. `version` is the newest state the store told of, if it did."""

    version: Version
    because: str = ""


@dataclass(frozen=True, slots=True)
class Busy:
    """The store had no time; nothing was written and the head did not move."""

    after_s: float


@dataclass(frozen=True, slots=True)
class Throttled:
    """A quota is used up; nothing was written and nothing new may be tried before `until_ms` of store time."""

    until_ms: int


@dataclass(frozen=True, slots=True)
class Full:
    """As many requests wait as may; nothing was written."""

    waiting: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """The answer was lost: the write may have landed, and may still land for `limits.LATE_MAX_S`."""

    because: str = ""


@dataclass(frozen=True, slots=True)
class Never:
    """The head moved on without the write, so it can never land."""


type CommitAnswer = Applied | Conflict | Busy | Throttled | Unknown
type ResolveAnswer = Applied | Never | Unknown
type PutAnswer = Applied | Conflict | Full | Busy | Throttled | Unknown
type RemoveAnswer = Applied | Busy | Throttled | Unknown
