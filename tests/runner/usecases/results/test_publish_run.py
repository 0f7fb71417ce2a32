"""Publishing: once whatever happens, and equal however often it is rebuilt."""

import dataclasses
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.adapters.local.stores.results import LocalResults
from runner.domain import yields
from runner.ports.stores.answers import Conflict as OtherBytes
from runner.ports.stores.answers import Unknown
from runner.ports.stores.result_store import not_committed
from runner.usecases.journals.loading import load_lock, load_plan
from runner.usecases.results.gather_run import GatherWorld, gather_run
from runner.usecases.results.publish_run import PublishWorld, publish_run
from runner.usecases.results.rebuild_tables import rebuild_tables
from runner.usecases.results.record_later import RecordWorld, keep_private
from shared import paths
from shared.digests import sha256
from shared.documents.run_lock import RunLock
from shared.errors import Conflict, Refused, StoreFault
from shared.ids import RunId
from shared.tables.published import PublishedRun
from tests.builders.forger import CATALOG, DATASET
from tests.builders.houses import Place


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture(autouse=True)
def no_hook() -> Iterator[None]:
    """Leave no hook behind."""
    yield
    yields.install(lambda _name: None)


@pytest.fixture
def facts(published: tuple[Place, RunId]) -> tuple[PublishedRun, RunLock]:
    """Return what the published run says, gathered anew."""
    house, run_id = published[0].house, published[1]
    version, state = house.log.head().version, published[0].state(run_id)
    plan, lock = load_plan(house.objects, state.run.plan_digest), load_lock(house.log, state.run.lock_sha256)
    return gather_run(GatherWorld(run_id, state, plan, lock, house.evidence, version)), lock


def world(published: tuple[Place, RunId], store: LocalResults, lock: RunLock) -> PublishWorld:
    """Return where to publish into `store`."""
    return PublishWorld(store, published[0].house.evidence, DATASET, CATALOG, lock, "2026-01-01T00:00:00.000Z")


def test_publishing_twice_adds_nothing(published: tuple[Place, RunId], tmp_path: Path) -> None:
    """Neither rows nor revisions."""
    shutil.copytree(published[0].house.settings.results, tmp_path / "again")
    store = LocalResults(tmp_path / "again")
    before = (store.head(DATASET), store.head(CATALOG))
    made = published[0].house.publish(published[1], store)
    assert (made.is_new, (store.head(DATASET), store.head(CATALOG))) == (False, before)


def test_other_rows_of_a_published_run_are_refused(
    published: tuple[Place, RunId], facts: tuple[PublishedRun, RunLock], tmp_path: Path
) -> None:
    """One run never has two publications."""
    store = LocalResults(tmp_path)
    found, lock = facts
    publish_run(found, world(published, store, lock))
    with pytest.raises(Conflict) as caught:
        publish_run(dataclasses.replace(found, requested_by="somebody"), world(published, store, lock))
    assert caught.value.code == "PUBLISH_CONFLICT"


@pytest.mark.parametrize("place", [DATASET, CATALOG])
def test_a_commit_that_nobody_could_tell_of_is_not_called_contended(
    published: tuple[Place, RunId], facts: tuple[PublishedRun, RunLock], tmp_path: Path, place: str
) -> None:
    """Nobody else changed anything: the store failed, and the error says with what."""
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "tables").write_text("a file where a folder belongs")
    found, lock = facts
    with pytest.raises(StoreFault, match=f"PUBLISH_UNKNOWN: it is unknown whether {place} has it: .*: Not a directory"):
        publish_run(found, world(published, LocalResults(tmp_path), lock))


def test_a_record_that_nobody_could_tell_of_is_not_called_contended(tmp_path: Path) -> None:
    """Of a run that is kept private, as of a publication."""
    (tmp_path / CATALOG).mkdir(parents=True)
    (tmp_path / CATALOG / "tables").write_text("a file where a folder belongs")
    recording = RecordWorld(LocalResults(tmp_path), CATALOG, "2026-01-01T00:00:00.000Z")
    with pytest.raises(StoreFault, match="PUBLISH_UNKNOWN"):
        keep_private(RunId("run-" + "1" * 32), ["a" * 64], 1, recording)


