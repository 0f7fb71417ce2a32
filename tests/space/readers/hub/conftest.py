"""A Hub of one's own, and what is published to be uploaded there."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.hub import Hub


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A Hub of one's own."""
    made = Hub(tmp_path / "hub")
    yield made
    made.close()


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """What is published, to be changed and uploaded again."""
    return Path(shutil.copytree(published, tmp_path / "results"))
