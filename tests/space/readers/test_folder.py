"""What a results folder shows: read and checked once, read again as soon as its pointer or the file that it names is another."""

import shutil
from pathlib import Path

import pytest

from shared import paths
from space.readers.folder import FolderSource
from space.readers.source import SourceFault
from tests.space.publishing import CATALOG, DATASET
from tests.space.readers.test_refresh import next_revision


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """A published folder of one's own, to be changed."""
    return Path(shutil.copytree(published, tmp_path / "results"))


def test_what_did_not_change_is_not_read_again(root: Path) -> None:
    """The same list of files, not an equal one; also where a catalog record names it."""
    source = FolderSource(root)
    head = source.catalog()
    assert head is not None
    assert source.catalog() is head
    assert source.at(CATALOG, "1") is head


def test_a_moved_pointer_is_followed(root: Path) -> None:
    """The next revision is shown, the one before is still there."""
    source = FolderSource(root)
    before = source.catalog()
    next_revision(root)
    after = source.catalog()
    assert before is not None
    assert after is not None
    assert (before.revision.number, after.revision.number) == (1, 2)
    assert source.at(CATALOG, "1") == before


@pytest.mark.parametrize("dataset", [CATALOG, DATASET])
def test_a_revision_that_is_changed_in_place_is_refused(root: Path, dataset: str) -> None:
    """Its pointer names it no longer, although it was read before."""
    source = FolderSource(root)
    source.catalog()
    file = root / dataset / paths.revision_file(1)
    file.write_bytes(file.read_bytes().replace(b'"rows":', b'"rows":1'))
    with pytest.raises(SourceFault) as caught:
        source.catalog()
    assert caught.value.code == "source.checksum"
    assert source.at(dataset, "1").revision.rows > 9


def test_a_revision_that_is_gone_is_refused(root: Path) -> None:
    """What was read before does not stand for what is no longer there."""
    source = FolderSource(root)
    source.catalog()
    (root / CATALOG / paths.revision_file(1)).unlink()
    for look in (source.catalog, lambda: source.at(CATALOG, "1")):
        with pytest.raises(SourceFault) as caught:
            look()
        assert caught.value.code == "source.unreachable"
