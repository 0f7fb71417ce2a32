from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.adapters.local.state.memory_status import MemorySavepoints, MemoryStatus
from runner.adapters.local.state.sqlite_status import SqliteSavepoints, SqliteStatus
from runner.ports.state.savepoints import SavepointStore
from runner.ports.state.status import StatusDocument, StatusStore
from shared.digests import sha256
from tests.builders.journals import RUN

A, B = sha256(b"a"), sha256(b"b")


@pytest.fixture(params=["memory", "sqlite"])
def status(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StatusStore]:
    """Return an empty status store of each kind."""
    if request.param == "memory":
        yield MemoryStatus()
        return
    file = SqliteStatus(tmp_path / "control.sqlite")
    yield file
    file.close()


@pytest.fixture(params=["memory", "sqlite"])
def savepoints(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SavepointStore]:
    """Return an empty savepoint store of each kind."""
    if request.param == "memory":
        yield MemorySavepoints()
        return
    file = SqliteSavepoints(tmp_path / "control.sqlite")
    yield file
    file.close()


def test_an_older_status_never_replaces_a_newer_one(status: StatusStore) -> None:
    """A slow writer does no harm."""
    for data, seq in ((b"five", 5), (b"three", 3)):
        status.write(RUN, data, seq)
    assert status.read(RUN) == StatusDocument(RUN, 5, b"five")
    status.write(RUN, b"five again", 5)
    assert dict(status.list()) == {RUN: StatusDocument(RUN, 5, b"five again")}


def test_a_subject_without_status_has_none(status: StatusStore) -> None:
    """Empty is a state."""
    assert (status.read(RUN), dict(status.list())) == (None, {})


def test_a_savepoint_keeps_what_its_manifest_names(savepoints: SavepointStore) -> None:
    """Parts that no manifest names are dropped."""
    savepoints.save(RUN, b"first", {A: b"a", B: b"b"}, frozenset({A, B}))
    savepoints.save(RUN, b"second", {}, frozenset({B}))
    assert (savepoints.newest(RUN), savepoints.part(RUN, A), savepoints.part(RUN, B)) == (b"second", None, b"b")


def test_a_damaged_part_is_replaced_by_the_whole_one(savepoints: SavepointStore) -> None:
    """Its name is its digest: whoever stores it again mends it."""
    for data in (b"damaged", b"a"):
        savepoints.save(RUN, b"manifest", {A: data}, frozenset({A}))
    assert savepoints.part(RUN, A) == b"a"
