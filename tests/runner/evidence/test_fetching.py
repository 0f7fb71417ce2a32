from pathlib import Path

import pytest

from runner.adapters.faults.evidence_store import EvidenceFault, FaultyEvidenceStore
from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.bundle import seal_attempt
from runner.evidence.fetching import fetch_bundle
from shared.errors import BadInput, Refused
from tests.runner.evidence.trees import ORDER, PREFIX, everything, make_attempt


def test_a_fetched_bundle_is_the_stored_one(tmp_path: Path) -> None:
    """Every file, the checksums and the marker are copied to the byte."""
    store = LocalEvidenceStore(tmp_path / "store")
    sealed = seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    assert fetch_bundle(store, PREFIX, tmp_path / "copy") == sealed
    assert everything(tmp_path / "copy") == everything(store.root / PREFIX)


def test_a_folder_that_is_there_is_not_written_into(tmp_path: Path) -> None:
    """An existing folder is refused before anything is read."""
    with pytest.raises(BadInput, match="FOLDER_EXISTS"):
        fetch_bundle(LocalEvidenceStore(tmp_path), PREFIX, tmp_path)


def test_bytes_that_change_between_verification_and_copy_are_refused(tmp_path: Path) -> None:
    """A copy that differs from what was verified gets no marker."""
    local = LocalEvidenceStore(tmp_path / "store")
    sealed = seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, local)
    counted = FaultyEvidenceStore(local, {})
    fetch_bundle(counted, PREFIX, tmp_path / "whole")
    first_copy = counted.passed["open"] - sealed.files + 1
    faulty = FaultyEvidenceStore(local, {("open", first_copy): EvidenceFault.FLIPPED})
    with pytest.raises(Refused, match="changed between verification and copy"):
        fetch_bundle(faulty, PREFIX, tmp_path / "copy")
    assert not (tmp_path / "copy/_SUCCESS").exists()