def test_a_commit_that_found_no_room_says_so() -> None:
    """Another try helps nobody before there is room."""
    full = Unknown("x", "OSError: No space left on device", is_full=True)
    assert not_committed(DATASET, full).code == "STORE_FULL"
    assert not_committed(DATASET, OtherBytes("x", sha256(b""))).code == "PUBLISH_CONTENDED"


def test_a_partial_run_is_not_published(
    published: tuple[Place, RunId], facts: tuple[PublishedRun, RunLock], tmp_path: Path
) -> None:
    """It has no score."""
    found, lock = facts
    partial = dataclasses.replace(found, scope=dataclasses.replace(found.scope, kind="partial", quality="partial"))
    with pytest.raises(Refused) as caught:
        publish_run(partial, world(published, LocalResults(tmp_path), lock))
    assert (caught.value.code, list(tmp_path.iterdir())) == ("NOT_PUBLISHABLE", [])


@pytest.mark.parametrize(
    "point",
    [
        "publish.before_rows",
        "results.before_file",
        "results.before_revision",
        "results.before_pointer",
        "results.after_pointer",
        "publish.after_rows",
        "publish.after_catalog",
    ],
)
def test_a_killed_publisher_is_finished_by_the_next(published: tuple[Place, RunId], tmp_path: Path, point: str) -> None:
    """One publication, one record a cell, and rows equal to the first ones."""
    store = LocalResults(tmp_path)

    def die(name: str) -> None:
        if name == point:
            raise Killed

    yields.install(die)
    with pytest.raises(Killed):
        published[0].house.publish(published[1], store)
    yields.install(lambda _name: None)
    published[0].house.publish(published[1], store)
    there, here = published[0].house.results, store
    for name in (DATASET, CATALOG):
        one, other = there.head(name), here.head(name)
        assert one is not None
        assert other is not None
        assert (one.runs, one.rows, one.number) == (other.runs, other.rows, other.number)
        assert [file.path for file in one.files] == [file.path for file in other.files]


def test_a_pointer_that_was_left_behind_is_rolled_forward(published: tuple[Place, RunId], tmp_path: Path) -> None:
    """The revision is the commit; the pointer follows it."""
    shutil.copytree(published[0].house.settings.results, tmp_path / "r")
    pointer = tmp_path / "r" / DATASET / paths.CURRENT
    whole = pointer.read_bytes()
    pointer.unlink()
    assert LocalResults(tmp_path / "r").head(DATASET) == published[0].house.results.head(DATASET)
    assert pointer.read_bytes() == whole


def test_rebuilt_tables_are_equal(published: tuple[Place, RunId], tmp_path: Path) -> None:
    """From journal and evidence alone, into an empty folder."""
    place, run_id = published
    store = LocalResults(tmp_path)
    (made,) = rebuild_tables([(run_id, DATASET)], lambda run: place.house.publish(run, store), place.house.results, store)
    assert (made.is_equal, made.publication_id) == (True, place.house.results.head(DATASET).runs[run_id])  # type: ignore[union-attr]


def test_evidence_that_was_changed_is_not_published_again(published: tuple[Place, RunId], tmp_path: Path) -> None:
    """A flipped reward is found before a row is made of it."""
    place, run_id = published
    shutil.copytree(place.folder / "home", tmp_path / "home")
    result = next((tmp_path / "home" / "evidence").rglob("harbor/result.json"))
    result.chmod(0o644)
    result.write_bytes(result.read_bytes().replace(b"1.0", b"0.0").replace(b"0.0}", b"1.0}"))
    other = dataclasses.replace(place.house, settings=dataclasses.replace(place.house.settings, home=tmp_path / "home"))
    with pytest.raises(Refused) as caught:
        other.publish(run_id, LocalResults(tmp_path / "results"))
    assert caught.value.exit_code == 3
