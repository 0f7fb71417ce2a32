"""Every number on the pages for choosing equals what pyarrow alone makes of the published files."""

import re
from collections import Counter
from pathlib import Path
from statistics import quantiles
from typing import Any

import pytest

from shared.money import format_usd
from shared.statistics.passk import pass_at_k, pass_hat_k
from space.pages import cell as cell_page
from space.pages import leaderboard
from space.pages.choosing import agent, compare, cost, grid, model
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.listings.choosing.published_facts import Fact, Facts, main_edition, newest, one, read_facts
from tests.space.pages.test_numbers import hundred, minutes, plain


@pytest.fixture(scope="module")
def facts(works: Path) -> Facts:
    """What the published files say."""
    return read_facts(works)


def rows_by_cell(markup: object) -> dict[str, str]:
    """Return the text of each table row by the first cell that it links to."""
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", str(markup), re.DOTALL)
    return {match.group(1): plain(row) for row in rows if (match := re.search(r"cell_id=(cell-[0-9a-f]+)", row))}


def in_main_edition(facts: Facts) -> Facts:
    """Return what the leaderboard lists."""
    return {key: fact for key, fact in newest(facts).items() if fact.row["edition"] == main_edition(facts)}


def money(micros: int | None, fact: Fact) -> str:
    """Return an amount as it is shown."""
    missing = "not applicable" if fact.row["model_repo"] == "none" else "not reported"
    return missing if micros is None else format_usd(micros)


def test_the_grid(works_mirror: Mirror, facts: Facts) -> None:
    """Each cell once, with score and interval, its bounds where trials were lost."""
    markup = str(grid.show(View("grid", {}), works_mirror))
    shown = dict(re.findall(r'<div class="grid-cell">.*?cell_id=(cell-[0-9a-f]+)#(.*?)(?=<div class="grid-cell">|</td>)', markup))
    ours = in_main_edition(facts)
    assert set(shown) == set(ours)
    assert markup.count('class="grid-cell"') == len(ours)
    for key, fact in ours.items():
        text = plain("<a " + shown[key])
        if fact.row["score"] is None:
            assert "no score" in text
            continue
        assert f"{hundred(fact.score)} {hundred(fact.row['score_low'])} to {hundred(fact.row['score_high'])}" in text
        lost = sum(trial["outcome"] == "infrastructure_exhausted" for trial in fact.trials)
        assert (f"{lost} of {len(fact.trials)} lost" in text) == bool(lost)


