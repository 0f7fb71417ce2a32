"""An empty inbox on a Hub of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.space.requests.hub.desks import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty inbox on a Hub."""
    made = Desk(tmp_path / "hub")
    yield made
    made.hub.close()
