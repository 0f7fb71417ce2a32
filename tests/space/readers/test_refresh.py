"""The served mirror follows the source, and stays when the source goes wrong."""

import gc
import shutil
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shared import paths
from shared.documents.revision import Revision
from space.queries.statement import Statement
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh
from space.readers.source import SourceFault
from tests.space.publishing import CATALOG, DATASET, change_table, flip_byte, table_file, write_revision

COUNT = Statement("SELECT count(*) AS n FROM cell")
RECORDS = Statement("SELECT count(*) AS n FROM catalog")


class Clock:
    """A clock that is set by hand."""

    now = 1_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """A published folder of one's own."""
    return Path(shutil.copytree(published, tmp_path / "results"))


def refresh_of(root: Path, clock: Clock | None = None) -> Refresh:
    """Return a refresh that has not looked yet."""
    return Refresh(FolderSource(root), memory_mib=256, clock=clock or Clock())


def next_revision(root: Path) -> None:
    """Publish a revision of the catalog with the same files."""
    folder = root / CATALOG
    before = Revision.from_bytes(max(folder.glob("revisions/*.json"), key=lambda file: int(file.stem)).read_bytes())
    write_revision(folder, before.model_copy(update={"number": before.number + 1, "previous_sha256": before.digest}))


def append_record(root: Path, record: str) -> None:
    """Publish a revision of the catalog with one more record of its first cell."""
    served = max((root / CATALOG).glob("revisions/*.json"), key=lambda file: int(file.stem))
    before = served.read_bytes()
    change_table(root, "catalog", lambda rows: rows.append({**rows[0], "sequence": len(rows) + 1, "record": record}), CATALOG)
    next_revision(root)
    served.write_bytes(before)


def number_of(mirror: Mirror) -> int:
    """Return the number of the catalog's revision that a mirror shows."""
    assert mirror.revisions.catalog is not None
    return mirror.revisions.catalog.revision.number


def test_before_the_first_mirror_a_page_is_told_to_wait(root: Path) -> None:
    """Without a mirror a lease is `source.loading`."""
    refresh = refresh_of(root)
    with pytest.raises(SourceFault) as caught, refresh.lease():
        pass
    assert (caught.value.code, refresh.standing.state) == ("source.loading", "loading")


