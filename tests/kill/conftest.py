"""One submitted request, and one run that nothing disturbed, for all kill tests of a session."""

from pathlib import Path
from typing import NamedTuple

import pytest

from runner.usecases.control.loading import load_plan
from tests.kill.installation import Installation, copy_submitted, write_experiment
from tests.kill.published import Published, read_published


class Undisturbed(NamedTuple):
    """A run that ended without a kill."""

    installation: Installation
    published: Published


@pytest.fixture(scope="session")
def submitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose `home` has one submitted request and no pass has seen it."""
    folder = tmp_path_factory.mktemp("submitted")
    installation = Installation(folder)
    manifest = write_experiment(folder / "experiment")
    assert installation.call("run", "submit", str(manifest), "--key", "kill") == 0
    return folder


@pytest.fixture(scope="session")
def undisturbed(submitted: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Return the same request carried out without a kill."""
    installation = copy_submitted(submitted, tmp_path_factory.mktemp("undisturbed"))
    assert installation.finish() == 0
    state, house = installation.state(), installation.house
    publishing = load_plan(house.objects, state.run.plan_digest).publishing
    return Undisturbed(installation, read_published(house, publishing))
