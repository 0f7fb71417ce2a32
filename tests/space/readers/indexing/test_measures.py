"""The tables that a mirror makes for failures and speed hold every attempt and every unscored trial once."""

from collections import Counter
from pathlib import Path

import pytest

from space.queries.statement import Statement
from space.readers.mirror import Mirror
from tests.builders.troubles import DATASET, publish_troubles
from tests.space.publishing import all_rows, mirror_of


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The troubled runs, published."""
    made = tmp_path_factory.mktemp("measured")
    publish_troubles(made)
    return made


@pytest.fixture(scope="module")
def made(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of them."""
    return mirror_of(root, tmp_path_factory.mktemp("measured-mirror"))


def test_attempts_are_counted_by_how_they_ended(root: Path, made: Mirror) -> None:
    """By cell, wave, state, category, reason, phase, exception, retry and review."""
    names = ("cell_id", "wave_id", "state", "category", "reason_code", "phase", "exception_type", "retry_reason", "needs_review")
    wanted = Counter(tuple(row[name] for name in names) for row in all_rows(root, "attempts", DATASET))
    found = made.rows(Statement("SELECT * FROM cell_attempt"))
    assert {tuple(row[name] for name in names): row["attempts"] for row in found} == wanted


def test_unscored_trials_are_all_there_with_their_values(root: Path, made: Mirror) -> None:
    """Those with another outcome and those with none, as published."""
    found = made.rows(Statement("SELECT * FROM unscored_trial"))
    wanted = {row["trial_id"]: row for row in all_rows(root, "trials", DATASET) if row["outcome"] != "scored"}
    assert {row["trial_id"] for row in found} == set(wanted)
    assert all(value == wanted[row["trial_id"]][name] for row in found for name, value in row.items())


def test_a_value_that_was_not_observed_is_counted_beside_the_others(root: Path, made: Mirror) -> None:
    """Observed and missing rows of each metric; no quantile takes a missing value for a 0."""
    rows = [row for row in all_rows(root, "metrics", DATASET) if row["unit"] == "second"]
    wanted = Counter((row["name"], row["observation"] == "observed") for row in rows)
    sums = (
        "SELECT name, sum(observed)::BIGINT AS observed, sum(missing)::BIGINT AS missing, min(p50) AS least "
        "FROM cell_metric GROUP BY name"
    )
    found = {row["name"]: row for row in made.rows(Statement(sums))}
    for name, row in found.items():
        assert (row["observed"], row["missing"]) == (wanted[name, True], wanted[name, False])
    assert found["queue_seconds"]["missing"] > 0
    assert found["queue_seconds"]["least"] == 5.0
