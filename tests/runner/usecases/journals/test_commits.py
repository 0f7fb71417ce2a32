"""Committing a decision: decided anew on every new head, and never twice."""

import pytest

from runner.adapters.faults.faulty_control_log import CommitFault, FaultyControlLog
from runner.adapters.local.state.memory_control_log import MemoryControlLog
from runner.ports.state.answers import ResolveAnswer, Version
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.control_log import Head
from runner.usecases.journals.commits import commit_decision
from shared.digests import Digest
from shared.errors import SeawallError
from tests.builders.chances import CountedChance
from tests.builders.clocks import StoppedClock
from tests.builders.journals import RUN, note


def commit(*faults: CommitFault) -> tuple[MemoryControlLog, list[str], StoppedClock]:
    """Commit one event through a log that fails as given; return the log, the versions decided on, and the clock."""
    clock, decided = StoppedClock(), []
    inner = MemoryControlLog(clock)

    def decide(head: Head) -> Batch | None:
        decided.append(str(head.version))
        seen = [event for segment in inner.read(RUN, 0, head.version) for event in segment.events]
        return None if seen else make_batch({RUN: [note(1)]}, parent=head.version, nonce="n")

    commit_decision(FaultyControlLog(inner, faults), decide, clock=clock, chance=CountedChance())
    return inner, decided, clock


def events_of(log: MemoryControlLog) -> int:
    """Return how many events the log has."""
    return sum(len(segment.events) for segment in log.read(RUN, 0, log.head().version))


@pytest.mark.parametrize(
    "faults",
    [
        [],
        [CommitFault.LOST],
        [CommitFault.LANDED],
        [CommitFault.LATE],
        [CommitFault.CONFLICT] * 7,
        [CommitFault.BUSY] * 6,
        [CommitFault.LOST, CommitFault.LANDED],
        [CommitFault.CONFLICT, CommitFault.BUSY, CommitFault.LOST, CommitFault.LATE],
    ],
)
def test_whatever_the_answers_the_event_is_in_the_log_once(faults: list[CommitFault]) -> None:
    """Resolved by reading, sent again under the same key, or decided anew."""
    log, _, _ = commit(*faults)
    assert events_of(log) == 1


@pytest.mark.parametrize(
    ("faults", "code"),
    [
        ([CommitFault.CONFLICT] * 8, "CONTROL_CONTENDED"),
        ([CommitFault.BUSY] * 7, "CONTROL_CONTENDED"),
        ([CommitFault.THROTTLED], "CONTROL_THROTTLED"),
        ([CommitFault.LOST] * 4, "CONTROL_UNKNOWN"),
    ],
)
def test_it_gives_up_after_its_tries(faults: list[CommitFault], code: str) -> None:
    """With a code that says whether anything may have happened."""
    with pytest.raises(SeawallError) as caught:
        commit(*faults)
    assert caught.value.code == code


class Overtaken(FaultyControlLog):
    """A log in which somebody else commits while a lost answer is resolved."""

    def resolve(self, key: Digest, parent: Version) -> ResolveAnswer:
        """Move the head first, once."""
        head = self._inner.head()
        if head.version == parent:
            self._inner.commit(parent, None, make_batch({RUN: [note(2)]}, parent=parent, nonce="other"))
        return super().resolve(key, parent)


def test_a_lost_commit_that_was_overtaken_is_decided_anew() -> None:
    """It can never land; what is decided next has seen the other's event."""
    clock = StoppedClock()
    inner = MemoryControlLog(clock)
    log = Overtaken(inner, [CommitFault.LOST])

    def decide(head: Head) -> Batch:
        return make_batch({RUN: [note(1)]}, parent=head.version, nonce="n")

    version = commit_decision(log, decide, clock=clock, chance=CountedChance())
    assert version == inner.head().version
    found = [event.event_id for segment in inner.read(RUN, 0, inner.head().version) for event in segment.events]
    assert found == [note(2).event_id, note(1).event_id]


def test_a_conflict_is_waited_out_longer_each_time() -> None:
    """Two writers that collide do not collide for ever."""
    _, decided, clock = commit(*[CommitFault.CONFLICT] * 7)
    waited_s = (clock.at_ms - StoppedClock().at_ms) / 1000
    assert (len(decided), waited_s) == (8, 0.5 * sum(min(8.0, 0.25 * 2**tries) for tries in range(7)))


def test_nothing_to_say_is_no_commit() -> None:
    """The head stays where it is."""
    log = MemoryControlLog(StoppedClock())
    before = log.head().version
    assert commit_decision(log, lambda _head: None, clock=StoppedClock(), chance=CountedChance()) is None
    assert log.head().version == before
