"""One installation with a published run, for every test of the command line; each alters a copy of its own."""

import shutil
from pathlib import Path

import pytest

from shared.ids import RunId
from tests.builders.houses import Place


@pytest.fixture
def installation(published: tuple[Place, RunId], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunId:
    """Point the command line at a copy of an installation with one published run; return that run."""
    place, run_id = published
    shutil.copytree(place.folder / "home", tmp_path / "home")
    shutil.copytree(place.folder / "results", tmp_path / "results")
    monkeypatch.setenv("SEAWALL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SEAWALL_RESULTS", str(tmp_path / "results"))
    monkeypatch.setenv("SEAWALL_HARNESS", str(tmp_path / "no-such-interpreter"))
    return run_id
