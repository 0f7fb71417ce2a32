"""`/run`: what one submission was and came to, recomputed with pyarrow alone; trials and physical attempts stand apart."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from shared.errors import Refused
from shared.money import format_usd
from shared.outcomes import AttemptEnd, Observation, Outcome
from shared.tables.published import CellFacts, TrialFacts, Usage
from space.listings.listing import discover, read_whole
from space.pages.trials.run import show
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.pages.test_numbers import plain
from tests.space.pages.trials.conftest import Rows
from tests.space.publishing import mirror_of

LISTING = discover()["runs"]


def spent(rows: Rows, run: dict[str, Any]) -> int | None:
    """Return what all attempts of all cells of `run` that ask a model reported, None if one did not."""
    cells = [cell for cell in rows.cells.values() if cell["run_id"] == run["run_id"]]
    costs = [cell["cost_usd_micros"] for cell in cells if cell["cost_observation"] != "not_applicable"]
    return None if None in costs else sum(costs)


def test_every_number_of_every_run(troubled: Mirror, rows: Rows) -> None:
    """Counts of cells, trials by outcome, attempts and spend, as the trials and attempts of the run give them."""
    found = {row["run_id"]: row for row in read_whole(LISTING, View("run", {}), troubled).published}
    assert set(found) == {run["run_id"] for run in rows.runs}
    for run in rows.runs:
        trials = [trial for trial in rows.trials if trial["run_id"] == run["run_id"]]
        attempts = [row for row in rows.attempts if row["run_id"] == run["run_id"] and row["state"] != "released"]
        outcomes = Counter(trial["outcome"] for trial in trials)
        row = found[run["run_id"]]
        assert row["planned_trials"] == len(trials)
        assert row["passed_trials"] == sum(bool(trial["passed"]) for trial in trials)
        for outcome in ("scored", "agent_failed", "benchmark_failed", "infrastructure_exhausted"):
            assert row[f"{outcome}_trials"] == outcomes[outcome]
        assert row["unfinished_trials"] == outcomes[None]
        assert row["attempts"] == len(attempts)
        assert row["failed_attempts"] == sum(attempt["state"] != "succeeded" for attempt in attempts)
        assert row["cells"] == len({trial["cell_id"] for trial in trials})
        assert row["spent_usd_micros"] == spent(rows, run)


def test_the_page_of_a_run(troubled: Mirror, rows: Rows) -> None:
    """Counts, digests, who asked, who approved and each cell; a single approval is called what it is."""
    for run in rows.runs:
        markup = show(View("run", {"run_id": run["run_id"]}), troubled)
        text = plain(markup)
        attempts = [attempt for attempt in rows.attempts if attempt["run_id"] == run["run_id"]]
        states = Counter(attempt["state"] for attempt in attempts)
        begun = sum(states.values()) - states["released"]
        assert f"Planned trials {run['planned_trials']}" in text
        assert f"Physical attempts {begun} {begun - states['succeeded']} failed, in {run['waves']} wave" in text
        assert all(f"{count} {state}" in text for state, count in states.items())
        assert f"Requested by {run['requested_by']}" in text
        single = "single: approved by the one who asked, somebody"
        assert (single if run["approval"] == "single" else "Approval not needed") in text
        for name in ("plan_digest", "manifest_sha256", "run_lock_sha256", "build_digest", "prices_sha256", "harbor_lock_sha256"):
            assert run[name] in text
        estimated = run["estimated_cost_usd_micros"]
        assert f"Estimated spend {'not estimated' if estimated is None else format_usd(estimated)}" in text
        settled = spent(rows, run)
        assert f"Settled spend {'not reported' if settled is None else format_usd(settled)}" in text
        for cell in rows.cells.values():
            assert (f"/cell?cell_id={cell['cell_id']}#provenance" in str(markup)) == (cell["run_id"] == run["run_id"])


def test_the_list_of_runs_is_newest_first(troubled: Mirror, rows: Rows) -> None:
    """Without an id every run stands there once, with a link to its page."""
    markup = str(show(View("run", {}), troubled))
    places = [
        markup.index(f"run_id={run['run_id']}") for run in sorted(rows.runs, key=lambda run: run["completed_at"], reverse=True)
    ]
    assert places == sorted(places)


def paid(cell: CellFacts, micros: int | None) -> CellFacts:
    """Return `cell` with one scored attempt a trial, each of which reported `micros`."""

    def once(trial: TrialFacts) -> TrialFacts:
        attempt = replace(trial.attempts[-1], end=AttemptEnd.SUCCEEDED, category=None, ordinal=1)
        attempt = replace(attempt, usage=Usage(Observation.OBSERVED, 10, 0, 5, micros))
        trial = replace(trial, outcome=Outcome.SCORED, reward=0.0, is_passed=False)
        return replace(trial, attempts=(attempt,), selected=attempt)

    return replace(cell, trials=tuple(map(once, cell.trials)), quality="clean", needs_model=micros is not None)


def test_a_cell_without_a_model_does_not_make_the_spend_unknown(tmp_path: Path) -> None:
    """What does not apply is no missing report: the spend is the sum over the cells that ask a model."""
    run = synthetic_run(1, cells=2, tasks=3, repeats=2, benchmark="paid")
    cells = (paid(run.cells[0], 1_250_000), paid(run.cells[1], None))
    write_results(tmp_path / "results", [replace(run, cells=cells)])
    mirror = mirror_of(tmp_path / "results", tmp_path / "mirror")
    row = read_whole(LISTING, View("run", {}), mirror).rows[0]
    assert (row["spent_usd_micros"], row["cells_without_cost"]) == (6 * 1_250_000, 0)
    assert "Settled spend $7.50 as every attempt reported it" in plain(show(View("run", {"run_id": row["run_id"]}), mirror))


def test_a_withdrawn_cell_stays_in_its_run_with_its_reason(mirror: Mirror, published: Path) -> None:
    """It is listed with what the catalog says of it, not ranked."""
    run = next(row for row in read_whole(LISTING, View("run", {"benchmark": "harbour-chores"}), mirror).rows)
    assert run["withdrawn_cells"] == 1
    assert "another prompt" in plain(show(View("run", {"run_id": run["run_id"]}), mirror))
    assert published.exists()


def test_a_run_that_is_not_published_is_refused(troubled: Mirror) -> None:
    """With the code that the page turns into a panel."""
    with pytest.raises(Refused) as caught:
        show(View("run", {"run_id": "run-none"}), troubled)
    assert caught.value.code == "view.not_published"
