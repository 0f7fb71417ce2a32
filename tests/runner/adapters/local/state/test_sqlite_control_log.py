import multiprocessing
import sqlite3
from pathlib import Path

import pytest

from runner.adapters.local.state.sqlite_control_log import SqliteControlLog
from runner.adapters.local.state.system_time import SystemClock
from runner.domain.control.envelope import Subject
from runner.ports.state.answers import Applied
from runner.ports.state.batch import make_batch
from shared.errors import StoreFault
from tests.builders.clocks import StoppedClock
from tests.builders.journals import RUN, note

OTHER = Subject("run", "run-2")
WRITERS, COMMITS, EVENTS = 4, 30, 25


def filled(path: Path) -> SqliteControlLog:
    """Return a log with three segments of one run and one of another."""
    log = SqliteControlLog(path, StoppedClock())
    for number in range(3):
        parent = log.head().version
        appends = {RUN: [note(2 * number), note(2 * number + 1)]}
        if number == 0:
            appends[OTHER] = [note(100)]
        assert isinstance(log.commit(parent, None, make_batch(appends, parent=parent, nonce="n")), Applied)
    return log


def read(log: SqliteControlLog, subject: Subject) -> int:
    """Return how many events are read."""
    return sum(len(segment.events) for segment in log.read(subject, 0, log.head().version))


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ("DELETE FROM append WHERE first_seq = 1 AND subject_id = 'run-1'", "JOURNAL_GAP"),
        ("DELETE FROM append WHERE first_seq = 3", "JOURNAL_GAP"),
        ("DELETE FROM append WHERE first_seq = 5", "JOURNAL_GAP"),
        (
            "UPDATE append SET data = CAST(replace(CAST(data AS TEXT), 'needed', 'nEeded') AS BLOB) WHERE first_seq = 3",
            "JOURNAL_DIGEST",
        ),
        ("UPDATE append SET data = substr(data, 1, 40) WHERE first_seq = 5", "JOURNAL_DIGEST"),
        ("UPDATE append SET first_seq = 2 WHERE first_seq = 3", "JOURNAL_FORKED"),
    ],
)
def test_a_damaged_journal_freezes_one_subject(tmp_path: Path, damage: str, code: str) -> None:
    """Cut, missing or altered: this subject is not read, the other is."""
    log = filled(tmp_path / "control.sqlite")
    raw = sqlite3.connect(tmp_path / "control.sqlite")
    raw.execute(damage)
    raw.commit()
    raw.close()
    with pytest.raises(StoreFault, match=code):
        read(log, RUN)
    assert read(log, OTHER) == 1
    log.close()


def _write(path: str, writer: int) -> None:
    log = SqliteControlLog(Path(path), SystemClock())
    done = 0
    while done < COMMITS:
        parent = log.head().version
        events = [note(writer * 1_000_000 + done * EVENTS + place) for place in range(EVENTS)]
        answer = log.commit(parent, None, make_batch({RUN: events}, parent=parent, nonce=f"{writer}"))
        done += isinstance(answer, Applied)
    log.close()


def test_four_writers_lose_nothing(tmp_path: Path) -> None:
    """Four processes, one journal: dense, and every event of every writer once."""
    path = tmp_path / "control.sqlite"
    SqliteControlLog(path, SystemClock()).close()
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write, args=(str(path), writer)) for writer in range(1, WRITERS + 1)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(120)
    assert [writer.exitcode for writer in writers] == [0] * WRITERS
    log = SqliteControlLog(path, SystemClock())
    events = [event for segment in log.read(RUN, 0, log.head().version) for event in segment.events]
    assert [event.seq for event in events] == list(range(1, WRITERS * COMMITS * EVENTS + 1))
    assert len({event.event_id for event in events}) == len(events)
    log.close()


def test_a_log_is_the_same_after_it_was_closed(tmp_path: Path) -> None:
    """Any fresh process goes on from the file."""
    log = filled(tmp_path / "control.sqlite")
    head = log.head()
    log.close()
    again = SqliteControlLog(tmp_path / "control.sqlite", StoppedClock())
    assert (again.head(), read(again, RUN)) == (head, 6)
    again.close()
