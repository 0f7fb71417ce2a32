"""Pointers and leases: the only mutable things, moved by compare-and-swap.

A pointer's generation rises by exactly 1 with each move. A lease is a pointer with a holder and a time to live: its generation
is the fencing token and rises with each change of holder; a renewal keeps the generation and raises `renewal`. A lease is
taken over by observation alone: the store's now, minus the store's time of the lease's last move, exceeds ttl + grace. Both
times come from one clock, the store's, so no skew of ours can end a living holder. Called by the pass, workers and adapters.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from runner.domain import limits
from shared.digests import Digest, Json, digest_of
from shared.errors import Refused

FREE: Final = ""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A named mutable reference to a digest (or any short text)."""

    name: str
    generation: int
    target: str
    because: str
    moved_ms: int = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """Time-bounded exclusive ownership of `scope`; `holder` is empty while nobody owns it."""

    scope: str
    generation: int
    holder: str
    ttl_s: int
    renewal: int
    because: str
    moved_ms: int = 0

    @property
    def is_held(self) -> bool:
        """Tell whether somebody owns the scope (alive or not)."""
        return self.holder != FREE


@dataclass(frozen=True, slots=True)
class Fence:
    """The claim that `scope` is held under `generation`; a commit with a fence is refused unless that is so at its parent."""

    scope: str
    generation: int


@dataclass(frozen=True, slots=True)
class PointerMove:
    """Set pointer `name` to `target`, if its generation is still `expected` (0: it does not exist yet)."""

    name: str
    expected: int
    target: str
    because: str


@dataclass(frozen=True, slots=True)
class LeaseMove:
    """Replace the lease of `after.scope`, if generation and renewal are still the expected ones (0, 0: it is not stored)."""

    expected_generation: int
    expected_renewal: int
    after: Lease


type Move = PointerMove | LeaseMove


def acquire(lease: Lease | None, scope: str, *, holder: str, now_ms: int, because: str, last_generation: int = 0) -> LeaseMove:
    """Return the move that gives `scope` to `holder`; raise LEASE_HELD while another holder may be alive.

    `last_generation` is the newest generation that the journals name: a lease whose record was deleted goes on from there,
    so a holder from before the deletion is fenced out.
    """
    if lease is not None and lease.is_held and not may_take_over(lease, now_ms):
        raise Refused(
            "LEASE_HELD",
            f"{scope} is held by {lease.holder} under generation {lease.generation}",
            way_out="Wait for its release, or for ttl + grace without a renewal.",
        )
    generation = max(lease.generation if lease else 0, last_generation) + 1
    after = Lease(scope, generation, holder, limits.LEASE_TTL_S, 0, because)
    return _move(lease, after)


def renew(lease: Lease, *, because: str = "renewal") -> LeaseMove:
    """Return the move by which the holder shows that it is alive."""
    return _move(lease, replace(lease, renewal=lease.renewal + 1, because=because))


def release(lease: Lease, *, because: str) -> LeaseMove:
    """Return the move that gives the scope back; its generation stays, so the next holder gets the next one."""
    return _move(lease, replace(lease, holder=FREE, renewal=lease.renewal + 1, because=because))


def may_take_over(lease: Lease, now_ms: int) -> bool:
    """Tell whether the holder has been silent for longer than ttl + grace, by the store's clock alone."""
    return now_ms - lease.moved_ms > (lease.ttl_s + limits.LEASE_GRACE_S) * 1000


def is_fenced_out(fence: Fence, leases: Mapping[str, Lease]) -> bool:
    """Tell whether `fence` no longer (or never) holds among `leases`."""
    lease = leases.get(fence.scope)
    return lease is None or not lease.is_held or lease.generation != fence.generation


def objection_to_move(move: Move, leases: Mapping[str, Lease], pointers: Mapping[str, Pointer]) -> str | None:
    """Return why `move` does not fit what is stored, or None; every adapter asks this at the parent."""
    if isinstance(move, PointerMove):
        pointer = pointers.get(move.name)
        stored = pointer.generation if pointer else 0
        return None if stored == move.expected else f"pointer {move.name} has generation {stored}, not {move.expected}"
    lease = leases.get(move.after.scope)
    found = (lease.generation, lease.renewal) if lease else (0, 0)
    if found != (move.expected_generation, move.expected_renewal):
        return f"lease {move.after.scope} has generation and renewal {found}"
    return _objection_to_step(lease, move.after)


def digest_of_move(move: Move) -> Digest:
    """Return the digest that stands for `move` in a batch's key."""
    if isinstance(move, PointerMove):
        return digest_of(["pointer", move.name, move.expected, move.target, move.because])
    after = move.after
    fields: list[Json] = [after.scope, after.generation, after.holder, after.ttl_s, after.renewal, after.because]
    return digest_of(["lease", move.expected_generation, move.expected_renewal, fields])


def _move(lease: Lease | None, after: Lease) -> LeaseMove:
    return LeaseMove(lease.generation if lease else 0, lease.renewal if lease else 0, after)


def _objection_to_step(before: Lease | None, after: Lease) -> str | None:
    """A change of holder raises the generation; renewal and release keep it and raise the renewal by 1."""
    if before is None:
        return None if after.generation >= 1 and after.renewal == 0 else "a new lease starts at renewal 0"
    if after.generation > before.generation:
        return None if after.renewal == 0 and after.is_held else "a new generation has a holder and starts at renewal 0"
    is_same_term = after.generation == before.generation and after.renewal == before.renewal + 1
    if is_same_term and after.holder in {before.holder, FREE}:
        return None
    return "a lease keeps its holder within one generation"
