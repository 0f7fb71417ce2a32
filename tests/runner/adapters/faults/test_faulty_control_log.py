"""Under every fault of a store, a writer that follows the rules lands each batch once and loses none."""

import random
from uuid import UUID

import pytest

from runner.adapters.faults.faulty_control_log import CommitFault, FaultyControlLog, HeadFault
from runner.adapters.local.state.memory_control_log import MemoryControlLog
from runner.ports.state.answers import Never, Unknown
from runner.ports.state.batch import Batch, make_batch
from runner.ports.state.control_log import ControlLog, Head
from runner.usecases.journals.commits import commit_decision
from shared.errors import SeawallError
from tests.builders.clocks import StoppedClock
from tests.builders.journals import RUN, note


class HalfChance:
    """Jitter without chance."""

    def uuid7(self) -> UUID:
        """Return always the same."""
        return UUID(int=7 << 76)

    def fraction(self) -> float:
        """Return a half."""
        return 0.5


def land(log: FaultyControlLog, number: int) -> None:
    """Append one event as every writer does; an outcome that stays unknown, a quota or a torn head is tried again."""

    def decide(head: Head) -> Batch:
        return make_batch({RUN: [note(number)]}, parent=head.version, nonce=str(number))

    for _ in range(40):
        try:
            commit_decision(log, decide, clock=StoppedClock(), chance=HalfChance())
        except SeawallError:
            log.land_late()
        else:
            return
    raise AssertionError("not landed in 40 tries")


def numbers(log: ControlLog) -> list[int]:
    """Return the events that landed, in order."""
    events = [event for segment in log.read(RUN, 0, log.head().version) for event in segment.events]
    return [int(event.event_id[4:], 16) for event in events]


@pytest.mark.parametrize("fault", list(CommitFault))
def test_a_batch_lands_once_under_each_fault(fault: CommitFault) -> None:
    """412, 409, 429, 500 lost, 500 landed and late landing, each in turn before every commit."""
    inner = MemoryControlLog(StoppedClock())
    for number in range(5):
        land(FaultyControlLog(inner, [fault]), number)
    assert numbers(inner) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("seed", range(40))
def test_batches_land_once_under_any_mix_of_faults(seed: int) -> None:
    """Ten events through random faults of commits and heads."""
    chance = random.Random(seed)  # noqa: S311 - a seeded script of faults
    inner = MemoryControlLog(StoppedClock())
    commits = chance.choices(list(CommitFault), k=15)
    log = FaultyControlLog(inner, commits, chance.choices(list(HeadFault), k=15))
    for number in range(10):
        land(log, number)
    assert numbers(inner) == list(range(10))


def test_a_late_batch_lands_on_no_other_parent() -> None:
    """What was under way when the head moved on can never land."""
    inner = MemoryControlLog(StoppedClock())
    log = FaultyControlLog(inner, [CommitFault.LATE])
    parent = log.head().version
    late = make_batch({RUN: [note(1)]}, parent=parent, nonce="late")
    assert isinstance(log.commit(parent, None, late), Unknown)
    inner.commit(parent, None, make_batch({RUN: [note(2)]}, parent=parent, nonce="other"))
    log.land_late()
    assert (numbers(inner), log.resolve(late.key, parent)) == ([2], Never())