def test_a_page_of_the_grid_holds_whole_models_up_to_a_number_of_cells(
    works_mirror: Mirror, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page every cell stands once; a model that has more cells than a page has one of its own."""
    whole = cells_in(str(grid.show(View("grid", {}), works_mirror)))
    monkeypatch.setattr(grid, "CELLS_A_PAGE", 1)
    first = str(grid.show(View("grid", {}), works_mirror))
    pages = int(re.findall(r"of (\d+)", plain(first[first.rindex("<nav") :]))[0])
    assert pages > 1
    shown = [cells_in(str(grid.show(View("grid", {"page": page}), works_mirror))) for page in range(1, pages + 1)]
    assert all(shown)
    assert sorted(cell for cells in shown for cell in cells) == sorted(whole)


def cells_in(markup: str) -> list[str]:
    """Return the cells that a grid lists, in its order."""
    return re.findall(r'class="grid-cell">.*?cell_id=(cell-[0-9a-f]+)#', markup)


def test_models_and_agents_one_by_one(works_mirror: Mirror, facts: Facts) -> None:
    """All cells of the name over all editions, each with score and cost; no mean of them."""
    for page, place, key in ((model, 0, "model"), (agent, 1, "agent")):
        for name in {fact.name[place] for fact in facts.values()}:
            own = {cell_id: fact for cell_id, fact in newest(facts).items() if fact.name[place] == name}
            markup = page.show(View(key, {key: name}), works_mirror)
            rows = rows_by_cell(markup)
            assert set(rows) == set(own)
            assert str(markup).count("<h2>") == len({fact.row["edition"] for fact in own.values()})
            for cell_id, fact in own.items():
                cost_per_trial_usd_micros = None if fact.cost is None else round(fact.cost / len(fact.trials))
                assert money(cost_per_trial_usd_micros, fact) in rows[cell_id]
                assert (f" {hundred(fact.score)} " in rows[cell_id]) == (fact.row["score"] is not None)


def test_the_lists_of_models_and_agents(works_mirror: Mirror, facts: Facts) -> None:
    """Cells, editions and partners of each name."""
    for page, place, key in ((model, 0, "model"), (agent, 1, "agent")):
        text = plain(page.show(View(key, {}), works_mirror))
        for name in {fact.name[place] for fact in facts.values()}:
            own = [fact for fact in newest(facts).values() if fact.name[place] == name]
            editions, partners = {fact.row["edition"] for fact in own}, {fact.name[1 - place] for fact in own}
            shown = "no model" if name == "none" else name.replace("/", "/ ")
            assert re.search(rf"{re.escape(shown)} {len(own)} \d+ 1 {len(editions)} {len(partners)} \d{{4}}-", text), name


def test_costs(works_mirror: Mirror, facts: Facts) -> None:
    """Per trial, per pass, in all; the cells without reported cost named; sums by hardware."""
    markup = cost.show(View("cost", {}), works_mirror)
    ours, text = in_main_edition(facts), plain(markup)
    every = rows_by_cell(str(markup).split("Every cell")[1])
    assert set(every) == set(ours)
    for key, fact in ours.items():
        total = fact.cost
        per_trial, per_pass = (None, None) if total is None else (round(total / len(fact.trials)), round(total / fact.passed))
        amounts = (money(amount, fact) for amount in (per_trial, per_pass, total))
        assert re.search(" .*?".join(map(re.escape, amounts)), every[key])
    unknown = [fact for fact in ours.values() if fact.cost is None and fact.row["model_repo"] != "none"]
    assert f"{len(unknown)} cells without reported cost: " in text
    assert all(f"{fact.name[0]} with {fact.name[1]}" in text for fact in unknown)
    standing = [fact for fact in ours.values() if fact.stands]
    for hardware in ("a100-large", "l4x1"):
        own = [fact for fact in standing if fact.row["hardware"] == hardware]
        trials, costs = sum(len(fact.trials) for fact in own), [fact.cost for fact in own]
        lost = sum(each is None for each in costs)
        shown = f"not reported by {lost}" if lost else format_usd(sum(each or 0 for each in costs))
        assert re.search(rf"{hardware} server {len(own)} {trials} .*?{re.escape(shown)} ", text)


def test_the_drawing_links_every_point_and_names_at_most_eight(works_mirror: Mirror) -> None:
    """One link a point, with its numbers as text."""
    markup = str(cost.show(View("cost", {}), works_mirror))
    drawing = markup[markup.index("<svg") : markup.index("</svg>")]
    points = re.findall(r'<a href="/cell\?cell_id=cell-[0-9a-f]+" aria-label="([^"]+)">', drawing)
    places = Counter(re.findall(r'class="point (\w+)"', drawing))
    assert len(points) == sum(places.values())
    assert all(re.fullmatch(r".+: score \d+, \$[\d.]+ per trial, (frontier|hollow|dominated)", point) for point in points)
    assert drawing.count('class="name"') == min(8, places["frontier"])


def test_the_drawing_leaves_out_only_the_lowest_dominated_points(works_mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    """And says how many; the table keeps them."""
    whole = plain(cost.show(View("cost", {}), works_mirror))
    monkeypatch.setattr(cost, "MAX_DOMINATED", 0)
    fewer = str(cost.show(View("cost", {}), works_mirror))
    assert "not drawn" not in whole
    assert "1 dominated cells with the lowest scores are not drawn" in plain(fewer)
    assert 'class="point dominated"' not in fewer
    assert 'class="point frontier"' in fewer
    assert plain(fewer).split("Every cell")[1] == whole.split("Every cell")[1]


def test_a_comparison(works_mirror: Mirror, facts: Facts) -> None:
    """Scores, costs, difference, tasks won and the passed counts of every task."""
    first, second = one(facts, "Coral-32B", "shell"), one(facts, "coral-7b", "shell")
    ids = tuple(sorted(fact.row["cell_id"] for fact in (first, second)))
    markup = compare.show(View("compare", {"cells": ids}), works_mirror)
    text = plain(markup)
    for fact in (first, second):
        assert fact.cost is not None
        assert f"{fact.passed}/{len(fact.trials)}" in text
        assert format_usd(round(fact.cost / fact.passed)) in text
    ahead, behind = first.tasks, second.tasks
    signs = Counter((ahead[name].mean > behind[name].mean) - (ahead[name].mean < behind[name].mean) for name in ahead)
    assert f"Tasks won, tied, lost {signs[1]}, {signs[0]}, {signs[-1]}" in text
    assert f"Difference {100 * (first.score - second.score):+.0f} points" in text
    assert [str(markup).count(f'class="{name}"') - 1 for name in ("won", "tied", "lost")] == [signs[1], signs[0], signs[-1]]
    for name, task in ahead.items():
        assert f"{name.partition('@')[0]} {task.passed}/{task.trials} {behind[name].passed}/{behind[name].trials}" in text


def test_the_spread_of_a_cell(works_mirror: Mirror, facts: Facts) -> None:
    """pass@k beside pass^k for each k; p50, p90 and p99 of cost and duration with what is missing."""
    for model_name, agent_name in (("Coral-32B", "shell"), ("coral-7b", "planner"), ("kelp-1b", "planner")):
        fact = one(facts, model_name, agent_name)
        text = plain(cell_page.show(View("cell", {"cell_id": fact.row["cell_id"]}), works_mirror))
        tasks = list(fact.tasks.values())
        for k in (1, 2):
            both = [pass_at_k(tasks, k), pass_hat_k(tasks, k)]
            assert f" {k} {100 * (both[0] or 0):.1f}% {100 * (both[1] or 0):.1f}%" in text
        costs = [trial["cost_usd_micros"] for trial in fact.trials if trial["cost_usd_micros"] is not None]
        missing = len(fact.trials) - len(costs)
        shown = " ".join(format_usd(round(value)) for value in cuts(costs)) if costs else "not reported not reported not reported"
        assert f"Cost, all attempts {shown} {len(costs)} {missing}" in text
        seconds = [trial["duration_seconds"] for trial in fact.trials if trial["duration_seconds"] is not None]
        assert f"selected attempt {' '.join(minutes(value) for value in cuts(seconds))} {len(seconds)}" in text


def cuts(values: list[Any]) -> tuple[float, float, float]:
    """Return p50, p90 and p99, straight lines between the values."""
    found = quantiles(values, n=100, method="inclusive")
    return found[49], found[89], found[98]


def test_the_history_of_a_cell_and_its_private_runs(works_mirror: Mirror, facts: Facts) -> None:
    """Both runs with score and what changed; the runs kept private are a count and nothing else."""
    fact = one(facts, "coral-7b", "shell")
    text = plain(cell_page.show(View("cell", {"cell_id": fact.row["cell_id"]}), works_mirror))
    assert "2 runs of this cell were kept private." in text
    assert (
        "Harbor, now 0.26.1, digest of the deployment, price document 12 points higher; the tests do not tell them apart" in text
    )
    other = one(facts, "Coral-32B", "shell")
    assert "No run of this cell was kept private." in plain(
        cell_page.show(View("cell", {"cell_id": other.row["cell_id"]}), works_mirror)
    )


def test_withdrawn_and_superseded_cells_stay_listed(works_mirror: Mirror, facts: Facts) -> None:
    """Below the ranked ones, with reason and successor."""
    ranked, others = str(leaderboard.show(View("", {}), works_mirror)).split("Listed, not ranked")
    rows = rows_by_cell(others)
    withdrawn, superseded = one(facts, "kelp-1b", "planner"), one(facts, "tern-3b", "planner")
    assert f"withdrawn {withdrawn.row['completed_at']:%Y-%m-%d}: another prompt" in rows[withdrawn.row["cell_id"]]
    successor = one(facts, "kelp-1b", "shell").row["cell_id"]
    assert f"Replaced by {successor}" in rows[superseded.row["cell_id"]]
    assert f'href="/cell?cell_id={successor}"' in others
    assert not {withdrawn.row["cell_id"], superseded.row["cell_id"]} & set(rows_by_cell(ranked))


def test_a_fifth_mark_is_kept_and_has_a_way_out(works_mirror: Mirror, facts: Facts) -> None:
    """At most four are compared: all five boxes stay marked, and each marked cell has a link to the comparison of the others."""
    edition = one(facts, "coral-7b", "shell").row["edition"]
    five = sorted(name for name, fact in facts.items() if fact.row["edition"] == edition and fact.row["kind"] == "complete")[:5]
    page = str(compare.show(View("compare", {"cells": tuple(five)}), works_mirror))
    assert "At most four cells can be compared" in page
    assert "5 are marked. Leave out 1, here or by the boxes below; the marks are kept." in page
    assert set(re.findall(r'value="(cell-[0-9a-f]+)" checked', page)) == set(five)
    for name in five:
        others = ",".join(each for each in five if each != name)
        assert f'<a href="/compare?cells={others}">leave it out</a>' in page
    assert "Cells side by side" in str(compare.show(View("compare", {"cells": tuple(five[:4])}), works_mirror))


def test_the_button_comes_after_its_boxes(works_mirror: Mirror) -> None:
    """Whoever goes through the page with the keyboard marks first and then presses."""
    for page in (leaderboard.show(View("", {}), works_mirror), compare.show(View("compare", {}), works_mirror)):
        form = str(page).split('class="comparing"')[1].split("</form>")[0]
        assert form.rindex('name="cells"') < form.index("<button")
