"""What every control log promises, whichever adapter keeps it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.adapters.faults.faulty_control_log import FaultyControlLog
from runner.adapters.local.state.memory_control_log import MemoryControlLog
from runner.adapters.local.state.sqlite_control_log import SqliteControlLog
from runner.domain.control.envelope import Event, Subject
from runner.domain.control.leases import Fence, PointerMove, acquire, release, renew
from runner.ports.state.answers import Applied, Conflict, Never, Unknown, Version
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.control_log import ControlLog
from shared.digests import sha256
from shared.errors import Refused, StoreFault
from tests.builders.clocks import StoppedClock
from tests.builders.journals import RUN, note

OTHER = Subject("run", "run-2")


@pytest.fixture
def clock() -> StoppedClock:
    """Return the store's clock."""
    return StoppedClock()


@pytest.fixture(params=["memory", "sqlite", "faults"])
def log(request: pytest.FixtureRequest, tmp_path: Path, clock: StoppedClock) -> Iterator[ControlLog]:
    """Return an empty log of each kind; the wrapper with an empty script keeps every promise of what it wraps."""
    if request.param == "memory":
        yield MemoryControlLog(clock)
        return
    file = SqliteControlLog(tmp_path / "control.sqlite", clock)
    yield file if request.param == "sqlite" else FaultyControlLog(file)
    file.close()


def batch_of(log: ControlLog, *events: Event, subject: Subject = RUN, nonce: str = "n") -> Batch:
    """Return a batch of `events` on the head."""
    return make_batch({subject: events}, parent=log.head().version, nonce=nonce)


def append(log: ControlLog, *events: Event, subject: Subject = RUN) -> Version:
    """Append `events` and return the new version."""
    head = log.head()
    answer = log.commit(head.version, None, batch_of(log, *events, subject=subject))
    assert isinstance(answer, Applied)
    return answer.version


def read_ids(log: ControlLog, subject: Subject = RUN, after: int = 0, at: Version | None = None) -> list[tuple[int, str]]:
    """Return seq and id of each event read."""
    segments = log.read(subject, after, at or log.head().version)
    return [(event.seq, event.event_id) for segment in segments for event in segment.events]


def test_an_empty_log_has_a_head(log: ControlLog) -> None:
    """Empty is a state: a version to commit on, and nothing open."""
    head = log.head()
    assert (head.serial, head.open, head.leases, head.pointers, head.recent) == (0, {}, {}, {}, ())
    assert list(log.read(RUN, 0, head.version)) == []


def test_appended_events_are_numbered_densely(log: ControlLog) -> None:
    """Each journal counts from 1, whatever else is committed."""
    append(log, note(1), note(2))
    append(log, note(3), subject=OTHER)
    append(log, note(4))
    assert [seq for seq, _ in read_ids(log)] == [1, 2, 3]
    assert [seq for seq, _ in read_ids(log, OTHER)] == [1]
    assert log.head().open[RUN].seq == 3


def test_a_stale_parent_is_a_conflict_and_writes_nothing(log: ControlLog) -> None:
    """Of two writers on one version, the second must decide again."""
    parent = log.head().version
    first = make_batch({RUN: [note(1)]}, parent=parent, nonce="a")
    second = make_batch({OTHER: [note(2)]}, parent=parent, nonce="b")
    assert isinstance(log.commit(parent, None, first), Applied)
    assert isinstance(log.commit(parent, None, second), Conflict)
    assert OTHER not in log.head().open


def test_a_batch_without_effect_on_a_stale_parent_is_refused(log: ControlLog) -> None:
    """Even a batch that has nothing to say learns that the log moved on."""
    parent = log.head().version
    append(log, note(1))
    assert isinstance(log.commit(parent, None, make_batch({}, parent=parent, nonce="n")), Conflict)


def test_a_batch_without_effect_moves_no_head(log: ControlLog) -> None:
    """Nothing to say is no commit."""
    parent = log.head().version
    assert log.commit(parent, None, make_batch({}, parent=parent, nonce="n")) == Applied(parent)
    assert log.head().version == parent


def test_one_event_appended_twice_is_one_event(log: ControlLog) -> None:
    """The same id with the same bytes has no second effect, and what came with it is appended."""
    append(log, note(1))
    append(log, note(1), note(2))
    assert [seq for seq, _ in read_ids(log)] == [1, 2]


def test_one_event_twice_in_a_batch_is_one_event(log: ControlLog) -> None:
    """A batch may repeat itself."""
    append(log, note(1), note(1))
    assert len(read_ids(log)) == 1


