"""The result store: revisions are numbered once, killed publishers leave nothing that stands in the way."""

import os
import stat
from pathlib import Path

import pytest

from runner.adapters.local.stores.results import LocalResults
from runner.ports.stores.answers import Conflict
from shared import paths
from shared.documents.revision import Revision
from shared.errors import Refused

DATASET = "local/starter"


def commit(store: LocalResults, parent: Revision | None, files: dict[str, bytes], run: str = "run-1") -> object:
    """Add `files` to `parent`."""
    return store.commit(
        DATASET,
        parent,
        dict(files),
        kind="results",
        runs={run: "pub-1"},
        rows=1,
        because="test",
        created_at="2026-01-01T00:00:00Z",
    )


def test_a_file_that_a_killed_publisher_left_is_replaced(tmp_path: Path) -> None:
    """Another writer version makes other bytes of the same rows; that must not conflict for ever."""
    store = LocalResults(tmp_path)
    left = tmp_path / DATASET / "tables/runs/benchmark=starter/pub-1-001.parquet"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"by the version before")
    made = commit(store, None, {"tables/runs/benchmark=starter/pub-1-001.parquet": b"by this version"})
    assert isinstance(made, Revision)
    assert store.read(DATASET, made, "tables/runs/benchmark=starter/pub-1-001.parquet") == b"by this version"


def test_a_published_file_is_never_replaced(tmp_path: Path) -> None:
    """What a revision lists stands for ever."""
    store = LocalResults(tmp_path)
    first = commit(store, None, {"a": b"1"})
    assert isinstance(first, Revision)
    assert isinstance(commit(store, first, {"a": b"2"}, "run-2"), Conflict)
    assert store.read(DATASET, first, "a") == b"1"


def test_a_commit_on_an_old_revision_conflicts_and_writes_nothing(tmp_path: Path) -> None:
    """Two publishers that read one head make one winner."""
    store = LocalResults(tmp_path)
    assert isinstance(commit(store, None, {"a": b"1"}), Revision)
    assert isinstance(commit(store, None, {"b": b"2"}, "run-2"), Conflict)
    assert not (tmp_path / DATASET / "b").exists()


def test_a_pointer_left_behind_is_rolled_forward(tmp_path: Path) -> None:
    """The revision is the commit; the pointer follows."""
    store = LocalResults(tmp_path)
    first = commit(store, None, {"a": b"1"})
    assert isinstance(first, Revision)
    before = (tmp_path / DATASET / paths.CURRENT).read_bytes()
    second = commit(store, first, {"b": b"2"}, "run-2")
    (tmp_path / DATASET / paths.CURRENT).write_bytes(before)
    assert store.head(DATASET) == second
    assert (tmp_path / DATASET / paths.CURRENT).read_bytes() != before


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """Reading checks size and digest against the revision."""
    store = LocalResults(tmp_path)
    made = commit(store, None, {"a": b"1"})
    assert isinstance(made, Revision)
    (tmp_path / DATASET / "a").chmod(0o600)
    (tmp_path / DATASET / "a").write_bytes(b"2")
    with pytest.raises(Refused, match="RESULT_BROKEN"):
        store.read(DATASET, made, "a")


def test_what_is_published_may_be_read_by_whoever_the_umask_lets(tmp_path: Path) -> None:
    """Files, revisions and the pointer: a web server of another user serves them."""
    before = os.umask(0o027)
    try:
        store = LocalResults(tmp_path)
        assert isinstance(commit(store, None, {"tables/a": b"1"}), Revision)
    finally:
        os.umask(before)
    published = [tmp_path / DATASET / name for name in ("tables/a", paths.revision_file(1), paths.CURRENT)]
    assert {stat.S_IMODE(path.stat().st_mode) for path in published} == {0o640}