def test_an_unexpected_fault_is_told_and_the_last_mirror_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread goes on; the pages say that what they show is old."""
    refresh = refresh_of(root)
    assert refresh.refresh().state == "ready"
    with monkeypatch.context() as broken:
        broken.setattr(FolderSource, "at", lambda *_: {}["missing"])
        next_revision(root)
        assert (refresh.refresh().state, refresh.standing.code) == ("stale", "source.unreachable")
    assert refresh.refresh().state == "ready"


def test_an_unchanged_source_keeps_its_mirror(root: Path) -> None:
    """Looking again builds nothing new."""
    refresh = refresh_of(root)
    refresh.refresh()
    with refresh.lease() as first:
        refresh.refresh()
        with refresh.lease() as second:
            assert first is second
    refresh.close()


def test_an_unchanged_catalog_is_not_read_again(root: Path) -> None:
    """A look at a source where nothing happened costs its head, and no table."""
    refresh = refresh_of(root)
    refresh.refresh()
    for file in (root / CATALOG / "tables").rglob("*.parquet"):
        file.unlink()
    assert refresh.refresh().state == "ready"


def test_a_moved_pointer_swaps_the_mirror_under_a_reader(root: Path) -> None:
    """Who holds the old mirror reads it to the end; the next page gets the new one."""
    refresh = refresh_of(root)
    refresh.refresh()
    with refresh.lease() as old:
        next_revision(root)
        refresh.refresh()
        with refresh.lease() as new:
            assert new.identity != old.identity
        assert old.rows(COUNT) == [{"n": 8}]
    refresh.close()


def test_a_failed_check_keeps_the_last_good_mirror_and_says_since_when(root: Path) -> None:
    """The standing is stale with the code and the time of the first failure; repair makes it ready again."""
    clock = Clock()
    refresh = refresh_of(root, clock)
    refresh.refresh()
    kept = root.parent / "kept"
    shutil.copytree(root, kept)
    flip_byte(table_file(root, "trials"))
    next_revision(root)
    clock.now = 2_000.0
    refresh.refresh()
    clock.now = 3_000.0
    standing = refresh.refresh()
    assert (standing.state, standing.code, standing.since, standing.checked_at) == ("stale", "source.checksum", 2_000.0, 1_000.0)
    with refresh.lease() as mirror:
        assert mirror.rows(COUNT) == [{"n": 8}]
    shutil.copy(table_file(kept, "trials"), table_file(root, "trials"))
    assert refresh.refresh().state == "ready"
    refresh.close()


def test_a_source_that_fails_from_the_start_gives_its_code(root: Path) -> None:
    """Without a good mirror the state is failed, and a page says why."""
    shutil.rmtree(root / DATASET)
    refresh = refresh_of(root)
    assert (refresh.refresh().state, refresh.standing.code) == ("failed", "source.unreachable")
    with pytest.raises(SourceFault) as caught, refresh.lease():
        pass
    assert caught.value.code == "source.unreachable"


def test_an_old_mirror_is_forgotten(root: Path) -> None:
    """Its engine too, also by threads that asked it: memory does not grow with the swaps."""
    refresh = refresh_of(root)
    refresh.refresh()
    with ThreadPoolExecutor(2) as pool:
        with refresh.lease() as mirror:
            assert list(pool.map(mirror.rows, [COUNT] * 4)) == [[{"n": 8}]] * 4
            old = weakref.ref(mirror._engine)
        del mirror
        next_revision(root)
        refresh.refresh()
        for _ in range(200):
            gc.collect()
            if old() is None:
                break
            threading.Event().wait(0.02)
        assert old() is None
    refresh.close()


def test_old_mirrors_leave_nothing_on_disk(root: Path) -> None:
    """After swaps at most the mirrors in use lie there; after closing, none."""
    refresh = refresh_of(root)
    for _ in range(4):
        refresh.refresh()
        next_revision(root)
    refresh.refresh()
    assert len(list(refresh._root.iterdir())) == 1
    refresh.close()
    assert not refresh._root.exists()


def test_a_withdrawal_reaches_the_page_with_the_next_refresh(root: Path) -> None:
    """A record appended to the catalog changes the standing of its cell."""
    refresh = refresh_of(root)
    refresh.refresh()
    append_record(root, "withdrawn")
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        assert mirror.rows(Statement("SELECT count(*) AS n FROM cell WHERE NOT stands")) == [{"n": 2}]
    refresh.close()


def empty(root: Path) -> None:
    """Delete everything that was published."""
    for folder in root.iterdir():
        shutil.rmtree(folder)


def remove_root(root: Path) -> None:
    """Delete the root itself."""
    shutil.rmtree(root)


def roll_back(root: Path) -> None:
    """Point the catalog at its first revision."""
    folder = root / CATALOG
    write_revision(folder, Revision.from_bytes((folder / paths.revision_file(1)).read_bytes()))


def exchange(root: Path) -> None:
    """Put another installation's catalog, further on, in the same place."""
    folder = root / CATALOG
    before = Revision.from_bytes(max(folder.glob("revisions/*.json"), key=lambda file: int(file.stem)).read_bytes())
    for number in range(1, before.number + 3):
        write_revision(folder, before.model_copy(update={"number": number, "previous_sha256": None}))


def lose_history(root: Path) -> None:
    """Move on, without the revisions before."""
    next_revision(root)
    next_revision(root)
    files = sorted((root / CATALOG / "revisions").iterdir(), key=lambda file: int(file.stem))
    for file in files[:-1]:
        file.unlink()


def rename_catalog(root: Path) -> None:
    """Show the catalog under another name."""
    (root / CATALOG).rename(root / "example/elsewhere")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (empty, "source.missing"),
        (remove_root, "source.missing"),
        (roll_back, "source.rolled_back"),
        (exchange, "source.rolled_back"),
        (lose_history, "source.rolled_back"),
        (rename_catalog, "source.rolled_back"),
    ],
)
def test_a_source_that_does_not_go_on_from_what_is_served_replaces_nothing(
    root: Path, change: Callable[[Path], None], code: str
) -> None:
    """The last good mirror stays, stale with the code; a source put right is followed again."""
    refresh = refresh_of(root)
    next_revision(root)
    assert refresh.refresh().state == "ready"
    kept = Path(shutil.copytree(root, root.parent / "kept"))
    change(root)
    for _ in range(2):
        standing = refresh.refresh()
        assert (standing.state, standing.code) == ("stale", code)
        with refresh.lease() as mirror:
            assert mirror.rows(COUNT) == [{"n": 8}]
    shutil.rmtree(root, ignore_errors=True)
    shutil.copytree(kept, root)
    next_revision(root)
    assert refresh.refresh().state == "ready"
    refresh.close()


def test_nothing_published_may_become_something(root: Path, tmp_path: Path) -> None:
    """A Space that started over an empty folder follows its first publication."""
    empty_root = tmp_path / "empty"
    empty_root.mkdir()
    refresh = refresh_of(empty_root)
    assert refresh.refresh().state == "ready"
    shutil.copytree(root, empty_root, dirs_exist_ok=True)
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        assert mirror.rows(COUNT) == [{"n": 8}]
    refresh.close()
