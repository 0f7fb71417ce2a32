"""`/throughput`: durations, tokens and pace recomputed with pyarrow alone; what is not observed or not comparable says so."""

from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from shared.statistics.percentiles import percentile
from space.components.figures import duration
from space.listings.listing import discover, read_whole
from space.listings.trials.throughput import ENDPOINT_FIELDS, LATENCY_FIELDS
from space.pages.trials.throughput import show
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.builders.troubles import BENCHMARK, DATASET, measured
from tests.space.pages.test_numbers import plain, table_rows
from tests.space.pages.trials.conftest import Rows
from tests.space.publishing import all_rows, change_table, mirror_of

LISTING = discover()["throughput"]


def asked(rows: Rows) -> View:
    """Return a view of the edition with most cells."""
    return View("throughput", {"benchmark": BENCHMARK, "edition": rows.edition()})


def test_every_number_of_every_cell(troubled: Mirror, rows: Rows) -> None:
    """p50 and p95 of the trials, tokens, wall time, tokens a second and trials an hour."""
    found = {row["cell_id"]: row for row in read_whole(LISTING, asked(rows), troubled).published}
    cells = {key: cell for key, cell in rows.cells.items() if cell["edition"] == rows.edition()}
    assert set(found) == set(cells)
    for key, cell in cells.items():
        row, own = found[key], [trial for trial in rows.trials if trial["cell_id"] == key]
        seconds = sorted(trial["duration_seconds"] for trial in own if trial["duration_seconds"] is not None)
        assert row["trial_seconds_p50"] == pytest.approx(percentile(seconds, 0.5))
        assert row["trial_seconds_p95"] == pytest.approx(percentile(seconds, 0.95))
        assert row["timed_trials"] == len(seconds)
        wall = (cell["completed_at"] - cell["started_at"]).total_seconds()
        ended = sum(trial["outcome"] is not None for trial in own)
        assert row["wall_seconds"] == pytest.approx(wall)
        assert row["trials_per_hour"] == pytest.approx(3600 * ended / wall)
        rate = None if cell["output_tokens"] is None else pytest.approx(cell["output_tokens"] / wall)
        assert row["output_tokens_per_second"] == rate
        assert row["concurrency"] == cell["concurrency"]
        for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens"):
            assert row[name] == cell[name]


def test_the_page_shows_the_numbers_of_the_list(troubled: Mirror, rows: Rows) -> None:
    """Durations and pace stand beside each cell; unreported tokens read so, those of an agent without a model do not apply."""
    markup = str(show(asked(rows), troubled))
    pace = table_rows(markup.split("Tokens by kind", maxsplit=1)[0])
    for row in read_whole(LISTING, asked(rows), troubled).rows:
        text = pace[row["cell_id"]]
        assert (
            f"{duration(row['trial_seconds_p50'])} {duration(row['trial_seconds_p95'])} of {row['timed_trials']} trials" in text
        )
        assert f"{row['trials_per_hour']:,.1f}" in text
    for row in read_whole(LISTING, asked(rows), troubled).rows:
        line = table_rows(markup.split('aria-label="Tokens by kind"')[1].split("</table>", maxsplit=1)[0])[row["cell_id"]]
        word = "not applicable" if row["model_repo"] == "none" else "not reported"
        shown = [
            f"{row[f'{kind}_tokens']:,}" if row[f"{kind}_tokens"] is not None else word for kind in ("input", "cached", "output")
        ]
        assert " ".join(shown) in line


def test_what_attempts_measured_is_shown_by_metric(troubled: Mirror, rows: Rows, troubles: Path) -> None:
    """The p50 and p95 of each cell's own metric in seconds, and of how many attempts."""
    text = plain(show(asked(rows), troubled)).split("Durations that attempts measured")[1]
    trials = {trial["trial_id"] for trial in rows.of_edition(rows.edition())}
    owners = {row["attempt_id"]: row["cell_id"] for row in rows.attempts if row["trial_id"] in trials}
    values: dict[str, list[float]] = {}
    for row in all_rows(troubles, "metrics", DATASET):
        if row["name"] == "agent_seconds" and row["owner_id"] in owners:
            values.setdefault(owners[row["owner_id"]], []).append(row["value"])
    assert values
    for found in values.values():
        p50, p95 = (percentile(sorted(found), share) for share in (0.5, 0.95))
        assert f"agent_seconds {duration(p50)} {duration(p95)} {len(found)}" in text


