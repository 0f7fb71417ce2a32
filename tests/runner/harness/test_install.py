"""Tests of installing Harbor's environment: which uv is used, and what is said when it does not do."""

from pathlib import Path

import pytest

from runner.harness.install import SETUP_UV, TOLD_LINES, find_uv, install
from runner.ports.compute.harness import HarnessMissing


def program(path: Path, text: str) -> Path:
    """Write a shell script that stands for uv."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def refusal(uv: Path, root: Path) -> HarnessMissing:
    with pytest.raises(HarnessMissing) as caught:
        install(uv, root)
    assert "--uv PATH" in caught.value.way_out
    return caught.value


def test_the_whole_complaint_is_told(tmp_path: Path) -> None:
    """Up to its last 20 lines."""
    error = refusal(program(tmp_path / "uv", "i=1; while [ $i -le 25 ]; do echo line $i >&2; i=$((i+1)); done; exit 2"), tmp_path)
    told = [line for line in error.message.splitlines() if line.startswith("line ")]
    assert told == [f"line {number}" for number in range(26 - TOLD_LINES, 26)]


@pytest.mark.parametrize("is_there", [True, False])
def test_a_program_that_cannot_be_run_is_named(tmp_path: Path, *, is_there: bool) -> None:
    """One that is not there, or is no program."""
    uv = tmp_path / "uv"
    if is_there:
        uv.write_text("no program")
    error = refusal(uv, tmp_path)
    assert (error.code, str(uv) in error.message) == ("HARNESS_MISSING", True)


def test_the_program_of_the_setup_is_found_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Setup made it because the one on PATH does not work; without it PATH decides."""
    on_path = program(tmp_path / "bin" / "uv", "exit 0")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_uv(tmp_path) == on_path
    own = program(tmp_path / SETUP_UV, "exit 0")
    assert find_uv(tmp_path) == own


def test_without_any_program_the_option_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the script that fetches one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    with pytest.raises(HarnessMissing) as caught:
        find_uv(tmp_path)
    assert "--uv PATH" in caught.value.way_out
