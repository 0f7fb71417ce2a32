"""A real disk without room: every store of this machine says so by one name, and nothing half-written is there."""

from pathlib import Path
from typing import Final

import pytest

from tests.builders.mounts import needs_mounts, on_small_disk

pytestmark = needs_mounts
STORES: Final = """
import json, sys
from pathlib import Path
from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.adapters.local.stores.objects import LocalObjects
from runner.adapters.local.stores.results import LocalResults
root, data = Path(sys.argv[1]), b"x" * 1_000_000
answers = [
    LocalObjects(root).put(data),
    LocalEvidenceStore(root / "evidence").put("runs/one", data),
    LocalResults(root / "results").commit(
        "a/b", None, {"one": data}, kind="results", runs={}, rows=0, because="test", created_at="2026-01-01T00:00:00Z"
    ),
]
left = [path.name for path in root.rglob("*") if path.is_file() and path.name != "lock"]
print(json.dumps([[each.is_full for each in answers], left]))
"""
LOG: Final = """
import json, sys
from pathlib import Path
from runner.adapters.local.state.sqlite_files import open_file, transact
from shared.errors import StoreFault
try:
    connection = open_file(Path(sys.argv[1]) / "a.sqlite", "CREATE TABLE IF NOT EXISTS one (x BLOB)")
    while True:
        transact(connection, lambda: connection.execute("INSERT INTO one VALUES (?)", (b"x" * 1000,)))
except StoreFault as error:
    print(json.dumps(error.code))
"""


def test_what_found_no_room_is_not_there(tmp_path: Path) -> None:
    """Objects, evidence and results: full, and no part of a file stands."""
    assert on_small_disk(tmp_path, 300_000, STORES) == [[True, True, True], []]


@pytest.mark.parametrize("size", [1, 8_193, 32_769, 65_537])
def test_the_log_is_full_whichever_of_its_files_found_no_room(tmp_path: Path, size: int) -> None:
    """The file itself, its write-ahead log, or the index beside it, which SQLite calls an I/O error."""
    assert on_small_disk(tmp_path, size, LOG) == "STORE_FULL"
