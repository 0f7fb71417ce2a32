"""What the choice strip says of how many cells may be as good as the best."""

from shared.statistics.cells import Cell
from shared.statistics.ranks import decide
from space.components.choosing.choice import choice_strip
from space.queries.statement import Statement
from space.readers.mirror import Mirror
from tests.space.pages.test_numbers import plain

RANKED = Statement("SELECT * FROM cell WHERE is_ranked AND model_repo <> 'none' ORDER BY cell_id")


def test_a_single_ranked_cell_is_better_than_nobody(works_mirror: Mirror) -> None:
    """There is nothing to choose from, and no test was made."""
    row = works_mirror.rows(RANKED)[0]
    strip = choice_strip(decide([Cell(row["cell_id"], row["score"], {})]), {row["cell_id"]: row})
    assert strip is not None
    assert "One cell is ranked, so there is none to compare it with." in plain(strip)
    assert "better" not in plain(strip)


def test_cells_that_no_test_tells_apart_are_counted(works_mirror: Mirror) -> None:
    """Two cells without a shared task are both among the choices."""
    rows = {row["cell_id"]: row for row in works_mirror.rows(RANKED)[:2]}
    strip = choice_strip(decide(Cell(name, row["score"], {}) for name, row in rows.items()), rows)
    assert strip is not None
    assert "2 of 2 ranked cells are not distinguishable from the best." in plain(strip)
