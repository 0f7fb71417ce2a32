"""Which store a setting opens, and the start that is refused where anybody would see what is private."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.errors import Refused
from space.config import read_settings
from space.readers.folder import FolderSource
from space.readers.hub.source import HubSource
from space.stores import source_of
from tests.builders.hub import READING, Hub, upload
from tests.space.publishing import CATALOG

ROOT = Path(__file__).parents[2]
SPACE = "example/seawall"


@pytest.fixture
def hub(tmp_path: Path, published: Path) -> Iterator[Hub]:
    """A Hub with private results and this Space."""
    made = Hub(tmp_path / "hub")
    upload(made, published, private=True)
    yield made
    made.close()


def environment(hub: Hub, **changes: str) -> dict[str, str]:
    """Return the settings of a Space over the private results."""
    given = {"SEAWALL_SOURCE": f"hub:{CATALOG}", "SEAWALL_READ_TOKEN": READING, "HF_ENDPOINT": hub.address, "SPACE_ID": SPACE}
    return {name: value for name, value in {**given, **changes}.items() if value}


def test_a_space_that_anybody_can_open_does_not_start_over_private_results(hub: Hub) -> None:
    """The process ends with 3, names the setting, and says no token."""
    hub.edit(SPACE, kind="spaces", private=False)
    with pytest.raises(Refused, match=r"source\.visibility"):
        source_of(read_settings(environment(hub)))
    run = subprocess.run(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**environment(hub), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (run.returncode, "source.visibility" in run.stderr, READING in run.stderr) == (3, True, False)


def test_a_private_space_starts_over_private_results(hub: Hub) -> None:
    """So does one on a machine of one's own."""
    hub.edit(SPACE, kind="spaces", private=True)
    for changes in ({}, {"SPACE_ID": ""}):
        source = source_of(read_settings(environment(hub, **changes)))
        assert isinstance(source, HubSource)
        assert source.catalog() is not None


def test_a_hub_that_is_away_does_not_keep_the_space_from_starting(hub: Hub) -> None:
    """It shows nothing until it was asked who may see it."""
    hub.edit(SPACE, kind="spaces", private=False)
    hub.fail("", "500_lost", nth=0)
    source = source_of(read_settings(environment(hub)))
    hub.heal()
    with pytest.raises(Exception, match=r"source\.visibility"):
        source.catalog()


def test_a_folder_stays_a_folder(published: Path) -> None:
    """Without a Hub."""
    assert isinstance(source_of(read_settings({"SEAWALL_SOURCE": f"folder:{published}"})), FolderSource)
