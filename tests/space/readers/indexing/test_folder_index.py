"""A folder is indexed here or in a process of its own: with the same tables, the same faults, no secret, and no orphan."""

import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from space.queries.statement import Statement
from space.readers import build
from space.readers.engine import DATABASE, Engine
from space.readers.indexing import folder_index
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks
from space.readers.source import SourceFault
from tests.space.publishing import mirror_of, table_file

TABLES = ("cell", "cell_task", "run", "withheld", "cell_attempt", "cell_metric", "ranked_matrix", "unscored_trial")


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every folder is large."""
    monkeypatch.setattr(folder_index, "APART_BYTES", 0)


@pytest.mark.usefixtures("apart")
def test_a_process_of_its_own_makes_the_same_tables(published: Path, mirror: Mirror, tmp_path: Path) -> None:
    """Row for row, for every table that the pages ask."""
    other = mirror_of(published, tmp_path)
    for table in TABLES:
        statement = Statement(f"SELECT * FROM {table} ORDER BY ALL")  # noqa: S608 - names of tables
        assert other.rows(statement) == mirror.rows(statement)


def test_a_served_database_cannot_be_written(mirror: Mirror) -> None:
    """What visitors ask runs on a database that is only read."""
    with pytest.raises(Exception, match="read-only"):
        mirror.rows(Statement("CREATE TABLE mine (one INTEGER)"))


def test_stored_ranks_are_those_that_would_be_decided_anew(
    published: Path, mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large edition's matrix comes out of the database, and is the one of its cells."""
    monkeypatch.setattr("space.readers.ranks.LARGE_CELLS", 2)
    made = mirror_of(published, tmp_path)
    stored = made.rows(Statement("SELECT benchmark, edition, cells FROM ranked_matrix"))
    assert any(len(row["cells"]) > 1 for row in stored)
    for row in stored:
        assert edition_ranks(made, row["benchmark"], row["edition"]) == edition_ranks(mirror, row["benchmark"], row["edition"])


@pytest.mark.usefixtures("apart")
def test_a_fault_found_apart_has_its_code(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is no table is told as it is when it is found here, and nothing is left."""
    monkeypatch.setattr("space.readers.build._copy", _copy_broken(published))
    with pytest.raises(SourceFault) as caught:
        mirror_of(published, tmp_path / "mirrors")
    assert (caught.value.code, list((tmp_path / "mirrors").iterdir())) == ("source.schema", [])


@pytest.mark.usefixtures("apart")
@pytest.mark.parametrize(("end", "code"), [("kill -9 $$", "source.too_large"), ("exit 1", "source.unreachable")])
def test_a_process_that_dies_is_told(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, code: str
) -> None:
    """Killed, as for want of memory, or failed of itself: the source cannot be served, and nothing is left."""
    monkeypatch.setattr(sys, "executable", _program(tmp_path, end))
    with pytest.raises(SourceFault) as caught:
        mirror_of(published, tmp_path / "mirrors")
    assert (caught.value.code, list((tmp_path / "mirrors").iterdir())) == (code, [])


@pytest.mark.usefixtures("apart")
def test_no_secret_reaches_the_process(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment is an allow list."""
    monkeypatch.setenv("SEAWALL_INBOX_TOKEN", "canary-token")
    monkeypatch.setattr(sys, "executable", _program(tmp_path, f"env > {tmp_path}/seen; exit 1"))
    with pytest.raises(SourceFault):
        mirror_of(published, tmp_path / "mirrors")
    seen = (tmp_path / "seen").read_text(encoding="utf-8")
    assert "PYTHONPATH" in seen
    assert "canary-token" not in seen


def test_it_ends_with_the_process_that_waits_for_it(tmp_path: Path) -> None:
    """A receipt that never answers keeps it; when its stdin ends, so does it."""
    (tmp_path / "publications").mkdir()
    os.mkfifo(tmp_path / "publications" / "endless.json")
    command = [sys.executable, "-m", "space.readers.indexing.folder_index", str(tmp_path), "128"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=Path(__file__).parents[4]) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 1


def test_a_folder_without_its_database_is_no_mirror(tmp_path: Path) -> None:
    """A half-made folder is never served as an empty one."""
    with pytest.raises(Exception, match=DATABASE):
        Engine(tmp_path, 128)


def _program(folder: Path, line: str) -> str:
    program = folder / "program"
    program.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    program.chmod(0o700)
    return str(program)


def _copy_broken(published: Path) -> object:
    copy = build._copy

    def broken(source: object, revisions: object, into: Path) -> None:
        copy(source, revisions, into)  # type: ignore[arg-type]
        trials = table_file(published, "trials")
        next(into.rglob(trials.name)).write_bytes(b"no table")

    return broken


@pytest.mark.usefixtures("apart")
def test_a_process_that_does_not_end_is_ended(published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was stopped, for example: the next refresh is not kept from trying again."""
    monkeypatch.setattr(folder_index, "APART_SECONDS", 0.01)
    with pytest.raises(SourceFault) as caught:
        mirror_of(published, tmp_path / "mirrors")
    assert (caught.value.code, "did not end" in caught.value.message) == ("source.unreachable", True)
    assert [path.name for path in (tmp_path / "mirrors").iterdir() if path.name != "scratch"] == []


def test_a_full_disk_is_not_blamed_on_the_source() -> None:
    """What DuckDB says of it."""
    full = duckdb.IOException('IO Error: Could not write file "x": No space left on device')
    assert folder_index.fault_of(full).code == "source.unreachable"
    assert folder_index.fault_of(duckdb.IOException("IO Error: not a Parquet file")).code == "source.schema"
