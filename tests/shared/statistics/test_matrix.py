"""All pairs of a ranked set: the same p as one pair alone, and Benjamini and Hochberg's rule over them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.errors import BadInput
from shared.statistics.cells import TaskSum
from shared.statistics.matrix import FALSE_DISCOVERY_RATE, MAX_CELLS, Matrix, decide_pairs
from shared.statistics.paired import compare
from tests.shared.statistics.drawing import drawn, of_rewards, of_solved

type Tasks = dict[str, TaskSum]


@st.composite
def ranked_sets(draw: st.DrawFn) -> list[Tasks]:
    """Two to eight cells of one kind: single runs, repeats or graded rewards; on common tasks, or one with a task less."""
    tasks, repeats = draw(st.integers(8, 14)), draw(st.integers(1, 3))
    reward = draw(st.sampled_from([st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0]), st.floats(-3, 3)]))
    row = st.lists(st.lists(reward, min_size=repeats, max_size=repeats), min_size=tasks, max_size=tasks)
    plain = st.sampled_from([[[0.0] * repeats] * tasks, [[1.0] * repeats] * tasks])
    cells = [of_rewards(each) for each in draw(st.lists(row | plain, min_size=2, max_size=8))]
    if draw(st.booleans()):
        cells[-1].popitem()
    return cells


@settings(max_examples=300, deadline=None)
@given(ranked_sets())
def test_all_pairs_are_decided_as_pair_after_pair(cells: list[Tasks]) -> None:
    """By sorting the p of every single test and stepping down, as the rule is written."""
    matrix = decide_pairs(cells)
    by_hand = decided_by_hand(cells)
    decided = {(a, b) for a in range(len(cells)) for b in range(len(cells)) if matrix.is_better(a, b)}
    assert decided == by_hand
    assert matrix.tested + matrix.untested == len(cells) * (len(cells) - 1) // 2


def decided_by_hand(cells: list[Tasks]) -> set[tuple[int, int]]:
    """Return the decided pairs, better first."""
    found = []
    for first, second in combinations(range(len(cells)), 2):
        test = compare(cells[first], cells[second])
        if test.p is not None and test.difference is not None:
            found.append((test.p, (first, second) if test.difference > 0 else (second, first), test.difference))
    found.sort()
    last = max((place for place, (p, _, _) in enumerate(found, 1) if p <= FALSE_DISCOVERY_RATE * place / len(found)), default=0)
    return {pair for _, pair, difference in found[:last] if difference}


def test_a_drawn_ranked_set_is_decided_as_pair_after_pair() -> None:
    """On sizes as they are published, once for every kind of test."""
    random = np.random.default_rng(7)
    for repeats in (1, 5):
        cells = [dict(each.tasks) for each in drawn(random, 30, 60, repeats, spread=0.15)]
        matrix = decide_pairs(cells)
        decided = {(a, b) for a in range(30) for b in range(30) if matrix.is_better(a, b)}
        assert decided == decided_by_hand(cells)
        assert 50 < len(decided) < 435


def test_nearly_equal_differences_are_not_lost_in_rounding() -> None:
    """A cell ahead by 1e-9 on every task, give or take a fifth of it, is ahead: its t is 22, however small the trace."""
    random = np.random.default_rng(3)
    for _ in range(20):
        base = random.random(20)
        ahead = base + 1e-9 * (1 + 0.2 * (-1.0) ** np.arange(20))
        cells = [of_rewards([[float(mean)] for mean in means]) for means in (base, ahead)]
        assert compare(*cells).method == "paired_t"
        assert decide_pairs(cells).is_better(1, 0)


def test_untested_pairs_do_not_count() -> None:
    """Nine tasks: nothing is decided, however far apart, and nothing is adjusted for."""
    matrix = decide_pairs([of_solved([1] * 9), of_solved([0] * 9)])
    assert matrix == Matrix(2, bytes(4), tested=0, untested=1, threshold=0.0)


def test_more_cells_make_a_pair_harder_to_decide() -> None:
    """A p of 0.02 decides one pair, and none among many equal cells."""
    far, near = of_solved([1] * 9 + [0] + [1] * 10), of_solved([0] * 9 + [1] + [1] * 10)
    assert decide_pairs([far, near]).is_better(0, 1)
    assert not any(decide_pairs([far, near, *[of_solved([1, 0] * 10)] * 20]).better[1:2])


@pytest.mark.parametrize("size", [0, 1])
def test_a_set_without_a_pair(size: int) -> None:
    """Decides nothing and does not fail."""
    assert decide_pairs([of_solved([1] * 20)] * size).tested == 0


def test_too_many_cells_are_refused() -> None:
    """By name, before any pair is tested."""
    with pytest.raises(BadInput) as raised:
        decide_pairs([{}] * (MAX_CELLS + 1))
    assert raised.value.code == "RANKED_SET_TOO_LARGE"
