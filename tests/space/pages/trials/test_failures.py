"""`/failures`: outcomes, categories, reasons, retries and reviews counted with pyarrow alone; "none" says of how many."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from shared.errors import Refused
from space.listings.listing import discover, read_whole
from space.pages.trials.failures import show
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.builders.troubles import BENCHMARK
from tests.space.pages.test_numbers import plain
from tests.space.pages.trials.conftest import Rows
from tests.space.publishing import change_table, mirror_of, rows_of

LISTING = discover()["failures"]
Row = dict[str, Any]


def ended(attempt: Row) -> str:
    """Return how an attempt ended: succeeded, or the category of its failure."""
    return "succeeded" if attempt["state"] == "succeeded" else str(attempt["category"])


def counts(attempts: Iterable[Row], value: Callable[[Row], Any]) -> Counter[tuple[Any, str]]:
    """Return how many of `attempts` have each value and end."""
    return Counter((value(attempt), ended(attempt)) for attempt in attempts)


def expected(rows: Rows, trials: list[Row]) -> dict[str, Counter[tuple[Any, str]]]:
    """Return every grouping as the trials and their attempts give it."""
    names = {trial["trial_id"] for trial in trials}
    attempts = [row for row in rows.attempts if row["trial_id"] in names and row["state"] != "released"]
    failed = [attempt for attempt in attempts if attempt["state"] != "succeeded"]

    def of_cell(name: str) -> Callable[[Row], Any]:
        return lambda attempt: rows.cells[attempt["cell_id"]][name]

    outcomes: Counter[tuple[Any, str]] = Counter()
    for trial in trials:
        outcome = trial["outcome"] or "unfinished"
        outcomes[("passed" if trial["passed"] else "not_passed") if outcome == "scored" else outcome, outcome] += 1
    return {
        "outcome": outcomes,
        "category": counts(attempts, ended),
        "reason": counts(failed, lambda attempt: attempt["reason_code"]),
        "exception": counts([row for row in failed if row["exception_type"]], lambda row: row["exception_type"]),
        "phase": counts(failed, lambda attempt: attempt["phase"]),
        "agent": counts(attempts, of_cell("agent_name")),
        "model": counts(attempts, of_cell("model_repo")),
        "deployment": counts(attempts, of_cell("deployment_kind")),
        "retry": counts([row for row in attempts if row["retry_reason"]], lambda row: row["retry_reason"]),
        "review": counts([row for row in attempts if row["needs_review"]], lambda row: row["reason_code"]),
    }


def listed(view: View, mirror: Mirror) -> dict[str, Counter[tuple[Any, str]]]:
    """Return every grouping as the list gives it."""
    found: dict[str, Counter[tuple[Any, str]]] = {}
    for row in read_whole(LISTING, view, mirror).published:
        found.setdefault(row["grouping"], Counter())[row["value"], row["ended"]] += row["count"]
    return found


@pytest.mark.parametrize("repeats", [2, 3])
def test_every_count_of_an_edition(troubled: Mirror, rows: Rows, repeats: int) -> None:
    """Ten groupings, each equal to a count over the rows."""
    edition = rows.edition(repeats)
    wanted = {name: found for name, found in expected(rows, rows.of_edition(edition)).items() if found}
    assert listed(View("failures", {"benchmark": BENCHMARK, "edition": edition}), troubled) == wanted


def test_every_count_of_a_run_and_of_a_cell(troubled: Mirror, rows: Rows) -> None:
    """The same groupings, of the trials of one run or one cell alone."""
    for key, values in (("run_id", [row["run_id"] for row in rows.runs]), ("cell_id", list(rows.cells))):
        for value in values:
            trials = [trial for trial in rows.trials if trial[key] == value]
            wanted = {name: found for name, found in expected(rows, trials).items() if found}
            assert listed(View("failures", {key: value}), troubled) == wanted


def test_the_whole_stands_beside_each_count(troubled: Mirror, rows: Rows) -> None:
    """Outcomes are of the planned trials; within a group of attempts the ends sum to the group."""
    edition = rows.edition()
    found = read_whole(LISTING, View("failures", {"benchmark": BENCHMARK, "edition": edition}), troubled).published
    trials = rows.of_edition(edition)
    names = {trial["trial_id"] for trial in trials}
    attempts = [row for row in rows.attempts if row["trial_id"] in names and row["state"] != "released"]
    assert {row["whole"] for row in found if row["grouping"] == "outcome"} == {len(trials)}
    assert {row["whole"] for row in found if row["grouping"] in {"category", "reason", "retry"}} == {len(attempts)}
    for agent, whole in Counter(rows.cells[attempt["cell_id"]]["agent_name"] for attempt in attempts).items():
        of_agent = [row for row in found if row["grouping"] == "agent" and row["value"] == agent]
        assert {row["whole"] for row in of_agent} == {whole}
        assert sum(row["count"] for row in of_agent) == whole


def test_the_page_shows_the_counts(troubled: Mirror, rows: Rows) -> None:
    """Outcome counts, categories with their share, and every trial that was not scored with a link to its attempts."""
    edition = rows.edition()
    markup = str(show(View("failures", {"benchmark": BENCHMARK, "edition": edition, "per_page": 200}), troubled))
    text = plain(markup)
    trials = rows.of_edition(edition)
    wanted = expected(rows, trials)
    whole = sum(wanted["category"].values())
    for (category, _), count in wanted["category"].items():
        if category != "succeeded":
            assert f"{category} {count} {100 * count / whole:.1f}% of {whole}" in text
    assert f"{wanted['outcome']['passed', 'scored']} passed" in text
    assert "UNCLASSIFIED transient" in text
    lost = {trial["trial_id"] for trial in trials if trial["outcome"] != "scored"}
    assert all(f"trial_id={trial}" in markup for trial in lost)
    assert f"{len(lost)} trials; the outcome leads to the attempts" in text


def test_none_says_of_how_many(published: Path, tmp_path: Path) -> None:
    """Where no attempt failed the page says of how many attempts that is, and that no trial is without a score."""
    mirror = mirror_of(published, tmp_path)
    clean = next(
        row["cell_id"] for row in mirror.rows(discover()["cells"].ask(View("cells", {}), mirror)) if row["quality"] == "clean"
    )
    text = plain(show(View("failures", {"cell_id": clean}), mirror))
    assert "None of 24 attempts failed." in text
    assert "None: every planned trial was scored." in text


def test_a_withheld_cell_is_counted_nowhere(published: Path, tmp_path: Path) -> None:
    """Its numbers do not agree with its trials, so no sum holds them."""
    root = Path(shutil.copytree(published, tmp_path / "results"))
    change_table(root, "cells", lambda found: found[2].update(pass_rate=0.987))
    cells = rows_of(root, "cells")
    mirror = mirror_of(root, tmp_path / "mirror")
    view = View("failures", {"benchmark": "harbour-chores"})
    whole = read_whole(LISTING, view, mirror).rows[0]["whole"]
    withdrawn, withheld = 1, 1
    assert whole == (len(cells) - withdrawn - withheld) * 24
    assert "No cell stands here" in plain(show(View("failures", {"cell_id": cells[2]["cell_id"]}), mirror))


def test_what_is_not_published_is_refused(troubled: Mirror) -> None:
    """An unknown run and an unknown cell."""
    for key, value in (("run_id", "run-none"), ("cell_id", "cell-none")):
        with pytest.raises(Refused) as caught:
            show(View("failures", {key: value}), troubled)
        assert (caught.value.code, caught.value.field) == ("view.not_published", key)
