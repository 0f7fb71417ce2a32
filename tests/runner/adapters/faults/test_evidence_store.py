from pathlib import Path

import pytest

from runner.adapters.faults.evidence_store import EvidenceFault, FaultyEvidenceStore
from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.evidence.bundle import PUT_TRIES, seal_attempt
from runner.evidence.verification import verify_bundle
from shared.errors import StoreFault
from tests.runner.evidence.trees import ORDER, PREFIX, everything, make_attempt


@pytest.mark.parametrize("fault", [EvidenceFault.LOST, EvidenceFault.LANDED])
def test_two_failed_puts_and_one_that_answers_are_enough(tmp_path: Path, fault: EvidenceFault) -> None:
    """A put that answered 500, lost or landed, is tried again; the bundle ends whole."""
    local = LocalEvidenceStore(tmp_path / "store")
    store = FaultyEvidenceStore(local, {("put", 1): fault, ("put", 2): fault, ("put", 5): fault})
    sealed = seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    assert verify_bundle(local, PREFIX) == sealed
    assert store.passed["put"] == sealed.files + 2 + 3


def test_a_store_that_never_answers_ends_after_three_tries(tmp_path: Path) -> None:
    """The seal fails with an unknown outcome, and a later seal finishes it."""
    local = LocalEvidenceStore(tmp_path / "store")
    store = FaultyEvidenceStore(local, {("put", 0): EvidenceFault.LANDED})
    staging = make_attempt(tmp_path / "a")
    with pytest.raises(StoreFault, match="EVIDENCE_UNKNOWN"):
        seal_attempt(staging, PREFIX, ORDER, store)
    assert store.passed["put"] == PUT_TRIES
    seal_attempt(staging, PREFIX, ORDER, local)
    verify_bundle(local, PREFIX)


@pytest.mark.parametrize("fault", [EvidenceFault.FLIPPED, EvidenceFault.CUT])
def test_a_bad_read_back_is_not_believed(tmp_path: Path, fault: EvidenceFault) -> None:
    """What reads back differently is put and read again, three times at most, and never marked."""
    local = LocalEvidenceStore(tmp_path / "store")
    store = FaultyEvidenceStore(local, {("open", 0): fault})
    with pytest.raises(StoreFault, match="not what was written"):
        seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    assert not [file for file in local.list(PREFIX) if "/_" in file.path]


def test_a_store_that_is_down_is_not_retried_here(tmp_path: Path) -> None:
    """A fault that the adapter raises for good ends the seal at once."""
    store = FaultyEvidenceStore(LocalEvidenceStore(tmp_path / "store"), {("put", 2): EvidenceFault.REFUSED})
    with pytest.raises(StoreFault, match="EVIDENCE_DOWN"):
        seal_attempt(make_attempt(tmp_path / "a"), PREFIX, ORDER, store)
    assert store.passed["put"] == 2


def test_a_seal_that_stops_at_any_put_shows_no_unfinished_marker(tmp_path: Path) -> None:
    """Whichever put is the last one, a visible marker has its whole bundle, and sealing again finishes it."""
    staging = make_attempt(tmp_path / "a")
    whole = seal_attempt(staging, PREFIX, ORDER, LocalEvidenceStore(tmp_path / "whole"))
    for last in range(1, whole.files + 3):
        local = LocalEvidenceStore(tmp_path / f"store-{last}")
        with pytest.raises(StoreFault):
            seal_attempt(staging, PREFIX, ORDER, FaultyEvidenceStore(local, {("put", last): EvidenceFault.REFUSED}))
        assert local.stat(f"{PREFIX}/_SUCCESS") is None
        assert (local.stat(f"{PREFIX}/checksums.json") is None) == (last <= whole.files + 1)
        assert seal_attempt(staging, PREFIX, ORDER, local) == whole
        assert everything(local.root) == everything(tmp_path / "whole")
