from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runner.adapters.faults.evidence_store import FaultyEvidenceStore
from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.ports.stores.answers import Applied, Conflict
from runner.ports.stores.evidence_store import EvidenceStore, StoredFile
from shared.digests import sha256
from shared.errors import Refused


@pytest.fixture(params=["local", "faults"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> EvidenceStore:
    """Return an empty store of each kind; the wrapper with no fault planned keeps every promise of what it wraps."""
    local = LocalEvidenceStore(tmp_path / "store")
    return local if request.param == "local" else FaultyEvidenceStore(local, {})


def read(store: EvidenceStore, path: str) -> bytes:
    """Return all bytes at `path`."""
    with store.open(path) as stream:
        return stream.read()


def test_what_was_put_is_read(store: EvidenceStore) -> None:
    """Bytes come back as they were given, with digest and size in the answer."""
    assert store.put("a/b.txt", b"hello") == Applied(sha256(b"hello"), 5, is_new=True)
    assert (read(store, "a/b.txt"), store.stat("a/b.txt")) == (b"hello", 5)


def test_a_file_is_put_as_its_bytes(store: EvidenceStore, tmp_path: Path) -> None:
    """A path as the source gives the same answer as its bytes."""
    (tmp_path / "source").write_bytes(b"x" * 3_000_000)
    assert store.put("big", tmp_path / "source") == Applied(sha256(b"x" * 3_000_000), 3_000_000, is_new=True)


def test_equal_bytes_again_are_no_effect(store: EvidenceStore) -> None:
    """Putting again is Applied and not new."""
    store.put("a", b"one")
    assert store.put("a", b"one") == Applied(sha256(b"one"), 3, is_new=False)


def test_other_bytes_are_a_conflict_and_change_nothing(store: EvidenceStore) -> None:
    """A path is written once."""
    store.put("a", b"one")
    assert store.put("a", b"two") == Conflict("a", sha256(b"one"))
    assert read(store, "a") == b"one"


def test_what_is_not_there_is_said_so(store: EvidenceStore) -> None:
    """A missing file has no size and cannot be opened; a missing prefix lists nothing."""
    assert store.stat("a/b") is None
    assert list(store.list("a")) == []
    with pytest.raises(Refused, match="EVIDENCE_MISSING"):
        store.open("a/b")


def test_a_listing_is_sorted_and_ends_at_the_prefix(store: EvidenceStore) -> None:
    """`a` lists what is under `a/`, never `ab`."""
    for path in ("a/z", "a/b/c", "ab", "a/b-c"):
        store.put(path, b"1")
    assert list(store.list("a")) == [StoredFile("a/b-c", 1), StoredFile("a/b/c", 1), StoredFile("a/z", 1)]


def test_of_many_writers_of_one_path_one_wins(store: EvidenceStore) -> None:
    """Sixteen writers of different bytes end with one of them whole and fifteen conflicts that name it."""
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda n: store.put("a", bytes([n]) * 100_000), range(16)))
    won = [answer for answer in answers if isinstance(answer, Applied)]
    assert len(won) == 1
    assert {answer.sha256 for answer in answers} == {won[0].sha256} == {sha256(read(store, "a"))}  # type: ignore[union-attr]  # none is Unknown


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../b", "a//b", "a\\b", "a\nb"])
def test_a_path_out_of_the_store_is_refused(store: EvidenceStore, path: str) -> None:
    """No path leads outside."""
    with pytest.raises(ValueError, match="expected a"):
        store.put(path, b"x")
