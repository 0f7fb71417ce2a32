"""Whatever is wrong with what a folder shows next: the mirror that was served is served on, and the code says what is wrong."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from shared import paths
from space.queries.statement import Statement
from space.readers import folder
from space.readers.source import SourceFault
from tests.space.publishing import CATALOG, DATASET, mirror_of, table_file
from tests.space.readers.test_build import FAULTS, Fault
from tests.space.readers.test_refresh import next_revision, refresh_of

ALL = Statement("SELECT cell_id, score, score_low, score_high, stands, withheld FROM cell ORDER BY cell_id")


@pytest.mark.parametrize(("fault", "code"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_a_fault_of_the_next_revision_leaves_the_last_good_mirror(
    published: Path, tmp_path: Path, fault: Fault, code: str
) -> None:
    """Its numbers to the digit, stale since the first failure; the source put right is followed again."""
    root = Path(shutil.copytree(published, tmp_path / "results"))
    refresh = refresh_of(root)
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        before = mirror.rows(ALL)
    next_revision(root)
    fault(root)
    for _ in range(2):
        standing = refresh.refresh()
        assert (standing.state, standing.code) == ("stale", code)
        with refresh.lease() as mirror:
            assert mirror.rows(ALL) == before
    shutil.rmtree(root)
    shutil.copytree(published, root)
    next_revision(root)
    next_revision(root)
    assert refresh.refresh().state == "ready"
    refresh.close()


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """A published folder of one's own, to be changed."""
    return Path(shutil.copytree(published, tmp_path / "results"))


def _endless(file: Path) -> None:
    file.symlink_to("/dev/zero")


@pytest.mark.parametrize("put", [os.mkfifo, _endless], ids=["pipe", "endless"])
@pytest.mark.parametrize("which", ["table", "receipt", "pointer", "revision"])
def test_what_is_no_regular_file_is_not_read(root: Path, tmp_path: Path, put: Callable[[Path], None], which: str) -> None:
    """A pipe would be waited for without end, a device be copied without end."""
    file = {
        "table": table_file(root, "trials"),
        "receipt": next((root / DATASET / "publications").glob("*.json")),
        "pointer": root / CATALOG / paths.CURRENT,
        "revision": root / DATASET / paths.revision_file(1),
    }[which]
    file.unlink()
    put(file)
    with pytest.raises(SourceFault) as caught:
        mirror_of(root, tmp_path / "mirrors")
    assert (caught.value.code, "no regular file" in caught.value.message) == ("source.unreachable", True)


def test_a_file_that_grew_is_copied_no_further_than_it_is_listed(root: Path, tmp_path: Path) -> None:
    """The disk here holds what was listed and one piece more, however large the file is now."""
    source = folder.FolderSource(root)
    head = source.at(DATASET, "1")
    listed = next(file for file in head.revision.files if file.path.startswith("tables/trials/"))
    os.truncate(root / DATASET / listed.path, 1 << 30)
    with pytest.raises(SourceFault) as caught:
        source.fetch(head, listed, tmp_path / "copy")
    assert caught.value.code == "source.checksum"
    assert (tmp_path / "copy").stat().st_size <= listed.size + (1 << 20)


def test_a_document_that_is_too_large_is_not_read(root: Path, tmp_path: Path) -> None:
    """A pointer is some hundred bytes."""
    os.truncate(root / CATALOG / paths.CURRENT, folder.MAX_DOCUMENT_BYTES + 1)
    with pytest.raises(SourceFault) as caught:
        mirror_of(root, tmp_path / "mirrors")
    assert caught.value.code == "source.too_large"
