"""Sources and refreshes over a Hub, as tests open them."""

from pathlib import Path

from space.hub.dataset import HubDataset
from space.hub.place import HubPlace
from space.queries.statement import Statement
from space.readers.hub.source import HubSource
from space.readers.refresh import Refresh
from tests.builders.hub import READING, Hub
from tests.space.publishing import CATALOG
from tests.space.readers.test_refresh import Clock

COUNT = Statement("SELECT count(*) AS n FROM cell")
READ_S = 0.5


def source_of(hub: Hub, tmp_path: Path, token: str = READING, *, is_open: bool = False) -> HubSource:
    """Return the source over the catalog."""
    return HubSource(HubDataset(HubPlace(CATALOG, hub.address, token), READ_S), lambda: is_open, tmp_path)


def refresh_of(source: HubSource) -> Refresh:
    """Return a refresh that has not looked yet."""
    return Refresh(source, memory_mib=256, clock=Clock())
