"""An installation that can only be read: what reads answers as ever, what writes says why it cannot."""

import shutil
from pathlib import Path
from typing import Final

from shared.ids import RunId
from tests.builders.forger import DATASET
from tests.builders.houses import Place
from tests.builders.mounts import needs_mounts, where_read_only

pytestmark = needs_mounts
CALLS: Final = """
import io, json, os, sys
from contextlib import redirect_stdout
from runner.cli.main import main
found = []
for arguments in json.loads(os.environ["CALLS"]):
    with redirect_stdout(io.StringIO()) as said:
        code = main([*arguments, "--json"])
    found.append([code, json.loads(said.getvalue())["code"]])
print(json.dumps(found))
"""


def calls(place: Place, folder: Path, *arguments: list[str]) -> list[list[object]]:
    """Return exit code and code of each command, in a read-only copy of the installation."""
    import json

    for name in ("home", "results"):
        shutil.copytree(place.folder / name, folder / "place" / name)
    environment = {"SEAWALL_HOME": str(folder / "place/home"), "SEAWALL_RESULTS": str(folder / "place/results")}
    found: list[list[object]] = where_read_only(folder / "place", CALLS, {**environment, "CALLS": json.dumps(arguments)})
    return found


def test_what_reads_answers(published: tuple[Place, RunId], tmp_path: Path) -> None:
    """Status, list, audit, verify-row and evidence verify, with no file changed beside what they read."""
    place, run_id = published
    verbs = [
        ["run", "list"],
        ["run", "status", run_id[-8:]],
        ["results", "list"],
        ["results", "audit"],
        ["results", "verify-row", DATASET, "runs", run_id, "--evidence", str(tmp_path / "place/home/evidence")],
        ["evidence", "verify", run_id],
    ]
    assert calls(place, tmp_path, *verbs) == [[0, "OK"]] * len(verbs)


def test_what_writes_says_why_it_cannot(published: tuple[Place, RunId], tmp_path: Path) -> None:
    """Nothing is believed to be written."""
    place, run_id = published
    assert calls(place, tmp_path, ["run", "cancel", run_id]) == [[7, "STORE_READ_ONLY"]]
