import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import limits
from runner.domain.control.leases import (
    Fence,
    Lease,
    LeaseMove,
    PointerMove,
    acquire,
    is_fenced_out,
    may_take_over,
    objection_to_move,
    release,
    renew,
)
from shared.errors import Refused

NOW = 1_700_000_000_000
SILENCE_MS = (limits.LEASE_TTL_S + limits.LEASE_GRACE_S) * 1000


def held(generation: int = 3, moved_ms: int = NOW, renewal: int = 2) -> Lease:
    """Return a lease that `a` holds."""
    return Lease("endpoint/x", generation, "a", limits.LEASE_TTL_S, renewal, "test", moved_ms)


def take(lease: Lease | None, now_ms: int, last_generation: int = 0) -> LeaseMove:
    """Return `b`'s move to take the scope."""
    return acquire(lease, "endpoint/x", holder="b", now_ms=now_ms, because="test", last_generation=last_generation)


@given(st.integers(0, 2 * SILENCE_MS))
def test_a_holder_is_taken_over_only_after_its_silence(silence_ms: int) -> None:
    """Longer than ttl + grace by the store's clock, not a millisecond earlier."""
    now_ms = NOW + silence_ms
    assert may_take_over(held(), now_ms) == (silence_ms > SILENCE_MS)
    if silence_ms <= SILENCE_MS:
        with pytest.raises(Refused, match="LEASE_HELD"):
            take(held(), now_ms)
    else:
        assert take(held(), now_ms).after.generation == 4


def test_a_free_lease_is_taken_at_once_with_the_next_generation() -> None:
    """The fencing token never repeats."""
    free = release(held(), because="done").after
    assert (free.holder, free.generation, take(free, NOW).after.generation) == ("", 3, 4)


def test_a_deleted_lease_goes_on_from_the_journals_last_generation() -> None:
    """A holder from before the deletion is fenced out."""
    after = take(None, NOW, last_generation=7).after
    assert (after.generation, is_fenced_out(Fence("endpoint/x", 7), {"endpoint/x": after})) == (8, True)


@given(st.lists(st.sampled_from(["renew", "release", "acquire", "stale"]), max_size=20))
def test_whatever_is_moved_only_one_fence_holds(steps: list[str]) -> None:
    """After any moves at most one generation may write, and generations never fall."""
    leases: dict[str, Lease] = {}
    seen, now_ms = 0, NOW
    for step in steps:
        now_ms += SILENCE_MS + 1
        lease = leases.get("endpoint/x")
        move = {
            "renew": lambda lease=lease: renew(lease) if lease else None,
            "release": lambda lease=lease: release(lease, because="x") if lease else None,
            "acquire": lambda lease=lease, at=now_ms: take(lease, at),
            "stale": lambda lease=lease: LeaseMove(lease.generation - 1, lease.renewal, lease) if lease else None,
        }[step]()
        if move is not None and objection_to_move(move, leases, {}) is None:
            leases["endpoint/x"] = move.after
        newest = leases["endpoint/x"].generation if leases else 0
        assert newest >= seen
        seen = newest
        holding = [one for one in range(seen + 2) if not is_fenced_out(Fence("endpoint/x", one), leases)]
        assert holding in ([], [seen])


@pytest.mark.parametrize(
    "after",
    [
        Lease("endpoint/x", 3, "b", 300, 3, "steal"),
        Lease("endpoint/x", 2, "a", 300, 3, "back"),
        Lease("endpoint/x", 3, "a", 300, 5, "skip"),
        Lease("endpoint/x", 4, "", 300, 0, "nobody"),
    ],
    ids=["another holder in one generation", "an older generation", "a skipped renewal", "a generation without holder"],
)
def test_a_move_that_breaks_the_rules_is_refused(after: Lease) -> None:
    """A store takes only steps that the rules have."""
    assert objection_to_move(LeaseMove(3, 2, after), {"endpoint/x": held()}, {}) is not None


def test_a_pointer_that_does_not_exist_is_expected_at_zero() -> None:
    """Its first move makes generation 1."""
    assert objection_to_move(PointerMove("p", 0, "t", "b"), {}, {}) is None
    assert objection_to_move(PointerMove("p", 1, "t", "b"), {}, {}) is not None
