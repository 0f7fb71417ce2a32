"""Whatever is wrong with what a folder shows next: the mirror that was served is served on, and the code says what is wrong."""

import shutil
from pathlib import Path

import pytest

from space.queries.statement import Statement
from tests.space.readers.test_build import FAULTS, Fault
from tests.space.readers.test_refresh import next_revision, refresh_of

ALL = Statement("SELECT cell_id, score, score_low, score_high, stands, withheld FROM cell ORDER BY cell_id")


@pytest.mark.parametrize(("fault", "code"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_a_fault_of_the_next_revision_leaves_the_last_good_mirror(
    published: Path, tmp_path: Path, fault: Fault, code: str
) -> None:
    """Its numbers to the digit, stale since the first failure; the source put right is followed again."""
    root = Path(shutil.copytree(published, tmp_path / "results"))
    refresh = refresh_of(root)
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        before = mirror.rows(ALL)
    next_revision(root)
    fault(root)
    for _ in range(2):
        standing = refresh.refresh()
        assert (standing.state, standing.code) == ("stale", code)
        with refresh.lease() as mirror:
            assert mirror.rows(ALL) == before
    shutil.rmtree(root)
    shutil.copytree(published, root)
    next_revision(root)
    next_revision(root)
    assert refresh.refresh().state == "ready"
    refresh.close()
