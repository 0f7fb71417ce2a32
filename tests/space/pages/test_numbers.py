"""Every number on the pages equals what pyarrow alone makes of the published files."""

import html
import math
import re
from collections import Counter, defaultdict
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from shared.money import format_usd
from shared.statistics.intervals import score_interval
from space.pages import attempt, cell, leaderboard, task
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.publishing import CATALOG, rows_of

BENCHMARK = "harbour-chores"


def plain(markup: object) -> str:
    """Return the text of markup, elements apart by one blank."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", str(markup)))).strip()


@pytest.fixture(scope="module")
def facts(published: Path) -> dict[str, dict[str, Any]]:
    """What each cell's trials say, recomputed from the Parquet files without any of the Space's code."""
    trials: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows_of(published, "trials"):
        trials[row["cell_id"]].append(row)
    found = {}
    for row in rows_of(published, "cells"):
        own = trials[row["cell_id"]]
        rewards: dict[str, list[float]] = defaultdict(list)
        for trial in own:
            rewards[trial["task_name"]].append(trial["reward"] or 0.0 if trial["outcome"] == "scored" else 0.0)
        costs = [trial["cost_usd_micros"] for trial in own]
        interval = score_interval([math.fsum(values) / len(values) for values in rewards.values()], row["repeats"])
        assert interval is not None
        seconds = [trial["duration_seconds"] for trial in own if trial["duration_seconds"] is not None]
        found[row["cell_id"]] = {
            "row": row,
            "trials": own,
            "planned": len(own),
            "passed": sum(bool(trial["passed"]) for trial in own),
            "lost": sum(trial["outcome"] == "infrastructure_exhausted" for trial in own),
            "score": math.fsum(value for values in rewards.values() for value in values) / len(own),
            "low": interval.low,
            "high": interval.high,
            "cost": None if None in costs else round(sum(costs) / len(own)),
            "median_seconds": median(seconds),
            "tasks": Counter(trial["task_name"] for trial in own if trial["passed"]),
        }
    return found


def hundred(value: float) -> str:
    """Return a score of 100 without decimals: fewer than 100 observations stand behind those here."""
    return f"{100 * value:.0f}"


def minutes(seconds: float) -> str:
    """Return a duration between one minute and one hour."""
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60:02d} s" if whole % 60 else f"{whole // 60} min"


def table_rows(markup: object) -> dict[str, str]:
    """Return the text of each table row by the cell id that it links to."""
    rows = re.findall(r"<tr>(.*?)</tr>", str(markup), re.DOTALL)
    return {match.group(1): plain(row) for row in rows if (match := re.search(r"cell_id=(cell-[0-9a-f]+)", row))}


def test_every_row_of_the_leaderboard(mirror: Mirror, facts: dict[str, dict[str, Any]]) -> None:
    """Score, interval, bounds, passed, planned, cost and time of each cell; every cell of the benchmark stands there once."""
    rows = table_rows(leaderboard.show(View("", {"benchmark": BENCHMARK}), mirror))
    assert set(rows) == set(facts)
    for cell_id, fact in facts.items():
        text = rows[cell_id]
        assert re.search(rf" {hundred(fact['score'])} {100 * fact['score']:.1f} of 100, 95% interval", text)
        assert f"{hundred(fact['low'])} to {hundred(fact['high'])}" in text
        assert f"{fact['passed']}/{fact['planned']}" in text
        if fact["lost"]:
            upper = hundred(fact["score"] + fact["lost"] / fact["planned"])
            assert f"{hundred(fact['score'])} to {upper}: {fact['lost']} of {fact['planned']} lost" in text
        if fact["row"]["ranked"] and fact["row"]["agent_name"] != "planner":
            assert minutes(fact["median_seconds"]) in text
            expected = "not applicable" if fact["row"]["model_repo"] == "none" else "not reported"
            assert (expected if fact["cost"] is None else format_usd(fact["cost"])) in text


def test_the_order_is_that_of_the_score(mirror: Mirror, facts: dict[str, dict[str, Any]], published: Path) -> None:
    """Ranked cells first, best score first; then the others. A withdrawn or too lossy cell is never among the ranked."""
    markup = str(leaderboard.show(View("", {"benchmark": BENCHMARK}), mirror))
    ranked, others = markup.split("Listed, not ranked")
    withdrawn = rows_of(published, "catalog", CATALOG)[-1]["cell_id"]
    expected = [key for key, fact in facts.items() if fact["row"]["ranked"] and key != withdrawn]
    expected.sort(key=lambda key: (-facts[key]["score"], key))
    assert list(table_rows(ranked)) == expected
    assert set(table_rows(others)) == set(facts) - set(expected)


@pytest.mark.parametrize(
    ("sort", "field", "sign"),
    [("cost", "cost", 1), ("duration", "median_seconds", 1), ("pass_rate", "passed", -1), ("score", "score", -1)],
)
@pytest.mark.parametrize("direction", ["", "asc", "desc"])
def test_every_sort_equals_a_sort_in_python(
    mirror: Mirror,
    facts: dict[str, dict[str, Any]],
    *,
    sort: str,
    field: str,
    sign: int,
    direction: str,
) -> None:
    """Better first unless asked otherwise, missing values last, ties by cell id."""
    values = {"benchmark": BENCHMARK, "sort": sort, **({"dir": direction} if direction else {})}
    ranked = str(leaderboard.show(View("", values), mirror)).split("Listed, not ranked")[0]
    sign = {"": sign, "asc": 1, "desc": -1}[direction]
    shown = list(table_rows(ranked))
    missing = 1e18
    key = lambda cell_id: (missing if facts[cell_id][field] is None else sign * facts[cell_id][field], cell_id)  # noqa: E731 - used twice
    assert shown == sorted(shown, key=key)
    assert len(shown) == 4


def test_every_number_of_a_cell_page(mirror: Mirror, facts: dict[str, dict[str, Any]]) -> None:
    """Figures, outcomes, tokens and each task's passes, reward, attempts and time."""
    for cell_id, fact in facts.items():
        markup = cell.show(View("cell", {"cell_id": cell_id}), mirror)
        text = plain(markup)
        assert f"95% interval {hundred(fact['low'])} to {hundred(fact['high'])}" in text
        assert f"Pass rate {100 * fact['passed'] / fact['planned']:.1f}%" in text
        assert f"{fact['passed']} of {fact['planned']} trials" in text
        assert minutes(fact["median_seconds"]) in text
        assert (f"{fact['lost']} infrastructure exhausted" in text) == bool(fact["lost"])
        for name in ("input_tokens", "cached_tokens", "output_tokens"):
            value = fact["row"][name]
            words = "not applicable" if fact["row"]["model_repo"] == "none" else "not reported"
            shown = words if value is None else f"{value:,}"
            assert f"{name.split('_')[0].capitalize()} tokens {shown}" in text
        for name in {trial["task_name"] for trial in fact["trials"]}:
            own = [trial for trial in fact["trials"] if trial["task_name"] == name]
            reward = math.fsum(trial["reward"] or 0.0 for trial in own) / len(own)
            attempts = sum(trial["attempts"] for trial in own)
            marks = r"(?: \S){3}"
            assert re.search(rf"{name} {fact['tasks'][name]}/{len(own)}{marks} {reward:.2f} {attempts} ", text), name