@pytest.mark.parametrize("subject", [RUN, OTHER])
def test_an_event_id_stands_for_one_event(log: ControlLog, subject: Subject) -> None:
    """An id with other bytes, or in another journal, is refused and nothing of its batch is written."""
    append(log, note(1))
    again = note(1, "other words") if subject == RUN else note(1)
    with pytest.raises(Refused, match="EVENT_ID_REUSED"):
        append(log, note(2), again, subject=subject)
    assert len(read_ids(log)) == 1
    assert OTHER not in log.head().open


def test_two_events_of_one_id_in_a_batch_are_refused(log: ControlLog) -> None:
    """A batch that contradicts itself is refused."""
    with pytest.raises(Refused, match="EVENT_ID_REUSED"):
        append(log, note(1), note(1, "other words"))


def test_a_version_is_read_as_it_was(log: ControlLog) -> None:
    """A pinned version shows nothing that came later."""
    first = append(log, note(1))
    append(log, note(2))
    assert [seq for seq, _ in read_ids(log, at=first)] == [1]


def test_reading_goes_on_after_a_seq(log: ControlLog) -> None:
    """A reader that has folded up to a segment's end gets the next ones only; inside a segment it gets that whole segment."""
    append(log, note(1), note(2))
    append(log, note(3), note(4))
    assert [seq for seq, _ in read_ids(log, after=2)] == [3, 4]
    assert [seq for seq, _ in read_ids(log, after=3)] == [3, 4]
    assert read_ids(log, after=4) == []


def test_a_version_that_never_was_is_unknown(log: ControlLog) -> None:
    """A version of another history is refused, not read as empty."""
    with pytest.raises(StoreFault, match="VERSION_UNKNOWN"):
        read_ids(log, at=Version("7-abc"))


def test_the_same_batch_again_lands_once(log: ControlLog) -> None:
    """A resent batch is recognised by its key."""
    parent = log.head().version
    batch = batch_of(log, note(1))
    first = log.commit(parent, None, batch)
    assert log.commit(parent, None, batch) == first
    assert len(read_ids(log)) == 1


def test_resolving_tells_what_became_of_a_batch(log: ControlLog) -> None:
    """Landed: Applied with its version. The head moved without it: Never. Else unknown."""
    parent = log.head().version
    batch, other = batch_of(log, note(1)), batch_of(log, note(2), nonce="other")
    assert isinstance(log.resolve(batch.key, parent), Unknown)
    answer = log.commit(parent, None, batch)
    assert log.resolve(batch.key, parent) == answer
    assert log.resolve(other.key, parent) == Never()


def test_documents_are_kept_under_their_digest(log: ControlLog) -> None:
    """A document comes with the commit that names it."""
    parent = log.head().version
    log.commit(parent, None, make_batch({}, parent=parent, nonce="n", documents=[b"lock"]))
    assert log.document(sha256(b"lock")) == b"lock"
    assert log.document(sha256(b"other")) is None


def test_a_closed_subject_leaves_the_head_and_stays_readable(log: ControlLog) -> None:
    """Late evidence may still be linked to it; that does not open it again."""
    append(log, note(1))
    parent = log.head().version
    log.commit(parent, None, make_batch({RUN: [note(2)]}, parent=parent, nonce="n", closes=[RUN]))
    assert RUN not in log.head().open
    append(log, note(3))
    assert (RUN in log.head().open, len(read_ids(log))) == (False, 3)


def test_every_journal_is_named_whether_open_or_closed(log: ControlLog) -> None:
    """And nothing that has none."""
    assert log.subjects() == frozenset()
    append(log, note(1))
    append(log, note(2), subject=OTHER)
    parent = log.head().version
    log.commit(parent, None, make_batch({}, parent=parent, nonce="n", closes=[RUN]))
    assert log.subjects() == {RUN, OTHER}


def test_a_closed_subject_can_be_opened_again(log: ControlLog) -> None:
    """Something more is to be done for it; what it had said stands."""
    append(log, note(1))
    for nonce, marks in (("a", {"closes": [RUN]}), ("b", {"opens": [RUN]})):
        parent = log.head().version
        log.commit(parent, None, make_batch({}, parent=parent, nonce=nonce, **marks))  # type: ignore[arg-type]
        assert (RUN in log.head().open) is (nonce == "b")
    assert log.head().open[RUN].seq == 1


