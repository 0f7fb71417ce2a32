"""The inbox and the status as the Space meets them: missing, foreign, busy; and that it writes one of them alone."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from shared.errors import StoreFault
from shared.ids import RequestId
from shared.inbox.codec import Actor, Request, RequestSubject
from space.readers.status import StatusReader
from space.requests.inbox import Put
from space.requests.inbox_sqlite import SqliteInbox
from tests.space.requests.visits import CHOICE, House, said


def request(number: int, body: str = "{}", kind: str = "submit") -> Request:
    """Return a small request."""
    return Request(
        RequestId(f"req-{number:032x}"), kind, Actor("alice", "org-members", "read"), RequestSubject("run", "run-1"), body
    )


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the write lock of a file."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    yield
    connection.close()


def spoil(path: Path, how: str) -> None:
    """Make a file what no inbox or status is."""
    path.unlink(missing_ok=True)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    match how:
        case "folder":
            path.mkdir()
        case "garbage":
            path.write_bytes(b"not a database" * 100)
        case "empty":
            sqlite3.connect(path).close()
            path.touch()


@pytest.mark.parametrize("how", ["absent", "folder", "garbage", "empty"])
@pytest.mark.parametrize(("name", "code"), [("SEAWALL_INBOX", "inbox.unavailable"), ("SEAWALL_STATUS", "status.unavailable")])
def test_a_store_that_is_none_is_told_before_the_ticket(house: House, tmp_path: Path, name: str, code: str, how: str) -> None:
    """And never made by the Space."""
    path = tmp_path / "elsewhere.sqlite"
    spoil(path, how)
    alice = house.visitor("alice", house.open(**{name: f"sqlite:{path}"}))
    answer = alice.post("/request/preview", CHOICE)
    assert (answer.status_code, code in said(answer), 'name="ticket"' in answer.text) == (503, True, False)
    assert path.exists() == (how != "absent")


def test_an_inbox_that_another_holds_is_not_said_to_be_written(house: House) -> None:
    """The answer names the way on; afterwards the same ticket records."""
    path = house.place.house.settings.home / "inbox.sqlite"
    inbox = SqliteInbox(path, busy_timeout_s=0.05)
    with held(path), pytest.raises(StoreFault, match=r"inbox\.unavailable"):
        inbox.put(request(1))
    assert inbox.put(request(1)) is Put.RECORDED


def test_one_id_stands_for_exactly_its_bytes(house: House) -> None:
    """Again: recorded. Others: a conflict, and the first stay."""
    inbox = SqliteInbox(house.place.house.settings.home / "inbox.sqlite")
    assert [inbox.put(request(1)), inbox.put(request(1)), inbox.put(request(1, '{"a":1}'))] == [
        Put.RECORDED,
        Put.RECORDED,
        Put.CONFLICT,
    ]
    assert [each.body for each in inbox.waiting()] == ["{}"]


def test_what_cannot_be_read_hides_nothing_else(house: House) -> None:
    """Bytes of anybody else are left out."""
    house.place.house.inbox.put([("req-" + "0" * 32, b"\xff")])
    inbox = SqliteInbox(house.place.house.settings.home / "inbox.sqlite")
    inbox.put(request(1))
    assert [each.request_id for each in inbox.waiting()] == ["req-" + "0" * 31 + "1"]


def test_a_whole_visit_writes_the_inbox_alone(house: House) -> None:
    """Log, evidence, objects and results keep their bytes."""
    home = house.place.house.settings.home
    before = contents(home)
    alice = house.visitor("alice")
    run_id = alice.ask_run()
    alice.get(f"/request?run_id={run_id}")
    alice.ask("cancel", run_id, reason="x")
    house.visitor("mia").ask("hold", switch="on")
    after = contents(home)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert {path.partition(".sqlite")[0] for path in changed} <= {"inbox"}


def test_the_status_cannot_be_written_through_its_reader(house: House) -> None:
    """Its connections only read."""
    reader = StatusReader(house.place.house.settings.home / "control.sqlite")
    with pytest.raises(StoreFault, match="readonly"):
        reader._rows("DELETE FROM status", {})


def contents(home: Path) -> dict[str, bytes]:
    """Return every file's bytes; SQLite's shared memory is none of them."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.suffix != ".sqlite-shm"
    }
