import os
import stat
from pathlib import Path

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.adapters.local.stores.write_once import INCOMING, write_once
from runner.ports.stores.answers import Unknown


def test_nothing_is_left_in_the_incoming_folder(tmp_path: Path) -> None:
    """The temporary file goes away, after success and after a conflict."""
    write_once(tmp_path, "a", b"1")
    write_once(tmp_path, "a", b"2")
    assert list((tmp_path / INCOMING).iterdir()) == []


def test_leftovers_of_a_killed_writer_are_not_listed(tmp_path: Path) -> None:
    """What a killed process left in the incoming folder is no evidence."""
    store = LocalEvidenceStore(tmp_path)
    store.put("a", b"1")
    (tmp_path / INCOMING / "torn").write_bytes(b"half")
    assert [file.path for file in store.list("")] == ["a"]


def test_a_full_disk_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operating-system error is neither success nor failure."""

    def no_space(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    answer = LocalEvidenceStore(tmp_path).put("a", b"1")
    assert answer == Unknown("a", "OSError: No space left on device", is_full=True)
    assert not (tmp_path / "a").exists()


def test_evidence_is_private_whatever_the_umask_is(tmp_path: Path) -> None:
    """It may hold what a task printed; what is published is another matter."""
    before = os.umask(0)
    try:
        LocalEvidenceStore(tmp_path).put("a", b"1")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
