"""Copying a bundle out of the store: to the byte, whole or not there, safe to repeat, and over nothing of anybody's."""

from pathlib import Path

import pytest

from runner.adapters.faults.evidence_store import EvidenceFault, FaultyEvidenceStore
from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.bundle import SealedBundle, seal_attempt
from runner.evidence.fetching import Fetched, fetch_bundle, find_attempt
from shared import paths
from shared.errors import BadInput, Refused, StoreFault
from shared.ids import RunId
from tests.runner.evidence.trees import CELL, ORDER, PREFIX, RUN, everything, make_attempt, seal_trial_attempt


@pytest.fixture
def store(tmp_path: Path) -> LocalEvidenceStore:
    """A store that holds one bundle."""
    return LocalEvidenceStore(tmp_path / "store")


@pytest.fixture
def sealed(store: LocalEvidenceStore, tmp_path: Path) -> SealedBundle:
    """The bundle."""
    return seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)


def test_a_fetched_bundle_is_the_stored_one(store: LocalEvidenceStore, sealed: SealedBundle, tmp_path: Path) -> None:
    """Every file, the checksums and the marker are copied to the byte, and nothing is left beside them."""
    before = {each.name for each in tmp_path.iterdir()}
    assert fetch_bundle(store, PREFIX, tmp_path / "copy") == Fetched(sealed, is_new=True)
    assert everything(tmp_path / "copy") == everything(store.root / PREFIX)
    assert {each.name for each in tmp_path.iterdir()} - before == {"copy"}


def test_a_copy_is_for_its_owner_alone(store: LocalEvidenceStore, sealed: SealedBundle, tmp_path: Path) -> None:
    """Evidence is private on the machine that it is copied to."""
    fetch_bundle(store, PREFIX, tmp_path / "copy")
    assert (tmp_path / "copy").stat().st_mode & 0o077 == 0
    assert sealed.files > 0


def test_an_empty_folder_takes_the_copy(store: LocalEvidenceStore, sealed: SealedBundle, tmp_path: Path) -> None:
    """As one that is not there does."""
    (tmp_path / "copy").mkdir()
    assert fetch_bundle(store, PREFIX, tmp_path / "copy").bundle == sealed
    assert everything(tmp_path / "copy") == everything(store.root / PREFIX)


def test_fetching_again_verifies_the_copy_and_changes_nothing(
    store: LocalEvidenceStore, sealed: SealedBundle, tmp_path: Path
) -> None:
    """A copy that was altered since is refused, not mended under its reader's hands."""
    fetch_bundle(store, PREFIX, tmp_path / "copy")
    times = {file: file.stat().st_mtime_ns for file in (tmp_path / "copy").rglob("*")}
    assert fetch_bundle(store, PREFIX, tmp_path / "copy") == Fetched(sealed, is_new=False)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "copy").rglob("*")} == times
    (tmp_path / "copy" / "attempt.json").write_bytes(b"{}")
    with pytest.raises(BadInput, match="FOLDER_NOT_EMPTY"):
        fetch_bundle(store, PREFIX, tmp_path / "copy")


@pytest.mark.parametrize("what", ["file in it", "file", "link", "more than the copy"])
def test_what_is_there_is_not_written_into(store: LocalEvidenceStore, sealed: SealedBundle, tmp_path: Path, what: str) -> None:
    """Somebody's folder, file or link stays as it was."""
    into, other = tmp_path / "copy", tmp_path / "other"
    other.mkdir()
    if what == "file":
        into.write_text("mine")
    elif what == "link":
        into.symlink_to(other)
    elif what == "file in it":
        into.mkdir()
        (into / "notes").write_text("mine")
    else:
        fetch_bundle(store, PREFIX, into)
        (into / "notes").write_text("mine")
    before = everything(tmp_path)
    with pytest.raises(BadInput, match="FOLDER_NOT_EMPTY"):
        fetch_bundle(store, PREFIX, into)
    assert everything(tmp_path) == before
    assert sealed.subject == "att-1"


def test_bytes_that_change_between_verification_and_copy_are_refused(
    store: LocalEvidenceStore, sealed: SealedBundle, tmp_path: Path
) -> None:
    """A copy that differs from what was verified never takes its name; the next fetch mends what was left."""
    counted = FaultyEvidenceStore(store, {})
    fetch_bundle(counted, PREFIX, tmp_path / "whole")
    first_copy = counted.passed["open"] - sealed.files + 1
    faulty = FaultyEvidenceStore(store, {("open", first_copy): EvidenceFault.FLIPPED})
    with pytest.raises(Refused, match="changed between verification and copy"):
        fetch_bundle(faulty, PREFIX, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    fetch_bundle(store, PREFIX, tmp_path / "copy")
    assert everything(tmp_path / "copy") == everything(store.root / PREFIX)


def test_a_copy_that_was_ended_goes_on_where_it_was(store: LocalEvidenceStore, sealed: SealedBundle, tmp_path: Path) -> None:
    """At whichever file: what is copied and whole is not read for copying again."""
    counted = FaultyEvidenceStore(store, {})
    fetch_bundle(counted, PREFIX, tmp_path / "whole")
    verifying = counted.passed["open"] - sealed.files
    for done in range(sealed.files):
        into = tmp_path / f"copy-{done}"
        faulty = FaultyEvidenceStore(store, {("open", verifying + done + 1): EvidenceFault.REFUSED})
        with pytest.raises(StoreFault):
            fetch_bundle(faulty, PREFIX, into)
        assert not into.exists()
        again = FaultyEvidenceStore(store, {})
        fetch_bundle(again, PREFIX, into)
        assert again.passed["open"] == verifying + sealed.files - done
        assert everything(into) == everything(store.root / PREFIX)


def test_an_attempt_is_found_by_the_end_of_its_id(store: LocalEvidenceStore, tmp_path: Path) -> None:
    """Among the attempts of its run; one that several share, or none has, is refused."""
    _, one = seal_trial_attempt(tmp_path / "work", store, 1)
    seal_trial_attempt(tmp_path / "work", store, 2)
    attempt = one.subject
    assert find_attempt(store, RUN, attempt) == find_attempt(store, RUN, attempt[-12:]) == one.prefix
    assert one.prefix.startswith(paths.cell_prefix(RUN, CELL))
    with pytest.raises(Refused, match="AMBIGUOUS"):
        find_attempt(store, RUN, _shared_end(store))
    for run_id, name in ((RUN, "att-" + "0" * 32), (RUN, ""), (RunId("run-" + "1" * 32), attempt)):
        with pytest.raises(Refused, match="NOT_FOUND"):
            find_attempt(store, run_id, name)


def test_an_attempt_that_is_not_sealed_is_not_copied(store: LocalEvidenceStore, tmp_path: Path) -> None:
    """It may still be under way."""
    prefix = f"{paths.run_prefix(RUN)}/cells/c/trials/t/attempts/att-1"
    store.put(f"{prefix}/{paths.ATTEMPT}", b"{}")
    with pytest.raises(Refused, match="BUNDLE_UNSEALED"):
        fetch_bundle(store, find_attempt(store, RUN, "att-1"), tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def _shared_end(store: LocalEvidenceStore) -> str:
    """Seal attempts until two share the last character of their ids; return it."""
    names: list[str] = []
    for number in range(3, 40):
        _, sealed = seal_trial_attempt(store.root.parent / "work", store, number)
        if sealed.subject[-1] in {name[-1] for name in names}:
            return sealed.subject[-1]
        names.append(sealed.subject)
    raise AssertionError("sixteen characters and no two equal")
