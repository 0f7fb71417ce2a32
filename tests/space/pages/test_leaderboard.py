"""The leaderboard in words: what is counted, what a ceiling of cost hides, and where a line may begin a group."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from shared.statistics.ranked_sets import REFERENCE_AGENTS
from space.exports.choosing import choice_answer
from space.listings.leaderboard import LISTING
from space.listings.listing import read_whole
from space.pages.leaderboard import PAGE
from space.queries.view import View, parse
from space.readers.mirror import Mirror
from tests.space.pages.test_numbers import plain
from tests.space.publishing import mirror_of


def shown(mirror: Mirror, query: str = "") -> str:
    """Return the page that `query` asks for."""
    return str(PAGE.show(parse(PAGE.slug, query, PAGE.parameters), mirror))


def test_the_count_says_what_the_cells_are(works_mirror: Mirror) -> None:
    """Its parts sum to it, and reference agents are no candidates."""
    rows = read_whole(LISTING, parse("", "", PAGE.parameters), works_mirror).rows
    ranked = [row for row in rows if row["is_ranked"]]
    references = sum(row["agent_name"] in REFERENCE_AGENTS for row in ranked)
    found = re.search(r"([0-9]+) cells: ([0-9]+) ranked, ([0-9]+) reference, ([0-9]+) not ranked", shown(works_mirror))
    assert found is not None
    assert [*map(int, found.groups())] == [len(rows), len(ranked) - references, references, len(rows) - len(ranked)]


def test_a_ceiling_of_cost_says_what_it_cannot_judge(works_mirror: Mirror) -> None:
    """A cell without a cost is neither dear nor cheap: it is counted apart."""
    rows = read_whole(LISTING, parse("", "", PAGE.parameters), works_mirror).rows
    unknown = sum(row["cost_usd_micros"] is None for row in rows)
    assert unknown > 1
    assert f"{unknown} more have no cost to filter by" in shown(works_mirror, "max_cost=999")
    assert "no cost to filter by" not in shown(works_mirror)


def test_each_number_of_cells_says_what_it_counts(sample_mirror: Mirror) -> None:
    """Seven stand, eight are listed, six share the ranks, five are offered: a reader is told how these hang together."""
    page = plain(shown(sample_mirror))
    assert "7 standing cells" in page
    assert "8 cells: 5 ranked, 1 reference, 2 not ranked (1 withdrawn or superseded)" in page
    assert "Ranks are among 6, reference agents counted; the choice above is among 5." in page
    assert "7 stand; what was withdrawn or superseded stays listed." in page
    assert re.search(r"[1-9] cells? that match the filters: ", plain(shown(sample_mirror, "agents=shell")))


def test_evidence_is_promised_where_there_is_some(sample_mirror: Mirror, tmp_path: Path) -> None:
    """The sample is made up, and its first sentence does not say otherwise."""
    run = synthetic_run(1, cells=2, tasks=4, repeats=1)
    write_results(tmp_path, [replace(run, scope=replace(run.scope, series="autumn"))])
    assert "Every score traces to sealed, checksummed evidence." in shown(mirror_of(tmp_path, tmp_path / "mirror"))
    assert "traces to" not in shown(sample_mirror)
    assert "nothing was measured, and no evidence stands behind them" in shown(sample_mirror)


@pytest.mark.parametrize("most", ["0.01", "0.04", "999"])
def test_the_choice_keeps_to_a_limit_of_cost(sample_mirror: Mirror, most: str) -> None:
    """Whoever is named costs no more than the limit, the limit is said, and the highest score is that of the rows shown."""
    query = f"max_cost={most}"
    rows = read_whole(LISTING, parse("", query, PAGE.parameters), sample_mirror).rows
    offered = [row for row in rows if row["is_ranked"] and row["agent_name"] not in REFERENCE_AGENTS]
    page = shown(sample_mirror, query)
    named = set(re.findall(r"cell_id=(cell-[0-9a-f]+)", page.split('class="choice-strip"')[1].split("</dl>")[0]))
    assert named <= {row["cell_id"] for row in offered}
    assert offered[0]["cell_id"] in named
    assert f"of {len(offered)} ranked cells that match the filters" in page
    assert f"at most {most} US dollars per trial. Ranks stay those of all cells." in page


def test_a_program_gets_the_same_choice_under_a_limit(sample_mirror: Mirror) -> None:
    """The tool `choose` with `max_cost` names the cells that the page names."""
    answer = choice_answer(View("", {"max_cost": "0.01"}), sample_mirror)
    page = shown(sample_mirror, "max_cost=0.01")
    named = set(re.findall(r"cell_id=(cell-[0-9a-f]+)", page.split('class="choice-strip"')[1].split("</dl>")[0]))
    assert {answer[name]["cell_id"] for name in ("best", "cheapest", "fastest")} == named
    assert all(row["cost_per_trial_usd_micros"] <= 10_000 for row in answer["not_told_apart_from_the_best"])


def test_a_limit_that_leaves_nobody_says_so(works_mirror: Mirror) -> None:
    """Rows without a rank may be left."""
    assert "choice-strip" not in shown(works_mirror, "max_cost=0.000001")
    said = "no ranked cell with a cost per trial of at most 0.000001 US dollars matches the filters."
    assert said in plain(shown(works_mirror, "max_cost=0.000001"))


@pytest.mark.parametrize("query", ["max_cost=999", "agents=shell", "sort=cost", "q=coral"])
def test_a_line_stands_in_the_whole_order_alone(sample_mirror: Mirror, query: str) -> None:
    """Among the rows that a filter leaves it could stand in a wrong place, so neither line nor sentence is there."""
    whole, part = shown(sample_mirror), shown(sample_mirror, query)
    assert 'class="ruled"' in whole
    assert "begins a group" in whole
    assert 'class="ruled"' not in part
    assert "begins a group" not in part


def test_lines_agree_with_the_choice(sample_mirror: Mirror) -> None:
    """The reference agent leads no group: those above the first line are those that the choice is made among."""
    page = shown(sample_mirror)
    above = page.split('class="ruled"')[0].split("<tbody>")[1]
    assert above.count('class="subject"') - above.count(">reference<") == 3
    assert "3 of 5 ranked cells are not distinguishable" in page
