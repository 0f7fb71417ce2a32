"""The state of each trial of a run, in arrays: a million trials take tens of megabytes and are loaded by the part.

A part holds up to 2,000 trials in plan order. A part that the fold has not touched is not in memory: it is blank (every trial
planned) or stored in a savepoint, and its summary says what it counts for. A trial's failures by
category take 5 bits each (31 at most, then they stay 31). Read and written by the rules of this folder.
"""

import json
import math
import struct
import sys
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import batched
from typing import Final

import msgspec

from runner.domain.limits import SAVEPOINT_PART_TRIALS
from shared.digests import Digest, canonical_json
from shared.outcomes import Category
from shared.states import AttemptState, TrialState

TRIAL_STATES: Final = tuple(TrialState)
TRIAL_CODE: Final = {state: code for code, state in enumerate(TRIAL_STATES)}
ATTEMPT_STATES: Final = tuple(AttemptState)
ATTEMPT_CODE: Final = {state: code for code, state in enumerate(ATTEMPT_STATES)}
CATEGORIES: Final = tuple(Category)
CATEGORY_CODE: Final = {category: code for code, category in enumerate(CATEGORIES)}
PART: Final = SAVEPOINT_PART_TRIALS
FIRST_ORDINALS: Final = 16
_COUNT_BITS: Final = 5
_COUNT_MAX: Final = (1 << _COUNT_BITS) - 1
UNREPORTED: Final = -1
MAX_COST_USD_MICROS: Final = 10**15
"""Of one trial, whatever its agent reports."""
_NO_BUNDLE: Final = bytes(32)
_NO_REWARD: Final = float("nan")
_NOT_ENDED: Final = frozenset({AttemptState.RESERVED, AttemptState.STARTED, AttemptState.RELEASED})
_PLANNED: Final = TRIAL_CODE[TrialState.PLANNED]
_WITHOUT_SCORE: Final = bytes(0 if code == TRIAL_CODE[TrialState.SCORED] else 0xFF for code in range(256))


class TrialPart:
    """Up to 2,000 trials, one array per property; index = trial - first trial of the part."""

    __slots__ = (
        *("attempts", "bundle", "category", "cost", "failed", "kept", "later", "next"),
        *("reason", "reward", "selected", "state", "wave"),
    )

    def __init__(self, count: int) -> None:
        """All planned, nothing tried."""
        self.state = bytearray(count)
        self.category = bytearray(count)
        """1 + code of the newest failure's category; 0: none."""
        self.wave = array("I", bytes(4 * count))
        """Number of the open wave that holds the trial; 0: none."""
        self.next = array("H", b"\x01\x00" * count) if sys.byteorder == "little" else array("H", [1]) * count
        """Next ordinal to reserve."""
        self.selected = array("H", bytes(2 * count))
        """Ordinal of the attempt that gave the trial its outcome; 0: none."""
        self.failed = array("Q", bytes(8 * count))
        self.attempts = bytearray(FIRST_ORDINALS * count)
        """Codes of the states of attempts 1 to 16 of each trial, in a row."""
        self.reward = array("d", [_NO_REWARD]) * count
        self.bundle = [b""] * count
        """Of the selected attempt, else of the newest that ended with one."""
        self.kept = array("H", bytes(2 * count))
        """Ordinal of the attempt whose bundle that is; 0: none."""
        self.reason = array("H", bytes(2 * count))
        """1 + place in `Run.reasons` of why the newest failure happened; 0: not known."""
        self.cost = array("q", bytes(8 * count))
        """Micro-USD that the ended attempts reported; UNREPORTED once one of them reported none."""
        self.later: dict[str, int] = {}
        """States of attempts whose ordinal is above 16, by `index:ordinal`."""

    def attempt(self, index: int, ordinal: int) -> int:
        """Return the code of the state of one attempt."""
        if ordinal <= FIRST_ORDINALS:
            return self.attempts[FIRST_ORDINALS * index + ordinal - 1]
        return self.later.get(f"{index}:{ordinal}", 0)

    def set_attempt(self, index: int, ordinal: int, code: int) -> None:
        """Set the code of the state of one attempt."""
        if ordinal <= FIRST_ORDINALS:
            self.attempts[FIRST_ORDINALS * index + ordinal - 1] = code
        else:
            self.later[f"{index}:{ordinal}"] = code

    def add_cost(self, index: int, cost_usd_micros: int | None) -> None:
        """Add what an attempt that ended cost; one that reports no cost leaves the trial's unknown."""
        if cost_usd_micros is None or cost_usd_micros < 0:
            self.cost[index] = UNREPORTED
        elif self.cost[index] != UNREPORTED:
            self.cost[index] = min(self.cost[index] + cost_usd_micros, MAX_COST_USD_MICROS)

    def count_failure(self, index: int, category: int, step: int = 1) -> int:
        """Add `step` to the trial's failures with `category`; return the packed counts."""
        shift = _COUNT_BITS * category
        packed = self.failed[index]
        count = min(max((packed >> shift & _COUNT_MAX) + step, 0), _COUNT_MAX)
        packed = packed & ~(_COUNT_MAX << shift) | count << shift
        self.failed[index] = packed
        return packed


