"""A withheld cell reads withheld with its reason wherever it stands, and shows none of its numbers."""

import shutil
from pathlib import Path

import pytest

from space.pages import attempt, cell, leaderboard
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.pages.test_numbers import plain, table_rows
from tests.space.publishing import change_table, mirror_of, rows_of


@pytest.fixture(scope="module")
def lied(published: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Mirror, str, str]:
    """A mirror whose third cell claims a pass rate that it has not; its cell id and one of its trials."""
    root = Path(shutil.copytree(published, tmp_path_factory.mktemp("lied") / "results"))
    change_table(root, "cells", lambda rows: rows[2].update(pass_rate=0.987, passed_trials=23))
    cell_id = rows_of(root, "cells")[2]["cell_id"]
    trial = next(row["trial_id"] for row in rows_of(root, "trials") if row["cell_id"] == cell_id)
    return mirror_of(root, tmp_path_factory.mktemp("lied-mirror")), cell_id, trial


def test_on_the_leaderboard(lied: tuple[Mirror, str, str]) -> None:
    """The cell stands below with its reason, without score or counts; the others stay ranked."""
    mirror, cell_id, _ = lied
    ranked, others = str(leaderboard.show(View("", {"benchmark": "harbour-chores"}), mirror)).split("Listed, not ranked")
    assert cell_id not in ranked
    assert len(table_rows(ranked)) == 3
    text = table_rows(others)[cell_id]
    assert "cell.inconsistent" in text
    assert "passed_trials, pass_rate differ" in text
    assert "23/24" not in text


def test_on_its_own_page(lied: tuple[Mirror, str, str]) -> None:
    """No score, interval, pass rate or outcome count; provenance is still there."""
    mirror, cell_id, _ = lied
    text = plain(cell.show(View("cell", {"cell_id": cell_id}), mirror))
    assert "Score withheld" in text
    assert "cell.inconsistent" in text
    assert "98.7" not in text
    assert "Pass rate" not in text
    assert "Provenance" in text


def test_on_the_page_of_a_trial(lied: tuple[Mirror, str, str]) -> None:
    """The reason stands over the attempts."""
    mirror, cell_id, trial_id = lied
    assert "cell.inconsistent" in plain(attempt.show(View("attempt", {"cell_id": cell_id, "trial_id": trial_id}), mirror))
