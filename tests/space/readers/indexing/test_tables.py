"""What reads one publication's files alone finds its rows, all of them and no others."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from space.queries.statement import Statement
from space.readers.indexing.tables import OF_ONE_PUBLICATION, lay_out
from space.readers.mirror import Mirror
from tests.space.publishing import mirror_of, table_file


def _rows_of(mirror: Mirror, name: str) -> tuple[list[object], list[object]]:
    """Return the rows of the first publication, by its own files and by all."""
    [first] = mirror.rows(Statement("SELECT min(publication_id) AS publication FROM cell"))
    asked = (first["publication"],)
    apart = mirror.rows(Statement(f"SELECT * FROM {name}_of(?) ORDER BY ALL", asked))  # noqa: S608 - declared names
    found = mirror.rows(Statement(f"SELECT * FROM {name} WHERE publication_id = ? ORDER BY ALL", asked))  # noqa: S608 - same
    return list(apart), list(found)


@pytest.mark.parametrize("name", OF_ONE_PUBLICATION)
@pytest.mark.parametrize("has_links", [True, False])
def test_a_publication_is_found_by_its_own_files(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, has_links: bool
) -> None:
    """Also on a disk where a file cannot have two names."""
    if not has_links:
        monkeypatch.setattr(os, "link", _refused)
    mirror = mirror_of(published, tmp_path / "mirrors")
    apart, found = _rows_of(mirror, name)
    assert apart == found
    assert len(apart) > 0


def test_files_of_one_name_in_two_benchmarks_are_both_there(published: Path, tmp_path: Path) -> None:
    """The folder of a benchmark is no part of a publication's name."""
    file = table_file(published, "trials")
    files = {name: list[Path]() for name in OF_ONE_PUBLICATION}
    for benchmark in ("benchmark=one", "benchmark=two"):
        into = tmp_path / "tables" / "trials" / benchmark / file.name
        into.parent.mkdir(parents=True)
        shutil.copyfile(file, into)
        files["trials"].append(into)
    lay_out(files, tmp_path)
    placed = sorted((tmp_path / "of" / file.stem.rpartition("-")[0]).iterdir())
    assert [each.name for each in placed] == ["trials-0.parquet", "trials-1.parquet"]


def _refused(_source: Path, _target: Path) -> None:
    raise OSError(errno.EPERM, "no links here")