def failures_of(packed: int) -> dict[Category, int]:
    """Return the failures by category that `packed` counts."""
    counts = ((category, packed >> (_COUNT_BITS * code) & _COUNT_MAX) for code, category in enumerate(CATEGORIES))
    return {category: count for category, count in counts if count}


@dataclass(frozen=True, slots=True)
class Trial:
    """What the log says of one trial."""

    index: int
    state: TrialState
    wave: int
    next_ordinal: int
    selected: int
    bundle_sha256: str
    reward: float | None
    category: Category | None
    failures: dict[Category, int]
    attempts: tuple[AttemptState, ...]
    """By ordinal, from 1, up to the newest reserved."""
    kept: int
    """Ordinal of the attempt that `bundle_sha256` is of; 0: none."""
    reason: int
    """1 + place in `Run.reasons` of why the newest failure happened; 0: not known."""
    cost_usd_micros: int | None
    """Of all tries together; None unless every one that ended reported its cost."""


class PartSummary(msgspec.Struct, frozen=True, gc=False):
    """What a part that is not loaded counts for."""

    counts: tuple[int, ...]
    """Trials by state, in the order of TRIAL_STATES."""
    unassigned: tuple[int, ...]
    """The same of those that no open wave holds."""
    digest: str = ""
    """Of its stored bytes; empty: blank."""
    failures: tuple[int, ...] = ()
    """Trials without a score by the category of their newest failure, in the order of CATEGORIES; empty: none."""


