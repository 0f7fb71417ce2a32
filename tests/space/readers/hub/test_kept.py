"""Files that were downloaded before are used again only if they are still what they were, and go when no mirror holds them."""

from pathlib import Path

import pytest

from shared.digests import sha256
from shared.documents.revision import RevisionFile
from space.readers.hub.kept import KeptFiles

DATA = b"rows"
FILE = RevisionFile(path="tables/x.parquet", sha256=sha256(DATA), size=len(DATA))


@pytest.fixture
def kept(tmp_path: Path) -> KeptFiles:
    """One kept file, which a mirror holds as well."""
    (tmp_path / "mirror").write_bytes(DATA)
    made = KeptFiles(tmp_path / "kept")
    made.keep(FILE, tmp_path / "mirror")
    return made


def test_a_kept_file_costs_no_second_room(kept: KeptFiles, tmp_path: Path) -> None:
    """It is the same bytes under another name."""
    assert kept.take(FILE, tmp_path / "next")
    assert (tmp_path / "next").samefile(tmp_path / "mirror")


@pytest.mark.parametrize("change", [b"ROWS", b"row", b"rows and more"])
def test_a_changed_file_is_not_used(kept: KeptFiles, tmp_path: Path, change: bytes) -> None:
    """It is forgotten, and downloaded again."""
    (tmp_path / "mirror").write_bytes(change)
    assert not kept.take(FILE, tmp_path / "next")
    assert not (tmp_path / "next").exists()
    assert list((tmp_path / "kept").iterdir()) == []


def test_what_no_mirror_holds_is_deleted(kept: KeptFiles, tmp_path: Path) -> None:
    """And what one holds stays."""
    kept.sweep()
    assert len(list((tmp_path / "kept").iterdir())) == 1
    (tmp_path / "mirror").unlink()
    kept.sweep()
    assert list((tmp_path / "kept").iterdir()) == []


def test_where_nothing_can_be_kept_everything_is_downloaded(kept: KeptFiles, tmp_path: Path) -> None:
    """Without an error; a name that is taken is one."""
    other = FILE.model_copy(update={"sha256": "0" * 64})
    kept.keep(other, tmp_path / "absent")
    assert not kept.take(other, tmp_path / "next")
    (tmp_path / "taken").write_bytes(b"")
    with pytest.raises(FileExistsError):
        kept.take(FILE, tmp_path / "taken")
