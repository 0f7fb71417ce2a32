"""An import killed with SIGKILL by real processes; the next call finishes it, and everything of it holds."""

import signal
from pathlib import Path
from typing import Final

import pytest

from runner.evidence.verification import verify_run
from runner.usecases.results.audit_tables import audit_tables
from shared.ids import RunId
from tests.builders.imports import JOBS, ORDER
from tests.kill.support.installation import Installation
from tests.kill.support.soundness import require_whole_markers

pytestmark = pytest.mark.kill
IMPORT: Final = ("results", "import", str(JOBS), "--benchmark", ORDER.benchmark, "--reason", ORDER.reason)
DIRECTED: Final = "import.before_trial:3"
"""Part of every `make test`; the others belong to `make test-long`."""
IMPORTING: Final = (
    DIRECTED, "import.before_record:1", "import.after_record:1", "import.before_trial:1", "import.before_trial:8",
    "import.before_root:1",
)  # fmt: skip
SHARED: Final = ("evidence.before_marker:2", "evidence.before_root:1", "publish.before_rows:1", "publish.after_rows:1")


@pytest.mark.parametrize(
    "fault",
    [pytest.param(each, marks=[] if each == DIRECTED else pytest.mark.long) for each in (*IMPORTING, *SHARED)],
)
def test_an_import_killed_at_one_point_is_finished_by_the_next(tmp_path: Path, fault: str) -> None:
    """Every visible marker has its whole bundle meanwhile; then there is one publication, and nothing is left running."""
    installation = Installation(tmp_path)
    assert installation.call(*IMPORT, SEAWALL_FAULT=f"cli/{fault}") == -signal.SIGKILL
    house = installation.house
    require_whole_markers(house)
    assert installation.call(*IMPORT) == 0
    head = house.results.head(ORDER.dataset)
    assert head is not None
    (run_id,) = head.runs
    assert verify_run(house.evidence, RunId(run_id)).statements == 8
    audit = audit_tables(house.results, [ORDER.dataset], ORDER.catalog)
    assert (audit.publications, audit.findings) == (1, ())
    assert installation.living() == []