class Trials:
    """All trials of a run, part by part."""

    def __init__(
        self, count: int, summaries: list[PartSummary] | None = None, load: Callable[[Digest], bytes] | None = None
    ) -> None:
        """`load` returns the stored bytes of a part that `summaries` names."""
        self.count: Final = count
        sizes = [min(PART, count - first) for first in range(0, count, PART)]
        self.sizes: Final = sizes
        self.parts: Final[list[TrialPart | None]] = [None] * len(sizes)
        self.summaries: Final = summaries if summaries is not None else [_blank(size) for size in sizes]
        self._load: Final = load

    def part(self, number: int) -> TrialPart:
        """Return the `number`-th part (from 0), loading it if need be."""
        part = self.parts[number]
        if part is None:
            digest = self.summaries[number].digest
            if digest:
                assert self._load is not None
                part = decode_part(self._load(Digest(digest)), self.sizes[number])
            else:
                part = TrialPart(self.sizes[number])
            self.parts[number] = part
        return part

    def trial(self, index: int) -> Trial:
        """Return what the log says of the trial with plan index `index`."""
        if not 0 <= index < self.count:
            raise IndexError(f"the plan has trials 0 to {self.count - 1}")
        part, at = self.part(index // PART), index % PART
        reward, category = part.reward[at], part.category[at]
        attempts = tuple(ATTEMPT_STATES[part.attempt(at, ordinal)] for ordinal in range(1, part.next[at]))
        return Trial(
            index=index,
            state=TRIAL_STATES[part.state[at]],
            wave=part.wave[at],
            next_ordinal=part.next[at],
            selected=part.selected[at],
            bundle_sha256=part.bundle[at].hex(),
            reward=None if math.isnan(reward) else reward,
            category=CATEGORIES[category - 1] if category else None,
            failures=failures_of(part.failed[at]),
            attempts=attempts,
            kept=part.kept[at],
            reason=part.reason[at],
            cost_usd_micros=_cost(part.cost[at], attempts),
        )

    def counts(self) -> dict[TrialState, int]:
        """Return how many trials are in each state."""
        totals = [0] * len(TRIAL_STATES)
        for number in range(len(self.parts)):
            for code, count in enumerate(self.summary(number).counts):
                totals[code] += count
        return {state: totals[code] for code, state in enumerate(TRIAL_STATES)}

    def failures(self) -> dict[Category, int]:
        """Return, by category, how many trials without a score failed last with it."""
        totals = [0] * len(CATEGORIES)
        for number in range(len(self.parts)):
            for code, count in enumerate(self.summary(number).failures):
                totals[code] += count
        return {category: totals[code] for code, category in enumerate(CATEGORIES) if totals[code]}

    def summary(self, number: int) -> PartSummary:
        """Return what the `number`-th part counts for, without loading it."""
        part = self.parts[number]
        return self.summaries[number] if part is None else summarise(part)

    def states_of(self, first: int, count: int) -> Iterator[bytes]:
        """Yield the state codes of `count` trials from `first` on, in pieces."""
        end = first + count
        while first < end:
            number, at = divmod(first, PART)
            piece = min(PART - at, end - first)
            yield bytes(self.part(number).state[at : at + piece])
            first += piece

    def unassigned(self, states: frozenset[TrialState]) -> Iterator[int]:
        """Yield, in plan order, the trials in one of `states` that no open wave holds."""
        codes = {TRIAL_CODE[state] for state in states}
        for number in range(len(self.parts)):
            if not any(self.summary(number).unassigned[code] for code in codes):
                continue
            part = self.part(number)
            for at, (code, wave) in enumerate(zip(part.state, part.wave, strict=True)):
                if code in codes and not wave:
                    yield number * PART + at


def summarise(part: TrialPart, digest: str = "") -> PartSummary:
    """Return what `part` counts for."""
    held = bytearray(len(part.state))
    codes = range(len(TRIAL_STATES))
    if any(part.wave):
        held = bytearray(0xFF if wave else code for code, wave in zip(part.state, part.wave, strict=True))
        unassigned = tuple(held.count(code) for code in codes)
    else:
        unassigned = tuple(part.state.count(code) for code in codes)
    return PartSummary(tuple(part.state.count(code) for code in codes), unassigned, digest, _failures(part))


def _failures(part: TrialPart) -> tuple[int, ...]:
    if not any(part.category):
        return ()
    mask = int.from_bytes(part.state.translate(_WITHOUT_SCORE)) & int.from_bytes(part.category)
    failed = mask.to_bytes(len(part.category))
    return tuple(failed.count(code + 1) for code in range(len(CATEGORIES)))


def encode_part(part: TrialPart) -> bytes:
    """Return the bytes of `part`: each array little-endian, then the rare later attempts as JSON."""
    whole = [_little(values) for values in (part.wave, part.next, part.selected, part.failed, part.kept, part.reason, part.cost)]
    bundles = b"".join(bundle or _NO_BUNDLE for bundle in part.bundle)
    pieces: list[bytes | bytearray] = [part.state, part.category, part.attempts, bundles, *whole, _little(part.reward)]
    return struct.pack("<I", len(part.state)) + b"".join(pieces) + canonical_json(part.later)


def decode_part(data: bytes, count: int) -> TrialPart:
    """Return the part that `encode_part` wrote; raise ValueError if it does not hold `count` trials."""
    part = TrialPart(count)
    if struct.unpack_from("<I", data)[0] != count:
        raise ValueError(f"expected a part of {count} trials")
    view, at = memoryview(data), 4
    bundles = bytearray(32 * count)
    for flat in (part.state, part.category, part.attempts, bundles):
        flat[:] = view[at : at + len(flat)]
        at += len(flat)
    part.bundle = [b"" if one == _NO_BUNDLE else one for one in map(bytes, batched(bundles, 32))]
    for values in (part.wave, part.next, part.selected, part.failed, part.kept, part.reason, part.cost, part.reward):
        size = values.itemsize * count
        del values[:]
        values.frombytes(view[at : at + size])
        if sys.byteorder == "big":
            values.byteswap()
        at += size
    part.later = json.loads(bytes(view[at:]))
    return part


def _cost(micros: int, attempts: tuple[AttemptState, ...]) -> int | None:
    ended = [state for state in attempts if state not in _NOT_ENDED]
    is_whole = micros != UNREPORTED and AttemptState.LOST not in ended
    return micros if ended and is_whole else None


def _little[N: (int, float)](values: "array[N]") -> bytes:
    if sys.byteorder == "big":
        values = values[:]
        values.byteswap()
    return values.tobytes()


def _blank(size: int) -> PartSummary:
    counts = tuple(size if code == _PLANNED else 0 for code in range(len(TRIAL_STATES)))
    return PartSummary(counts, counts)
