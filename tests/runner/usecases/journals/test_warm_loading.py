"""Loading a run from its savepoint: the same bytes as a cold fold, and never from a savepoint of another journal."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from runner.adapters.local.state.memory_control_log import MemoryControlLog
from runner.adapters.local.state.memory_status import MemorySavepoints
from runner.domain import limits
from runner.domain.control.account import Account
from runner.domain.control.chain import Segment
from runner.domain.control.envelope import Subject
from runner.domain.control.installation import (
    INSTALLATION,
    REDUCER,
    Installation,
    fold_installation,
    make_installation_savepoint,
    restore_installation,
)
from runner.domain.control.projection.savepoints import projection_bytes
from runner.ports.state.answers import Version
from runner.ports.state.batch import make_batch
from runner.usecases.journals.loading import FollowedRun, load_run
from runner.usecases.journals.warm_loading import load_installation, load_warm
from tests.builders.clocks import StoppedClock
from tests.builders.journals import RUN, note


class WatchedLog(MemoryControlLog):
    """A log that remembers from which seq on it was read."""

    def __init__(self) -> None:
        super().__init__(StoppedClock())
        self.after: list[int] = []

    def read(self, subject: Subject, after: int, at: Version) -> Iterator[Segment]:
        """Remember and read."""
        self.after.append(after)
        return super().read(subject, after, at)

    def append(self, first: int, last: int) -> Version:
        """Append the notes `first` to `last` in one commit."""
        parent = self.head().version
        self.commit(parent, None, make_batch({RUN: [note(each) for each in range(first, last + 1)]}, parent=parent, nonce="n"))
        return self.head().version


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a savepoint every five events."""
    monkeypatch.setattr(limits, "SAVEPOINT_EVENTS", 5)


def test_a_long_journal_is_folded_once(tmp_path: Path) -> None:
    """The next load reads from the segment that the savepoint ends with."""
    log, savepoints = WatchedLog(), MemorySavepoints()
    load_warm(log, savepoints, RUN.id, log.append(1, 7))
    warm = load_warm(log, savepoints, RUN.id, log.append(8, 9))
    assert log.after == [0, 6]
    assert projection_bytes(warm) == projection_bytes(load_run(log, RUN.id, log.head().version))


def test_a_short_journal_has_no_savepoint() -> None:
    """It is not worth its bytes."""
    log, savepoints = WatchedLog(), MemorySavepoints()
    load_warm(log, savepoints, RUN.id, log.append(1, 4))
    assert savepoints.newest(RUN) is None


def test_a_savepoint_of_a_longer_journal_is_not_used() -> None:
    """A log that was restored from an older copy is the truth."""
    log, savepoints = WatchedLog(), MemorySavepoints()
    load_warm(log, savepoints, RUN.id, log.append(1, 7))
    older = WatchedLog()
    state = load_warm(older, savepoints, RUN.id, older.append(1, 3))
    assert (state.run.seq, older.after) == (3, [6, 0])


def test_a_savepoint_of_another_chain_is_not_used() -> None:
    """As many events, and not the same ones."""
    log, savepoints = WatchedLog(), MemorySavepoints()
    load_warm(log, savepoints, RUN.id, log.append(1, 7))
    other = WatchedLog()
    state = load_warm(other, savepoints, RUN.id, other.append(11, 17))
    assert sorted(state.run.attention) == sorted(f"C{number}" for number in range(11, 18))


def test_a_cold_load_reads_from_the_beginning() -> None:
    """Whatever is stored."""
    log, savepoints = WatchedLog(), MemorySavepoints()
    version = log.append(1, 7)
    load_warm(log, savepoints, RUN.id, version)
    load_warm(log, savepoints, RUN.id, version, is_cold=True)
    assert log.after == [0, 0]


def test_a_followed_run_reads_only_what_is_new() -> None:
    """And knows as much as a cold fold."""
    log = WatchedLog()
    followed = FollowedRun(log, RUN.id)
    followed.at(log.append(1, 3))
    state = followed.at(log.append(4, 5))
    assert log.after == [0, 3]
    assert projection_bytes(state) == projection_bytes(load_run(log, RUN.id, log.head().version))


def told(log: MemoryControlLog, first: int, last: int) -> Version:
    """Append attention `first` to `last` to the installation's journal in one commit."""
    parent = log.head().version
    made = [note(each) for each in range(first, last + 1)]
    log.commit(parent, None, make_batch({INSTALLATION: made}, parent=parent, nonce="n"))
    return log.head().version


def test_the_installation_is_folded_once_too() -> None:
    """The next load begins where its savepoint ends, and knows as much as a cold fold."""
    log, savepoints = WatchedLog(), MemorySavepoints()
    load_installation(log, savepoints, told(log, 1, 7))
    warm = load_installation(log, savepoints, told(log, 8, 9))
    assert log.after == [0, 6]
    assert warm == fold_installation(log.read(INSTALLATION, 0, log.head().version))


def test_an_installation_of_another_chain_or_other_rules_is_not_used() -> None:
    """Then its journal is folded from the beginning; a short one has no savepoint."""
    log, savepoints = WatchedLog(), MemorySavepoints()
    load_installation(log, savepoints, told(log, 1, 4))
    assert savepoints.newest(INSTALLATION) is None
    load_installation(log, savepoints, told(log, 5, 7))
    data = savepoints.newest(INSTALLATION)
    assert data is not None
    other = WatchedLog()
    assert sorted(load_installation(other, savepoints, told(other, 11, 17)).attention) == [f"C{each}" for each in range(11, 18)]
    savepoints.save(INSTALLATION, data.replace(REDUCER.encode(), b"0" * len(REDUCER)), {}, frozenset())
    load_installation(log, savepoints, log.head().version)
    assert (other.after, log.after[-1]) == ([6, 0], 0)


def test_an_installation_that_says_everything_comes_back_as_it_was() -> None:
    """Hold, requests, attention and accounts, in bytes that do not depend on their order."""
    account = Account(
        run_id="r", user_id="u", owner="o", submitted_ms=1, submitted_on="2026-01-01", spent={"2026-01-01": 2}, starts=(3,)
    )
    state = Installation(
        seq=9,
        is_held=True,
        hold_because="because",
        taken={"a", "b", "c"},
        refused={"d"},
        attention={"C": "w"},
        accounts={"r": account},
    )
    data = make_installation_savepoint(state, "chain")
    assert restore_installation(data) == (state, "chain")
    assert data == make_installation_savepoint(replace(state, taken={"c", "b", "a"}), "chain")
