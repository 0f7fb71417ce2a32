"""A Hub of its own for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.hub import Hub


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    """A served double without repositories."""
    made = Hub(tmp_path / "hub")
    yield made
    made.close()
