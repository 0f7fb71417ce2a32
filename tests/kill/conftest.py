"""One submitted request, and one run that nothing disturbed, for all kill tests of a session."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from runner.usecases.journals.loading import load_plan
from tests.kill.support.installation import COMPILED, Installation, copy_submitted, living_below, write_experiment
from tests.kill.support.published import Published, read_published


class Undisturbed(NamedTuple):
    """A run that ended without a kill."""

    installation: Installation
    published: Published


@pytest.fixture(scope="session", autouse=True)
def compiled() -> Iterator[None]:
    """Remove the modules that this session's processes compiled."""
    yield
    shutil.rmtree(COMPILED, ignore_errors=True)


@pytest.fixture(autouse=True)
def left_running(tmp_path: Path) -> Iterator[None]:
    """End what a failed test has left running in its folder."""
    yield
    for pid in living_below(tmp_path):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


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
