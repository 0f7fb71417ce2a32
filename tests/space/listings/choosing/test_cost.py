"""Cost against score: who is on the frontier, who is not, and who has no point."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthetic_results import write_results
from space.listings.choosing.cost import LISTING
from space.listings.listing import read_whole
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.listings.choosing.published_facts import Facts, main_edition, newest, read_facts
from tests.space.publishing import mirror_of
from tests.space.works import Made, made_run


@pytest.fixture(scope="module")
def facts(works: Path) -> Facts:
    """What the published files say."""
    return read_facts(works)


def listed(mirror: Mirror, **values: Any) -> dict[str, dict[str, Any]]:
    """Return the rows by cell."""
    return {row["cell_id"]: row for row in read_whole(LISTING, View("cost", values), mirror).published}


def test_every_cell_of_the_edition_stands_there_with_its_costs(works_mirror: Mirror, facts: Facts) -> None:
    """Per trial and per pass from all trials; a cost that one trial did not report is none, never 0."""
    rows = listed(works_mirror)
    expected = {key: fact for key, fact in newest(facts).items() if fact.row["edition"] == main_edition(facts)}
    assert set(rows) == set(expected)
    for key, fact in expected.items():
        row, cost = rows[key], fact.cost
        assert row["cost_usd_micros"] == cost
        assert row["cost_per_trial_usd_micros"] == (None if cost is None else round(cost / len(fact.trials)))
        assert row["cost_per_pass_usd_micros"] == (None if cost is None else round(cost / fact.passed))


def test_a_point_is_dominated_where_another_costs_no_more_and_scores_no_less(works_mirror: Mirror) -> None:
    """Recomputed pair by pair; nobody on the frontier or hollow is dominated."""
    rows = [row for row in listed(works_mirror).values() if row["place"] in {"frontier", "hollow", "dominated"}]
    for row in rows:
        beaten = any(
            other["cost_per_trial_usd_micros"] <= row["cost_per_trial_usd_micros"]
            and other["score"] >= row["score"]
            and (other["cost_per_trial_usd_micros"], -other["score"]) != (row["cost_per_trial_usd_micros"], -row["score"])
            for other in rows
        )
        assert (row["place"] == "dominated") == beaten
    assert {row["place"] for row in rows} == {"frontier", "hollow", "dominated"}


def test_cells_without_a_point_say_why(works_mirror: Mirror, facts: Facts) -> None:
    """Reference agents, unranked cells and those of another ranked set are no points."""
    places = {facts[key].row["model_repo"]: row["place"] for key, row in listed(works_mirror).items()}
    assert places["none"] == "reference"
    assert places["example/far-7b"] == "another_set"
    assert {places[f"example/{name}-7b"] for name in ("composite", "manual", "partial")} == {"unranked"}


def test_a_point_far_dearer_for_a_little_more_is_not_on_the_frontier(tmp_path: Path) -> None:
    """150 times the cost for a lead that may be chance: hollow."""
    cheap, dear = Made("example/cheap", "shell", 0.5, 1_000), Made("example/dear", "shell", 0.5, 150_000)
    run = made_run(1, (cheap, dear), tasks=100)
    first, second = run.cells
    solved = {trial.task_name for trial in first.trials if trial.reward}
    other = next(trial.task_name for trial in first.trials if trial.task_name not in solved)
    trials = tuple(
        replace(
            trial, reward=was.reward or float(trial.task_name == other), is_passed=bool(was.reward) or trial.task_name == other
        )
        for trial, was in zip(second.trials, first.trials, strict=True)
    )
    write_results(tmp_path / "results", [replace(run, cells=(first, replace(second, trials=trials)))])
    rows = {row["model_repo"]: row for row in listed(mirror_of(tmp_path / "results", tmp_path / "mirror")).values()}
    assert rows["example/dear"]["score"] > rows["example/cheap"]["score"]
    assert rows["example/dear"]["cost_per_trial_usd_micros"] > 100 * rows["example/cheap"]["cost_per_trial_usd_micros"]
    assert (rows["example/cheap"]["place"], rows["example/dear"]["place"]) == ("frontier", "hollow")


def test_a_filter_moves_no_place(works_mirror: Mirror) -> None:
    """The frontier is that of the ranked set, whatever is listed."""
    whole = listed(works_mirror)
    for values in ({"models": ("example/Coral-32B",)}, {"max_cost": "0.02"}, {"providers": ("example-cloud",)}):
        rows = listed(works_mirror, **values)
        assert 0 < len(rows) < len(whole)
        assert all(row == whole[key] for key, row in rows.items())
