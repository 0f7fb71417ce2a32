"""The provenance panel begins with what it comes to; a sample says that nothing lies behind it."""

import re

from space.pages.attempt import PAGE as ATTEMPT
from space.pages.cell import PAGE as CELL
from space.queries.statement import Statement
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.works import DATASET

CELLS = Statement("SELECT * FROM cell WHERE withheld IS NULL ORDER BY cell_id")
BARE = Statement(
    "SELECT t.trial_id, t.cell_id FROM trials t JOIN attempts a USING (trial_id) "
    "WHERE a.attempt_id NOT IN (SELECT owner_id FROM artifacts) LIMIT 1"
)


def summary(mirror: Mirror, cell_id: str) -> list[str]:
    """Return the lines that the panel of a cell begins with."""
    panel = str(CELL.show(View("cell", {"cell_id": cell_id}), mirror)).split('id="provenance"')[1]
    found = re.search(r'<ul class="summary">(.*?)</ul>', panel)
    assert found is not None
    assert panel.index("summary") < panel.index("<dl")
    return re.findall(r"<li>(.*?)</li>", found[1])


def test_the_panel_begins_with_three_lines(works_mirror: Mirror) -> None:
    """What passed, where it was published and whether that is signed, and that the evidence is private."""
    for cell in works_mirror.rows(CELLS):
        passed, published, evidence = summary(works_mirror, cell["cell_id"])
        assert passed == f"{cell['passed_trials']} of {cell['planned_trials']} planned trials passed."
        assert published == f"Published in {cell['dataset']}, revision {cell['dataset_revision']}, with an unsigned receipt."
        assert "private" in evidence
        assert cell["dataset"] == DATASET


def test_a_sample_has_no_evidence(sample_mirror: Mirror) -> None:
    """Neither the panel nor an attempt without files sounds as if there were some."""
    cell = sample_mirror.rows(CELLS)[0]
    assert "no evidence exists" in summary(sample_mirror, cell["cell_id"])[2]
    assert "verify-row" not in str(CELL.show(View("cell", {"cell_id": cell["cell_id"]}), sample_mirror))
    bare = sample_mirror.rows(BARE)[0]
    view = View("attempt", {"cell_id": bare["cell_id"], "trial_id": bare["trial_id"]})
    assert "This sample has no evidence behind it." in str(ATTEMPT.show(view, sample_mirror))
