"""The tables that a mirror makes for failures and speed hold every attempt and every unscored trial once."""

from collections import Counter
from pathlib import Path

from space.queries.statement import Statement
from space.readers.mirror import Mirror
from tests.builders.troubles import DATASET
from tests.space.publishing import all_rows


def test_attempts_are_counted_by_how_they_ended(troubles: Path, troubled: Mirror) -> None:
    """By cell, wave, state, category, reason, phase, exception, retry and review."""
    names = ("cell_id", "wave_id", "state", "category", "reason_code", "phase", "exception_type", "retry_reason", "needs_review")
    wanted = Counter(tuple(row[name] for name in names) for row in all_rows(troubles, "attempts", DATASET))
    found = troubled.rows(Statement("SELECT * FROM cell_attempt"))
    assert {tuple(row[name] for name in names): row["attempts"] for row in found} == wanted


def test_unscored_trials_are_all_there_with_their_values(troubles: Path, troubled: Mirror) -> None:
    """Those with another outcome and those with none, as published."""
    found = troubled.rows(Statement("SELECT * FROM unscored_trial"))
    wanted = {row["trial_id"]: row for row in all_rows(troubles, "trials", DATASET) if row["outcome"] != "scored"}
    assert {row["trial_id"] for row in found} == set(wanted)
    assert all(value == wanted[row["trial_id"]][name] for row in found for name, value in row.items())


def test_a_value_that_was_not_observed_is_counted_beside_the_others(troubles: Path, troubled: Mirror) -> None:
    """Observed and missing rows of each metric; no quantile takes a missing value for a 0."""
    rows = [row for row in all_rows(troubles, "metrics", DATASET) if row["unit"] == "second"]
    wanted = Counter((row["name"], row["observation"] == "observed") for row in rows)
    sums = (
        "SELECT name, sum(observed)::BIGINT AS observed, sum(missing)::BIGINT AS missing, min(p50) AS least "
        "FROM cell_metric GROUP BY name"
    )
    found = {row["name"]: row for row in troubled.rows(Statement(sums))}
    for name, row in found.items():
        assert (row["observed"], row["missing"]) == (wanted[name, True], wanted[name, False])
    assert found["queue_seconds"]["missing"] > 0
    assert found["queue_seconds"]["least"] == 5.0
