"""Reading the manifest that a person names: never waiting for a pipe, never swallowing a huge file."""

import os
from pathlib import Path

import pytest

from runner.cli.manifest_file import read_manifest_file
from shared.documents.yaml_reader import MAX_BYTES
from shared.errors import BadInput


def refusal(path: Path) -> BadInput:
    with pytest.raises(BadInput) as caught:
        read_manifest_file(path)
    assert caught.value.field == "MANIFEST"
    return caught.value


def test_a_regular_file_is_read_whole(tmp_path: Path) -> None:
    """Up to the size that a manifest may have; a link to one is one."""
    (tmp_path / "real.yaml").write_bytes(b"a" * MAX_BYTES)
    (tmp_path / "link.yaml").symlink_to("real.yaml")
    assert read_manifest_file(tmp_path / "link.yaml") == b"a" * MAX_BYTES


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    """Nobody writes to it, and nobody waits."""
    os.mkfifo(tmp_path / "pipe")
    assert refusal(tmp_path / "pipe").code == "MANIFEST_NO_FILE"


def test_a_folder_and_a_device_are_refused(tmp_path: Path) -> None:
    """Neither is a manifest."""
    assert (refusal(tmp_path).code, refusal(Path("/dev/zero")).code) == ("MANIFEST_MISSING", "MANIFEST_NO_FILE")


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    """By its size alone: here a terabyte of nothing."""
    with (tmp_path / "huge").open("wb") as stream:
        stream.truncate(1 << 40)
    assert "1099511627776 bytes" in refusal(tmp_path / "huge").message


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """With the system's reason; a name that can be none too."""
    assert "No such file" in refusal(tmp_path / "none").message
    assert refusal(Path("a\0b")).code == "MANIFEST_MISSING"