def test_a_pointer_moves_by_one_from_where_it_was(log: ControlLog) -> None:
    """Its generation rises by exactly 1; a stale expectation is a conflict."""
    for expected, target in ((0, "a"), (1, "b")):
        parent = log.head().version
        move = PointerMove("channel/stable", expected, target, "test")
        assert isinstance(log.commit(parent, None, make_batch({}, parent=parent, nonce=target, moves=[move])), Applied)
    assert (log.head().pointers["channel/stable"].generation, log.head().pointers["channel/stable"].target) == (2, "b")
    parent = log.head().version
    stale = make_batch({RUN: [note(1)]}, parent=parent, nonce="c", moves=[PointerMove("channel/stable", 1, "c", "test")])
    assert isinstance(log.commit(parent, None, stale), Conflict)
    assert RUN not in log.head().open


def test_a_fenced_commit_needs_the_lease_at_its_parent(log: ControlLog, clock: StoppedClock) -> None:
    """A holder that was replaced, or never held, writes nothing."""
    head = log.head()
    move = acquire(None, "reconciler/0", holder="a", now_ms=head.now_ms, because="test")
    log.commit(head.version, None, make_batch({}, parent=head.version, nonce="1", moves=[move]))
    head = log.head()
    fenced = make_batch({RUN: [note(1)]}, parent=head.version, nonce="2")
    assert isinstance(log.commit(head.version, Fence("reconciler/0", 1), fenced), Applied)
    clock.at_ms += 361_000
    head = log.head()
    taken = acquire(head.leases["reconciler/0"], "reconciler/0", holder="b", now_ms=head.now_ms, because="silent")
    log.commit(head.version, None, make_batch({}, parent=head.version, nonce="3", moves=[taken]))
    head = log.head()
    late = make_batch({RUN: [note(2)]}, parent=head.version, nonce="4")
    with pytest.raises(Refused, match="FENCED"):
        log.commit(head.version, Fence("reconciler/0", 1), late)
    assert len(read_ids(log)) == 1


def test_a_released_lease_fences_its_old_holder(log: ControlLog) -> None:
    """After the release nobody holds it, under any generation."""
    head = log.head()
    move = acquire(None, "endpoint/x", holder="a", now_ms=head.now_ms, because="test")
    log.commit(head.version, None, make_batch({}, parent=head.version, nonce="1", moves=[move]))
    head = log.head()
    given_back = release(head.leases["endpoint/x"], because="cleaned")
    log.commit(head.version, None, make_batch({}, parent=head.version, nonce="2", moves=[given_back]))
    head = log.head()
    with pytest.raises(Refused, match="FENCED"):
        log.commit(head.version, Fence("endpoint/x", 1), make_batch({RUN: [note(1)]}, parent=head.version, nonce="3"))


def test_a_renewal_is_stamped_with_the_stores_time(log: ControlLog, clock: StoppedClock) -> None:
    """Expiry is judged by the store's clock alone."""
    head = log.head()
    move = acquire(None, "endpoint/x", holder="a", now_ms=head.now_ms, because="test")
    log.commit(head.version, None, make_batch({}, parent=head.version, nonce="1", moves=[move]))
    clock.at_ms += 200_000
    head = log.head()
    log.commit(head.version, None, make_batch({}, parent=head.version, nonce="2", moves=[renew(head.leases["endpoint/x"])]))
    lease = log.head().leases["endpoint/x"]
    assert (lease.generation, lease.renewal, lease.moved_ms) == (1, 1, clock.at_ms)


def test_the_stores_clock_never_goes_back(log: ControlLog, clock: StoppedClock) -> None:
    """A machine whose clock steps back ends no lease early and extends none."""
    append(log, note(1))
    clock.at_ms -= 600_000
    assert log.head().now_ms == clock.at_ms + 600_000


def test_the_stores_clock_goes_on_slowly_until_the_machines_has_caught_up(log: ControlLog, clock: StoppedClock) -> None:
    """After a jump ahead that was taken back everything that waits for a time still comes: late, and never early."""
    start_ms = clock.at_ms
    clock.at_ms += 600_000
    append(log, note(1))
    clock.at_ms -= 600_000
    assert log.head().now_ms == start_ms + 600_000
    leads: list[int] = []
    for _ in range(5):
        clock.sleep(300)
        append(log, note(len(leads) + 2))
        leads.append(log.head().now_ms - clock.at_ms)
    assert leads == [450_000, 300_000, 150_000, 0, 0]
    assert log.head().now_ms == start_ms + 1_500_000


def test_recent_commits_are_told_with_their_class(log: ControlLog) -> None:
    """The commit budget is read from the head."""
    parent = log.head().version
    batch = make_batch({RUN: [note(1)]}, parent=parent, nonce="n", commit_class="claim")
    log.commit(parent, None, batch)
    assert [(recent.key, recent.commit_class) for recent in log.head().recent] == [(batch.key, "claim")]
