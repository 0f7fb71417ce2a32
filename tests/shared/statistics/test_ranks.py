"""Ranks as ranges and groups: what they claim is what the tests allow."""

from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.simulations import GROUPS, equal_cells, falsely_ordered
from shared.statistics.cells import Cell
from shared.statistics.paired import compare
from shared.statistics.ranks import Rank, decide
from tests.shared.statistics.binomial import binomial_quantile
from tests.shared.statistics.drawing import cell, drawn, of_solved


def three_levels() -> list[Cell]:
    """Return two strong cells, two middling ones and a weak one, on 40 tasks."""
    solved = {"strong-a": 38, "strong-b": 37, "middling-a": 20, "middling-b": 21, "weak": 2}
    return [cell(name, of_solved([1] * count + [0] * (40 - count))) for name, count in solved.items()]


def test_ranks_are_ranges() -> None:
    """Cells that the tests cannot tell apart share their range."""
    decisions = decide(three_levels())
    shown = {each.cell_id: decisions.rank(each.cell_id).text for each in decisions.cells}
    assert shown == {"strong-a": "1-2", "strong-b": "1-2", "middling-b": "3-4", "middling-a": "3-4", "weak": "5"}
    assert [decisions.group(each.cell_id) for each in decisions.cells] == [1, 1, 2, 2, 3]


def test_a_group_is_measured_from_its_first_cell() -> None:
    """Ten tasks apart from the first starts a group, though five apart from the neighbour decides nothing."""
    solved = {"first": 30, "between": 25, "last": 20}
    decisions = decide([cell(name, of_solved([1] * count + [0] * (40 - count))) for name, count in solved.items()])
    assert [decisions.group(name) for name in solved] == [1, 1, 2]
    assert [decisions.rank(name).text for name in solved] == ["1-2", "1-3", "2-3"]


def test_a_reference_leads_no_group() -> None:
    """It has a rank; the groups begin at the best cell that somebody might take."""
    solved = {"reference": 39, "first": 30, "between": 25, "last": 20}
    made = [cell(name, of_solved([1] * count + [0] * (40 - count))) for name, count in solved.items()]
    decisions = decide(made, {"reference"})
    assert [decisions.group(name) for name in solved] == [None, 1, 1, 2]
    assert decisions.rank("reference").text == "1"


def test_the_best_is_the_highest_score() -> None:
    """Equal scores go by cell id, so that the answer never depends on the order given."""
    cells = three_levels()
    best = decide(cells).best()
    assert best is not None
    assert best.cell_id == "strong-a"
    assert decide([]).best() is None


def test_a_pair_shows_the_raw_test_of_the_decision() -> None:
    """First minus second, in the order asked."""
    decisions = decide(three_levels())
    assert decisions.is_better("strong-a", "weak")
    assert not decisions.is_better("weak", "strong-a")
    assert decisions.pair("weak", "strong-a").difference == pytest.approx(-36 / 40)
    assert decisions.pair("strong-a", "strong-b").p == 1.0


def test_a_lone_cell_has_rank_one() -> None:
    """There is nobody else."""
    assert decide([cell("only", of_solved([1] * 12))]).rank("only") == Rank(1, 1)


def test_an_unknown_cell_has_no_rank() -> None:
    """A page must not invent one."""
    with pytest.raises(KeyError):
        decide(three_levels()).rank("partial")


def test_a_cell_stands_once() -> None:
    """Two lines with one id would be counted against each other."""
    with pytest.raises(ValueError, match="twice"):
        decide([*three_levels(), three_levels()[0]])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.randoms(use_true_random=False))
def test_the_order_given_changes_nothing(seed: int, shuffler: Random) -> None:
    """Sorting and paging of a view leave every rank, group and decision where it was."""
    cells = drawn(np.random.default_rng(seed), 9, 25, 2, spread=0.2)
    shuffled = list(cells)
    shuffler.shuffle(shuffled)
    assert decide(cells) == decide(shuffled)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.floats(0, 0.5))
def test_no_ranking_separates_what_a_paired_test_does_not(seed: int, repeats: int, spread: float) -> None:
    """A cell stands wholly above another only where their own paired test, alone, is significant at 5%."""
    decisions = decide(drawn(np.random.default_rng(seed), 12, 30, repeats, spread=spread))
    for first, second in combinations(decisions.cells, 2):
        one, other = decisions.rank(first.cell_id), decisions.rank(second.cell_id)
        if one.high < other.low:
            p = decisions.pair(first.cell_id, second.cell_id).p
            assert p is not None
            assert p <= 0.05
            assert decisions.is_better(first.cell_id, second.cell_id)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_ranges_hold_every_order_that_the_decisions_allow(seed: int) -> None:
    """Each range lies within 1 to N, and the order of scores itself is among what the ranges allow."""
    decisions = decide(drawn(np.random.default_rng(seed), 12, 30, 3, spread=0.2))
    for place, each in enumerate(decisions.cells, 1):
        rank = decisions.rank(each.cell_id)
        assert 1 <= rank.low <= place <= rank.high <= len(decisions.cells)


def test_equal_cells_are_not_ordered() -> None:
    """Forty cells of one ability: of 30 ranked sets hardly one shows a range other than 1-40."""
    assert falsely_ordered(30, 100, 5) <= binomial_quantile(0.999, 30, 0.05)


@pytest.mark.long
@pytest.mark.parametrize(("tasks", "repeats"), GROUPS)
def test_equal_cells_are_not_ordered_in_200_ranked_sets(tasks: int, repeats: int) -> None:
    """At most 5% of them show a range other than 1-40."""
    assert falsely_ordered(200, tasks, repeats) <= 10


def test_unadjusted_tests_would_order_equal_cells() -> None:
    """What the adjustment is for: of 780 pairs of equal cells some have a raw p below 5%."""
    cells = equal_cells(np.random.default_rng(1), 40, 100, 5)
    raw = [compare(first.tasks, second.tasks).p or 0.0 for first, second in combinations(cells, 2)]
    assert min(raw) < 0.05
    assert {decide(cells).rank(each.cell_id).text for each in cells} == {"1-40"}
