"""The leaderboard in words: what is counted, what a ceiling of cost hides, and where a line may begin a group."""

import re

import pytest

from shared.statistics.ranked_sets import REFERENCE_AGENTS
from space.listings.leaderboard import LISTING
from space.listings.listing import read_whole
from space.pages.leaderboard import PAGE
from space.queries.view import parse
from space.readers.mirror import Mirror


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
