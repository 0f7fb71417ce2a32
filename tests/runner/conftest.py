"""One published run per test process; each test alters a copy of its own."""

import shutil
from pathlib import Path

import pytest

from shared.ids import RunId
from tests.builders.forger import Forger
from tests.builders.houses import Place, starter_tree


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, RunId]:
    """Return an installation whose one run is published; it is read and never changed."""
    place = Place(tmp_path_factory.mktemp("published"))
    run_id = place.submit(starter_tree(repeats=2))
    place.finish()
    return place, run_id


@pytest.fixture
def forger(published: tuple[Place, RunId], tmp_path: Path) -> Forger:
    """Return a copy of what the run published, to be altered."""
    place, run_id = published
    shutil.copytree(place.house.settings.results, tmp_path / "results")
    return Forger(tmp_path / "results", run_id)
