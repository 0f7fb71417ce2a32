"""The lists of trials and attempts: the published rows, of a cell, a run, a trial or an edition, once each and in order."""

from pathlib import Path
from typing import Any

import pytest

from shared.errors import Refused
from space.listings.listing import discover, read, read_whole
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.publishing import rows_of

TRIALS, ATTEMPTS = discover()["trials"], discover()["attempts"]
BENCHMARK = "harbour-chores"


def ids(rows: list[dict[str, Any]], key: str) -> list[str]:
    """Return the ids of `rows`."""
    return [row[key] for row in rows]


def test_the_trials_of_a_cell(mirror: Mirror, published: Path) -> None:
    """Each planned trial of it once, by task and repeat, with its own values."""
    trials = rows_of(published, "trials")
    for cell in {trial["cell_id"] for trial in trials}:
        found = read_whole(TRIALS, View("trials", {"cell_id": cell}), mirror).published
        own = sorted((row for row in trials if row["cell_id"] == cell), key=lambda row: (row["task_name"], row["repeat"]))
        assert ids(found, "trial_id") == ids(own, "trial_id")
        for row, trial in zip(found, own, strict=True):
            assert row["outcome"] == (trial["outcome"] or "unfinished")
            same = ("reward", "passed", "attempts", "failure_category", "reason_code", "cost_usd_micros", "duration_seconds")
            assert [row[name] for name in same] == [trial[name] for name in same]


def test_the_trials_of_a_run_and_of_an_edition(mirror: Mirror, published: Path) -> None:
    """A run holds all its cells; an edition leaves out the withdrawn one."""
    trials = rows_of(published, "trials")
    found = read_whole(TRIALS, View("trials", {"run_id": trials[0]["run_id"]}), mirror)
    assert sorted(ids(found.rows, "trial_id")) == sorted(ids(trials, "trial_id"))
    of_edition = read_whole(TRIALS, View("trials", {"benchmark": BENCHMARK}), mirror)
    assert of_edition.total == len(trials) - 24


def test_trials_by_outcome_and_task(mirror: Mirror, published: Path) -> None:
    """Filters equal filters in Python."""
    trials = rows_of(published, "trials")
    view = View("trials", {"run_id": trials[0]["run_id"]})
    for outcomes in (("infrastructure_exhausted",), ("scored",), ("infrastructure_exhausted", "scored"), ("unfinished",)):
        found = read_whole(TRIALS, view.with_values(outcomes=outcomes), mirror).rows
        assert sorted(ids(found, "trial_id")) == sorted(row["trial_id"] for row in trials if row["outcome"] in outcomes)
    edition = View("trials", {"benchmark": BENCHMARK, "outcomes": ("infrastructure_exhausted", "scored")})
    standing = read_whole(TRIALS, View("trials", {"benchmark": BENCHMARK}), mirror)
    assert read_whole(TRIALS, edition, mirror).rows == standing.rows
    lost = read_whole(TRIALS, edition.with_values(outcomes=("infrastructure_exhausted",)), mirror).rows
    assert lost == [row for row in standing.rows if row["outcome"] == "infrastructure_exhausted"]
    task = trials[0]["task_name"]
    found = read_whole(TRIALS, view.with_values(task=task), mirror).rows
    assert sorted(ids(found, "trial_id")) == sorted(row["trial_id"] for row in trials if row["task_name"] == task)


def test_attempts_by_trial_attempt_cell_and_run(mirror: Mirror, published: Path) -> None:
    """The narrowest id decides; the selected attempt is marked, and no other."""
    attempts, trials = rows_of(published, "attempts"), rows_of(published, "trials")
    selected = {trial["selected_attempt_id"] for trial in trials}
    for key in ("trial_id", "attempt_id", "cell_id", "run_id"):
        value = attempts[0][key]
        found = read_whole(ATTEMPTS, View("attempts", {key: value}), mirror).published
        assert sorted(ids(found, "attempt_id")) == sorted(row["attempt_id"] for row in attempts if row[key] == value)
        assert all(row["is_selected"] == (row["attempt_id"] in selected) for row in found)


def test_an_attempt_carries_its_evidence_by_digest(mirror: Mirror, published: Path) -> None:
    """State, category, wave, job and the digest of its bundle, as published."""
    attempts = {row["attempt_id"]: row for row in rows_of(published, "attempts")}
    found = read_whole(ATTEMPTS, View("attempts", {"benchmark": BENCHMARK}), mirror).published
    same = ("state", "category", "reason_code", "phase", "wave_id", "job_id", "bundle_sha256", "needs_review", "ordinal")
    assert found
    assert all([row[name] for name in same] == [attempts[row["attempt_id"]][name] for name in same] for row in found)


def test_pages_of_a_list_join_to_the_whole(mirror: Mirror) -> None:
    """Paging leaves out nothing and repeats nothing."""
    view = View("trials", {"benchmark": BENCHMARK, "per_page": 25})
    first = read(TRIALS, view, mirror)
    pages = [read(TRIALS, view.with_values(page=page), mirror).rows for page in range(1, first.pages + 1)]
    assert [row for page in pages for row in page] == read_whole(TRIALS, view, mirror).rows


@pytest.mark.parametrize("key", ["cell_id", "run_id", "trial_id", "attempt_id"])
def test_an_unknown_id_is_refused(mirror: Mirror, key: str) -> None:
    """With the key that is meant."""
    with pytest.raises(Refused) as caught:
        read_whole(ATTEMPTS, View("attempts", {key: "no-such"}), mirror)
    assert (caught.value.code, caught.value.field) == ("view.not_published", key)


def test_an_attempt_of_another_cell_is_not_shown_as_its_own(mirror: Mirror, published: Path) -> None:
    """A cell and an attempt that do not belong together have no row."""
    attempts = rows_of(published, "attempts")
    other = next(row for row in attempts if row["cell_id"] != attempts[0]["cell_id"])
    view = View("attempts", {"cell_id": attempts[0]["cell_id"], "attempt_id": other["attempt_id"]})
    assert read_whole(ATTEMPTS, view, mirror).rows == []
