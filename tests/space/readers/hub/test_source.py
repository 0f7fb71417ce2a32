"""Results on the Hub are read by commit, checked as a folder's, and what goes wrong leaves the last good mirror served."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shared.documents.revision import Revision
from space.hub.dataset import is_space_public
from space.queries.statement import Statement
from space.readers.source import SourceFault
from tests.builders.hub import READING, Hub, upload
from tests.space.publishing import CATALOG, DATASET, change_table
from tests.space.readers.growing import BENCHMARK, grow
from tests.space.readers.hub.sources import COUNT, READ_S, refresh_of, source_of
from tests.space.readers.test_refresh import append_record, next_revision, number_of

RECORDS = Statement("SELECT count(*) AS n FROM catalog")


def test_the_space_shows_what_lies_on_the_hub(hub: Hub, root: Path, tmp_path: Path) -> None:
    """Catalog and datasets are read at commits, large files from where the Hub keeps them."""
    commits = upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path, token=""))
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        assert mirror.rows(COUNT) == [{"n": 8}]
        assert mirror.revisions.catalog is not None
        assert mirror.revisions.catalog.commit == commits[CATALOG]
    refresh.close()


def test_every_byte_is_read_by_commit(hub: Hub, root: Path, tmp_path: Path) -> None:
    """No request names a branch but the one that asks where it is."""
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    refresh.refresh()
    assert not [call for call in hub.calls() if "main" in call.line]
    assert all(call.token == READING[-4:] for call in hub.calls())
    refresh.close()


def test_a_record_may_name_its_commit(hub: Hub, root: Path, tmp_path: Path) -> None:
    """And then the dataset is shown as it was there, whatever came later."""
    commit = upload(hub, root)[DATASET]
    change_table(
        root, "catalog", lambda rows: [row.update(dataset_revision=commit) for row in rows if row["dataset"] == DATASET], CATALOG
    )
    next_revision(root)
    upload(hub, root)
    hub.edit(DATASET, {"revisions/9.json": b"not read", "README.md": b"later"})
    refresh = refresh_of(source_of(hub, tmp_path))
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        assert mirror.revisions.datasets[DATASET].commit == commit
    refresh.close()


def test_an_unchanged_hub_is_asked_once(hub: Hub, root: Path, tmp_path: Path) -> None:
    """Looking again costs one question a dataset and downloads nothing."""
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    refresh.refresh()
    before = len(hub.calls("resolve"))
    refresh.refresh()
    assert len([call for call in hub.calls("resolve")[before:] if "revisions/" not in call.line]) == 0
    refresh.close()


def test_a_swap_downloads_what_is_new_alone(hub: Hub, root: Path, tmp_path: Path) -> None:
    """Files that the served mirror holds are taken from this machine, and hashed again."""
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    refresh.refresh()
    append_record(root, "withdrawn")
    upload(hub, root)
    before = len(hub.calls("resolve"))
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        assert mirror.rows(Statement("SELECT count(*) AS n FROM cell WHERE NOT stands")) == [{"n": 2}]
    fetched = [call.line for call in hub.calls("resolve")[before:] if "revisions/" not in call.line]
    assert len(fetched) == 1
    assert "tables/catalog" in fetched[0]
    refresh.close()
    assert not list(tmp_path.glob("seawall-mirrors-*/*.partial"))


def test_readers_during_swaps_get_the_answers_of_one_mirror(hub: Hub, root: Path, tmp_path: Path) -> None:
    """Four threads ask while the catalog grows on the Hub: no error, and each answer is that of the revision it was asked of."""
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    refresh.refresh()
    with refresh.lease() as mirror:
        first, published = number_of(mirror), mirror.rows(RECORDS)[0]["n"]
    stop = threading.Event()

    def read() -> set[tuple[int, int]]:
        seen = set()
        while not stop.is_set():
            with refresh.lease() as mirror:
                seen |= {(number_of(mirror), mirror.rows(RECORDS)[0]["n"]) for _ in range(5)}
        return seen

    with ThreadPoolExecutor(4) as pool:
        readers = [pool.submit(read) for _ in range(4)]
        for _ in range(2):
            append_record(root, "restored")
            upload(hub, root)
            assert refresh.refresh().state == "ready"
        stop.set()
        seen = set().union(*(reader.result() for reader in readers))
    assert seen <= {(first + swap, published + swap) for swap in range(3)}
    assert len(seen) > 1
    refresh.close()


def test_earlier_revisions_are_named_by_their_commits(hub: Hub, tmp_path: Path) -> None:
    """Each shows the numbers of then; the list carries the commit that made it."""
    made = []
    for count in (1, 2, 3):
        shutil.rmtree(tmp_path / "results", ignore_errors=True)
        grow(tmp_path / "results", count)
        made.append(upload(hub, tmp_path / "results")[CATALOG])
    refresh = refresh_of(source_of(hub, tmp_path))
    assert refresh.refresh().state == "ready"
    assert [(each.number, each.commit) for each in refresh.revisions.listed] == [(3, made[2]), (2, made[1]), (1, made[0])]
    with refresh.lease() as mirror:
        assert mirror.rows(COUNT) == [{"n": 6}]
    refresh.revisions._start = lambda work: work()
    with pytest.raises(SourceFault, match=r"source\.loading"), refresh.lease(2):
        pass
    with refresh.lease(2) as earlier:
        assert (number_of(earlier), earlier.rows(COUNT)) == (2, [{"n": 4}])
        assert set(earlier.revisions.datasets) == {f"example/{BENCHMARK}"}
    refresh.close()


def test_a_head_that_lags_is_no_newer_source(hub: Hub, root: Path, tmp_path: Path) -> None:
    """What was served stays, until the Hub shows what it had shown."""
    upload(hub, root)
    next_revision(root)
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    assert refresh.refresh().state == "ready"
    hub.fail("GET /api/datasets/example/catalog$", "stale_head")
    assert (refresh.refresh().state, refresh.standing.code) == ("stale", "source.rolled_back")
    assert refresh.refresh().state == "ready"
    refresh.close()


def test_a_rewritten_history_replaces_nothing(hub: Hub, root: Path, tmp_path: Path) -> None:
    """A list of files that was changed afterwards is found by the next revision."""
    upload(hub, root)
    refresh = refresh_of(source_of(hub, tmp_path))
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        served = number_of(mirror)
    next_revision(root)
    upload(hub, root)
    name = f"revisions/{served}.json"
    other = Revision.from_bytes(hub.files(CATALOG)[name]).model_copy(update={"because": "rewritten"})
    hub.edit(CATALOG, {name: other.to_bytes()})
    assert (refresh.refresh().state, refresh.standing.code) == ("stale", "source.rolled_back")
    refresh.close()


@pytest.mark.parametrize("to", ["http://localhost:{port}/_large/x", "http://169.254.169.254/latest/meta-data/"])
def test_no_answer_leads_to_another_host(hub: Hub, root: Path, tmp_path: Path, to: str) -> None:
    """A redirect elsewhere is not followed, whatever the Hub says."""
    upload(hub, root)
    fault = hub.fail("resolve/.*/tables/", "redirect", nth=0, to=to.format(port=hub.address.rpartition(":")[2]))
    refresh = refresh_of(source_of(hub, tmp_path))
    standing = refresh.refresh()
    assert (standing.state, standing.code, fault.fired) == ("failed", "source.unreachable", 1)
    assert "is not the Hub" in standing.message
    assert not hub.calls("/_large/x")
    refresh.close()


def test_private_results_are_read_with_the_reading_token(hub: Hub, root: Path, tmp_path: Path) -> None:
    """By a Space that not everybody can open; without the token they are not there."""
    upload(hub, root, private=True)
    assert refresh_of(source_of(hub, tmp_path)).refresh().state == "ready"
    standing = refresh_of(source_of(hub, tmp_path, token="")).refresh()
    assert (standing.state, standing.code) == ("failed", "source.unreachable")


@pytest.mark.parametrize("private", [CATALOG, DATASET])
def test_private_results_are_not_shown_to_everybody(hub: Hub, root: Path, tmp_path: Path, private: str) -> None:
    """Neither a private catalog nor one private dataset that it names."""
    upload(hub, root)
    hub.edit(private, private=True)
    source = source_of(hub, tmp_path, is_open=True)
    standing = refresh_of(source).refresh()
    assert (standing.state, standing.code) == ("failed", "source.visibility")
    if private == CATALOG:
        with pytest.raises(SourceFault, match=r"source\.visibility"):
            source.require_visible()


def test_whether_everybody_can_open_a_space_is_asked_without_a_token(hub: Hub) -> None:
    """One that is hidden is not open; a Hub that does not answer says nothing."""
    hub.edit("example/open", kind="spaces", private=False)
    hub.edit("example/closed", kind="spaces", private=True)
    assert is_space_public(hub.address, "example/open", READ_S)
    assert not is_space_public(hub.address, "example/closed", READ_S)
    assert {call.token for call in hub.calls()} == {""}
    hub.fail("spaces", "500_lost")
    with pytest.raises(Exception, match="HUB_UNREACHABLE"):
        is_space_public(hub.address, "example/open", READ_S)
