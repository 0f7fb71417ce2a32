"""Each earlier revision shows what was published then, one at a time, while the newest is served and swapped."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from shared.errors import Refused
from space.exports.answers import later_records
from space.queries.statement import Statement
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from space.readers.ranks import edition_ranks
from space.readers.refresh import Refresh
from space.readers.revisions import BUILDS_AN_HOUR, IDLE_SECONDS, Revisions
from space.readers.source import SourceFault
from tests.space.publishing import CATALOG, flip_byte
from tests.space.readers.growing import grow

SCORES = Statement("SELECT cell_id, score, is_ranked, record FROM cell ORDER BY cell_id")


class Clock:
    """A clock that is set by hand."""

    now = 1_000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of six revisions. Not to be changed."""
    root = tmp_path_factory.mktemp("grown")
    first = root / "first"
    grow(first, 6, is_first_withdrawn=True)
    return first


def refresh_of(root: Path, clock: Clock, start: Callable[[Callable[[], None]], None] | None = None) -> Refresh:
    """Return a refresh that has looked once, whose earlier revisions are built at once unless `start` says otherwise."""
    refresh = Refresh(FolderSource(root), memory_mib=256, clock=clock)
    refresh.revisions._start = start or (lambda work: work())
    assert refresh.refresh().state == "ready"
    return refresh


def wait_for(refresh: Refresh, number: int) -> None:
    """Ask for a revision as a first visitor does: it is not there yet."""
    with pytest.raises(SourceFault) as caught, refresh.lease(number):
        pass
    assert caught.value.code == "source.loading"


def test_each_of_five_earlier_revisions_shows_what_was_published_then(grown: Path, tmp_path: Path) -> None:
    """Numbers and ranks are those of a folder that ended there, while the newest is served beside it."""
    clock = Clock()
    refresh = refresh_of(grown, clock)
    for number in range(1, 6):
        then = tmp_path / str(number)
        grow(then, number)
        alone = refresh_of(then, Clock())
        wait_for(refresh, number)
        with refresh.lease(number) as earlier, alone.lease() as wanted, refresh.lease() as newest:
            assert earlier.identity == wanted.identity
            assert earlier.rows(SCORES) == wanted.rows(SCORES)
            assert len(earlier.rows(SCORES)) == 2 * number
            assert _ranks(earlier) == _ranks(wanted)
            assert newest.rows(Statement("SELECT count(*) AS n FROM cell")) == [{"n": 12}]
        alone.close()
        clock.now += 3_600
    refresh.close()


def _ranks(mirror: Mirror) -> list[object]:
    found: list[object] = []
    for row in mirror.rows(Statement("SELECT cell_id, benchmark, edition FROM cell ORDER BY cell_id")):
        decisions = edition_ranks(mirror, row["benchmark"], row["edition"]).decisions(row["cell_id"])
        found.append(decisions and decisions.rank(row["cell_id"]))
    assert any(found)
    return found


def test_a_cell_that_was_withdrawn_later_is_there_and_its_withdrawal_is_named(grown: Path) -> None:
    """The old numbers stand, and so does what became of them."""
    refresh = refresh_of(grown, Clock())
    wait_for(refresh, 1)
    with refresh.lease(1) as earlier, refresh.lease() as newest:
        records = later_records(earlier, newest)
        assert [(each["record"], each["reason"]) for each in records] == [("withdrawn", "another prompt")]
        row = next(row for row in earlier.rows(SCORES) if row["cell_id"] == records[0]["cell_id"])
        assert row["record"] == "published"
        assert later_records(newest, newest) == []
    refresh.close()


@pytest.mark.parametrize("number", [7, 100, 999_999])
def test_an_unknown_revision_is_not_published(grown: Path, number: int) -> None:
    """Nothing is built for a number that the catalog does not have."""
    refresh = refresh_of(grown, Clock())
    with pytest.raises(Refused) as caught, refresh.lease(number):
        pass
    assert caught.value.code == "view.not_published"
    assert refresh.revisions._built_at == []
    refresh.close()


def test_the_newest_revision_by_its_number_needs_no_other_mirror(grown: Path) -> None:
    """A permanent link of today is answered by what is served."""
    refresh = refresh_of(grown, Clock())
    with refresh.lease(6) as named, refresh.lease() as newest:
        assert named is newest
    refresh.close()