def test_what_nobody_observed_is_said_once(troubled: Mirror, rows: Rows) -> None:
    """No column of blanks: a sentence says that model requests were not observed, and in how many cells."""
    text = plain(show(asked(rows), troubled))
    assert "of a whole request: not observed in any of 4 cells that ask a model" in text
    assert "First token, p50" not in text
    assert "cleanup: not applicable , no cell here owned an endpoint" in text


def served(into: Path, *kinds: str) -> tuple[Mirror, str]:
    """Return a mirror of one cell a deployment kind, all in one wave, with metrics of the first and of the wave; and its id."""
    run = synthetic_run(1, cells=len(kinds), tasks=4, repeats=1, benchmark="served")
    cells = [
        replace(cell, identity=replace(cell.identity, deployment_kind=kind)) for cell, kind in zip(run.cells, kinds, strict=True)
    ]
    write_results(into / "results", [replace(run, cells=tuple(cells))])
    first, wave = cells[0].identity.cell_id, cells[0].trials[0].attempts[0].wave_id
    change_table(into / "results", "metrics", lambda found: measured(found, first, wave), "example/served")
    return mirror_of(into / "results", into / "mirror"), first


def test_times_of_model_requests_are_shown_where_observed(tmp_path: Path) -> None:
    """The published p50 and p95 of the cell that has them; for the other cell of the list each reads not observed."""
    mirror, first = served(tmp_path, "endpoint", "endpoint")
    found = {row["cell_id"]: row for row in read_whole(LISTING, View("throughput", {}), mirror).published}
    assert [found[first][name] for name in LATENCY_FIELDS] == [0.25, 1.5, 1.25, 2.5, 2.25, 3.5]
    markup = str(show(View("throughput", {}), mirror))
    lines = table_rows(markup.split('aria-label="Model requests"')[1].split("</table>", maxsplit=1)[0])
    assert lines[first].endswith("250 ms 1.5 s 1.2 s 2.5 s 2.2 s 3.5 s")
    assert {line.count("not observed") for key, line in lines.items() if key != first} == {6}


def test_phases_of_endpoints_are_shown_in_a_list_of_endpoints(tmp_path: Path) -> None:
    """Seconds by phase; the phase that was not observed says so and is no 0."""
    mirror, first = served(tmp_path, "endpoint", "endpoint")
    found = {row["cell_id"]: row for row in read_whole(LISTING, View("throughput", {}), mirror).published}
    assert [found[first][name] for name in ENDPOINT_FIELDS] == [100.0, 101.0, 102.0, 103.0, None]
    assert found[first]["endpoint_observation"] == "observed"
    line = table_rows(str(show(View("throughput", {}), mirror)).split('aria-label="Endpoints"')[1].split("</table>")[0])[first]
    assert line.endswith("1 min 40 s 1 min 41 s 1 min 42 s 1 min 43 s not observed")


@pytest.mark.parametrize("other", ["provider", "server"])
def test_columns_of_endpoints_leave_a_mixed_list(tmp_path: Path, other: str) -> None:
    """Beside a provider or a server an endpoint's phases are not comparable: no value on the page, none in the list."""
    mirror, _ = served(tmp_path, "endpoint", other)
    found = read_whole(LISTING, View("throughput", {}), mirror).published
    assert {row["endpoint_observation"] for row in found} == {"not_comparable"}
    assert all(row[name] is None for row in found for name in ENDPOINT_FIELDS)
    text = plain(show(View("throughput", {}), mirror))
    assert "cleanup: not comparable." in text
    assert "1 min 41 s" not in text