def test_every_number_of_a_task_page(mirror: Mirror, facts: dict[str, dict[str, Any]], published: Path) -> None:
    """Solve counts over the standing cells, Harbor's own agents aside, and per cell: rate, reward and time."""
    withdrawn = rows_of(published, "catalog", CATALOG)[-1]["cell_id"]
    for name in {trial["task_name"] for trial in rows_of(published, "trials")}:
        markup = task.show(View("task", {"benchmark": BENCHMARK, "task": name}), mirror)
        trials = [
            trial for key, fact in facts.items() if key != withdrawn for trial in fact["trials"] if trial["task_name"] == name
        ]
        ours = [trial for trial in trials if facts[trial["cell_id"]]["row"]["agent_name"] not in {"oracle", "nop"}]
        passed = sum(bool(trial["passed"]) for trial in ours)
        assert f"Solved {passed} of {len(ours)} trials ({100 * passed / len(ours):.1f}%)" in plain(markup)
        rows = table_rows(markup)
        assert set(rows) == set(facts) - {withdrawn}
        for cell_id, text in rows.items():
            own = [trial for trial in trials if trial["cell_id"] == cell_id]
            count = sum(bool(trial["passed"]) for trial in own)
            seconds = [trial["duration_seconds"] for trial in own if trial["duration_seconds"] is not None]
            reward = math.fsum(trial["reward"] or 0.0 for trial in own) / len(own)
            mean = minutes(sum(seconds) / len(seconds)) if seconds and sum(seconds) / len(seconds) >= 60 else ""
            assert re.search(rf"{count}/{len(own)} {100 * count / len(own):.1f}% .*{reward:.2f} .*{mean}", text)


