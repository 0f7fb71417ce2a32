"""A value that no page could show is refused with its column; those at the edge of what can be shown are shown."""

import math
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from space.readers.indexing import values
from tests.space.publishing import CATALOG, DATASET, change_table, mirror_of
from tests.space.readers.indexing.conftest import Refused

WRONG: list[tuple[str, str, Any]] = [
    ("cells", "duration_seconds", math.nan),
    ("trials", "duration_seconds", math.inf),
    ("trials", "reward", -math.inf),
    ("metrics", "value", math.nan),
    ("cells", "planned_trials", 0),
    ("cells", "repeats", 0),
    ("cells", "repeats", -(2**62)),
    ("cells", "cost_usd_micros", -1),
    ("trials", "attempts", 2**62),
    ("runs", "submitted_at", 2**61),
    ("trials", "outcome", "won"),
]


@pytest.mark.parametrize(("table", "column", "value"), WRONG)
def test_a_value_that_no_page_could_show_is_refused(root: Path, refused: Refused, table: str, column: str, value: Any) -> None:
    """Every digest renewed, one row changed: the fault names table and column."""
    change_table(root, table, lambda rows: rows[0].update({column: value}))
    fault = refused()
    assert (fault.code, f"{table} has 1 rows whose {column} is " in fault.message) == ("source.schema", True)


@pytest.mark.parametrize(("table", "column", "dataset"), [("cells", "model_repo", DATASET), ("catalog", "reason", CATALOG)])
def test_an_enormous_text_is_refused(root: Path, refused: Refused, table: str, column: str, dataset: str) -> None:
    """Each page with its row would be as large."""
    change_table(root, table, lambda rows: rows[0].update({column: "x" * (values.MAX_TEXT_BYTES + 1)}), dataset)
    fault = refused()
    assert (fault.code, f"whose {column} is longer than 64 KiB" in fault.message) == ("source.too_large", True)


def test_an_enormous_list_is_refused(root: Path, refused: Refused) -> None:
    """Its texts count together."""
    change_table(root, "cells", lambda rows: rows[0].update(source_flags=["x" * 1_000] * 66))
    assert refused().code == "source.too_large"


def test_the_largest_values_that_can_be_shown_are_served(root: Path, tmp_path: Path) -> None:
    """The first and the last year, the largest whole number, the longest text."""
    largest = {"cost_usd_micros": values.MAX_INT, "agent_name": "x" * values.MAX_TEXT_BYTES, "duration_seconds": 0.0}
    begin, end = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    change_table(root, "cells", lambda rows: rows[0].update(**largest, started_at=begin, completed_at=end))
    assert mirror_of(root, tmp_path / "mirrors").identity
