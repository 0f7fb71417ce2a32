"""Publishing twice, and eight times at once, by real processes: one publication, a dense catalog, tables that can be rebuilt."""

import shutil
import sys
import time
from pathlib import Path

import pytest

from runner.usecases.journals.loading import load_plan
from runner.usecases.results.audit_tables import audit_tables
from tests.kill.conftest import Undisturbed
from tests.kill.support.installation import END_S, Installation
from tests.kill.support.published import differences, published_digests, read_published

pytestmark = pytest.mark.kill
PUBLISHERS = 8


@pytest.fixture
def finished(undisturbed: Undisturbed, tmp_path: Path) -> Installation:
    """Return a copy of an installation whose run has ended and is published."""
    shutil.copytree(undisturbed.installation.home, tmp_path / "home")
    return Installation(tmp_path).use_double()


def files_of(installation: Installation) -> dict[str, bytes]:
    """Return every file of the results."""
    root = installation.home / "results"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_publishing_again_changes_no_byte(finished: Installation) -> None:
    """The publication that is there is adopted."""
    before = files_of(finished)
    assert finished.call("results", "publish", finished.run_id) == 0
    assert files_of(finished) == before


def test_eight_publishers_at_once_make_one_publication(finished: Installation, undisturbed: Undisturbed) -> None:
    """All of them name the same publication; the catalog has each cell once, numbered from 1; the audit finds nothing."""
    house, run_id = finished.house, finished.run_id
    shutil.rmtree(finished.home / "results")
    gate = finished.folder / "go"
    command = [sys.executable, "-m", "tests.kill.support.publisher", run_id, str(gate)]
    publishers = [finished.spawn(command) for _ in range(PUBLISHERS)]
    deadline = time.monotonic() + END_S
    while len(list(finished.folder.glob("ready-*"))) < PUBLISHERS and time.monotonic() < deadline:
        time.sleep(0.01)
    gate.touch()
    assert [publisher.wait(END_S) for publisher in publishers] == [0] * PUBLISHERS
    said = [line for line in (finished.folder / "cli.log").read_text().splitlines() if line.startswith("pub-")]
    assert len(said) == PUBLISHERS
    assert len(set(said)) == 1
    publishing = load_plan(house.objects, finished.state().run.plan_digest).publishing
    published = read_published(house, publishing)
    assert differences(published, undisturbed.published) == []
    assert [row["sequence"] for row in published.rows["catalog"]] == [1, 2]
    audit = audit_tables(house.results, [publishing.dataset], publishing.catalog)
    assert (audit.publications, audit.findings) == (1, ())


def test_tables_that_were_deleted_are_rebuilt_with_equal_digests(finished: Installation, undisturbed: Undisturbed) -> None:
    """Journal and evidence hold all that the tables are made of."""
    before = undisturbed.installation.house
    dataset = load_plan(before.objects, finished.state().run.plan_digest).publishing.dataset
    shutil.rmtree(finished.home / "results")
    assert finished.call("results", "publish", finished.run_id) == 0
    rebuilt = published_digests(finished.house.results, dataset, finished.run_id)
    assert rebuilt == published_digests(before.results, dataset, finished.run_id)
    assert rebuilt