def test_the_revisions_are_listed_newest_first(grown: Path) -> None:
    """With number, time and digest; a revision that cannot be read ends the list."""
    refresh = refresh_of(grown, Clock())
    assert [each.number for each in refresh.revisions.listed] == [6, 5, 4, 3, 2, 1]
    assert all(each.created_at.startswith("20") for each in refresh.revisions.listed)
    refresh.close()


def test_one_is_built_at_a_time_and_one_is_held(grown: Path) -> None:
    """While one is built every other asker waits; another one takes the place of the one before."""
    waiting: list[Callable[[], None]] = []
    refresh = refresh_of(grown, Clock(), waiting.append)
    for number in (1, 2, 3, 1):
        wait_for(refresh, number)
    assert len(waiting) == 1
    waiting.pop()()
    with refresh.lease(1) as first:
        wait_for(refresh, 2)
        waiting.pop()()
        with refresh.lease(2):
            assert len(first.rows(SCORES)) == 2
            folders = [path for path in refresh._root.iterdir() if path.is_dir()]
            assert len(folders) == 3
    assert len([path for path in refresh._root.iterdir() if path.is_dir()]) == 2
    refresh.close()


def test_many_old_revisions_asked_for_leave_the_newest_served(grown: Path) -> None:
    """Six builds an hour: a thousand requests make no more, and the answer says when to come again."""
    clock = Clock()
    refresh = refresh_of(grown, clock)
    codes = set()
    for request in range(1_000):
        try:
            with refresh.lease(1 + request % 5) as mirror:
                assert len(mirror.rows(SCORES)) == 2 * (1 + request % 5)
        except (SourceFault, Refused) as error:
            codes.add(error.code)
        assert len(refresh.revisions._built_at) <= BUILDS_AN_HOUR
        with refresh.lease() as newest:
            assert newest.revisions.catalog is not None
            assert newest.revisions.catalog.revision.number == 6
    assert codes == {"source.loading", "source.revisions_busy"}
    assert len(refresh.revisions._built_at) == BUILDS_AN_HOUR
    clock.now += 3_601
    wait_for(refresh, 3)
    refresh.close()


def test_half_an_idle_hour_drops_it(grown: Path) -> None:
    """Its folder goes with it; who asks again waits again."""
    clock = Clock()
    refresh = refresh_of(grown, clock)
    wait_for(refresh, 2)
    clock.now += IDLE_SECONDS - 1
    refresh.refresh()
    with refresh.lease(2):
        pass
    clock.now += IDLE_SECONDS
    refresh.refresh()
    assert len([path for path in refresh._root.iterdir() if path.is_dir()]) == 1
    wait_for(refresh, 2)
    refresh.close()


def test_a_revision_that_fails_its_checks_says_why(grown: Path, tmp_path: Path) -> None:
    """The newest stays; the reason is told at once for a while, then it is tried again."""
    root = Path(shutil.copytree(grown, tmp_path / "results"))
    clock = Clock()
    refresh = refresh_of(root, clock)
    flip_byte(next((root / CATALOG / "tables").rglob("*-102.parquet")))
    wait_for(refresh, 2)
    for _ in range(3):
        with pytest.raises(SourceFault) as caught, refresh.lease(2):
            pass
        assert caught.value.code == "source.checksum"
    assert len(refresh.revisions._built_at) == 1
    clock.now += 601
    wait_for(refresh, 2)
    with refresh.lease():
        pass
    refresh.close()


def test_an_earlier_mirror_that_is_done_after_the_end_is_dropped(grown: Path, tmp_path: Path) -> None:
    """Closing does not wait for a build, and nothing is left behind."""
    revisions = Revisions(FolderSource(grown), tmp_path, memory_mib=256, clock=Clock(), start=(later := []).append)
    with pytest.raises(SourceFault):
        revisions.enter(1, FolderSource(grown).catalog())
    revisions.close()
    later.pop()()
    assert [path for path in tmp_path.iterdir() if path.is_dir()] == []


def test_it_is_built_in_the_background(grown: Path) -> None:
    """A visitor never waits for a build in the request itself."""
    refresh = Refresh(FolderSource(grown), memory_mib=256, clock=Clock())
    refresh.refresh()
    wait_for(refresh, 1)
    builders = [thread for thread in threading.enumerate() if thread.name == "earlier revision"]
    for thread in builders:
        thread.join(60)
    with refresh.lease(1) as earlier:
        assert len(earlier.rows(SCORES)) == 2
    refresh.close()