def test_every_value_of_an_attempt_page(mirror: Mirror, published: Path) -> None:
    """Outcome, reward, attempts in order with their facts, metrics and evidence files of every trial of two cells."""
    attempts = {row["attempt_id"]: row for row in rows_of(published, "attempts")}
    files = rows_of(published, "artifacts")
    metrics = rows_of(published, "metrics")
    chosen = [row["cell_id"] for row in rows_of(published, "cells")][2:5]
    for trial in (row for row in rows_of(published, "trials") if row["cell_id"] in chosen):
        text = plain(attempt.show(View("attempt", {"cell_id": trial["cell_id"], "trial_id": trial["trial_id"]}), mirror))
        own = [row for row in attempts.values() if row["trial_id"] == trial["trial_id"]]
        assert len(own) == trial["attempts"]
        for row in own:
            assert f"State {row['state']}" in text
            assert row["attempt_id"] in text
            assert (row["bundle_sha256"] or "no sealed bundle") in text
            for file in (file for file in files if file["owner_id"] == row["attempt_id"]):
                assert (
                    f"{file['path']} {file['kind']} {file['size_bytes'] / 1000:.1f} kB {file['sha256']} {file['stored']}" in text
                )
            for metric in (metric for metric in metrics if metric["owner_id"] == row["attempt_id"]):
                assert f"{metric['name']} {metric['value']:,.6g} {metric['unit']}" in text
        assert ("selected: this one counts" in text) == (trial["selected_attempt_id"] is not None)


def test_a_filter_equals_a_filter_in_python(mirror: Mirror, facts: dict[str, dict[str, Any]]) -> None:
    """Models, agents and search select exactly the rows that Python selects, ranked or not."""
    asked: tuple[dict[str, Any], ...] = (
        {"models": ("example/coral-7b", "none")},
        {"agents": ("planner",)},
        {"q": "KELP"},
        {"q": "coral-32"},
        {"q": "ell", "models": ("example/kelp-1b",)},
    )
    for values in asked:
        rows = table_rows(leaderboard.show(View("", {"benchmark": BENCHMARK, **values}), mirror))
        expected = {
            key
            for key, fact in facts.items()
            if fact["row"]["model_repo"] in values.get("models", (fact["row"]["model_repo"],))
            and fact["row"]["agent_name"] in values.get("agents", (fact["row"]["agent_name"],))
            and any(
                values.get("q", "").lower() in str(fact["row"][name]).lower() for name in ("model_repo", "agent_name", "cell_id")
            )
        }
        assert set(rows) == expected
        assert rows
