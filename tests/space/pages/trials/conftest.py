"""What the tests of pages about trials share: the rows of the troubled runs, read with pyarrow alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.builders.troubles import DATASET
from tests.space.publishing import all_rows

REFERENCES = {"oracle", "nop"}


class Rows(NamedTuple):
    """The published rows; every cell of the fixture stands, is final and the newest of its digest."""

    runs: list[dict[str, Any]]
    cells: dict[str, dict[str, Any]]
    trials: list[dict[str, Any]]
    attempts: list[dict[str, Any]]

    def edition(self, tasks_repeats: int = 2) -> str:
        """Return the edition whose tasks are repeated so often."""
        return str(next(cell["edition"] for cell in self.cells.values() if cell["repeats"] == tasks_repeats))

    def of_edition(self, edition: str) -> list[dict[str, Any]]:
        """Return the trials of one edition."""
        return [trial for trial in self.trials if self.cells[trial["cell_id"]]["edition"] == edition]

    def is_ours(self, row: Mapping[str, Any]) -> bool:
        """Tell whether a trial or attempt is of an agent that is measured."""
        return self.cells[row["cell_id"]]["agent_name"] not in REFERENCES


@pytest.fixture(scope="session")
def rows(troubles: Path) -> Rows:
    """The published rows."""
    cells = {row["cell_id"]: row for row in all_rows(troubles, "cells", DATASET)}
    return Rows(*(all_rows(troubles, name, DATASET) if name != "cells" else cells for name in Rows._fields))  # type: ignore[arg-type]
