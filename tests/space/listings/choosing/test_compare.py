"""A comparison subtracts what may be subtracted, decides as the ranks do, and says why where it does neither."""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from shared.errors import Refused
from shared.statistics.cells import Cell
from shared.statistics.distributions import student_t, student_two_sided
from shared.statistics.ranks import decide
from space.listings.choosing.compare import LISTING
from space.listings.listing import read_whole
from space.queries.view import View, parse
from space.readers.mirror import Mirror
from tests.space.listings.choosing.published_facts import Fact, Facts, main_edition, newest, one, read_facts


@pytest.fixture(scope="module")
def facts(works: Path) -> Facts:
    """What the published files say."""
    return read_facts(works)


def compared(mirror: Mirror, *cells: Fact) -> list[dict[str, Any]]:
    """Return the pairs of `cells`."""
    ids = tuple(sorted(cell.row["cell_id"] for cell in cells))
    return read_whole(LISTING, View("compare", {"cells": ids}), mirror).published


def test_difference_interval_and_p_are_those_of_the_paired_t_test(works_mirror: Mirror, facts: Facts) -> None:
    """Recomputed from the trials: mean of task differences, its interval and p, tasks won, lost and tied."""
    better, worse = one(facts, "Coral-32B", "shell"), one(facts, "coral-7b", "shell")
    (pair,) = compared(works_mirror, worse, better)
    ours, theirs = better.tasks, worse.tasks
    differences = [ours[name].mean - theirs[name].mean for name in sorted(ours)]
    count = len(differences)
    mean = math.fsum(differences) / count
    stderr = math.sqrt(math.fsum((each - mean) ** 2 for each in differences) / (count - 1) / count)
    half = stderr * student_t(0.975, count - 1)
    assert pair["first_cell_id"] == better.row["cell_id"]
    assert pair["method"] == "paired_t"
    assert pair["difference"] == pytest.approx(better.score - worse.score)
    assert (pair["difference_low"], pair["difference_high"]) == pytest.approx((mean - half, mean + half))
    assert pair["p"] == pytest.approx(student_two_sided(mean / stderr, count - 1))
    signs = [(each > 0) - (each < 0) for each in differences]
    assert [pair["won"], pair["lost"], pair["tied"]] == [signs.count(1), signs.count(-1), signs.count(0)]


def test_the_decision_is_the_one_that_ranks(works_mirror: Mirror, facts: Facts) -> None:
    """Every pair of the ranked set has the verdict of the matrix over all of them; both verdicts occur."""
    edition, host = main_edition(facts), one(facts, "coral-7b", "shell").row["host_packages_sha256"]
    ranked = {
        key: fact
        for key, fact in newest(facts).items()
        if fact.is_rankable and (fact.row["edition"], fact.row["host_packages_sha256"]) == (edition, host)
    }
    decisions = decide(Cell(key, fact.score, fact.tasks) for key, fact in ranked.items())
    verdicts = set()
    for first, second in combinations(ranked.values(), 2):
        (pair,) = compared(works_mirror, first, second)
        is_better = decisions.is_better(pair["first_cell_id"], pair["second_cell_id"])
        assert pair["verdict"] == ("first_better" if is_better else "not_told_apart")
        verdicts.add(pair["verdict"])
    assert verdicts == {"first_better", "not_told_apart"}


def test_another_edition_is_never_subtracted(works_mirror: Mirror, facts: Facts) -> None:
    """The pair names what the editions fix differently and has no figure."""
    (pair,) = compared(works_mirror, one(facts, "coral-7b", "shell"), one(facts, "coral-7b", "shell", repeats=1))
    assert pair["why_not"] == "another_edition"
    assert "repeats" in pair["edition_differs_in"]
    assert {pair[name] for name in ("difference", "p", "verdict", "won", "repeats_needed")} == {None}


def test_another_host_is_never_subtracted(works_mirror: Mirror, facts: Facts) -> None:
    """Local cells of hosts with different software are ranked apart, so they are compared in no other way either."""
    (pair,) = compared(works_mirror, one(facts, "coral-7b", "shell"), one(facts, "far-7b", "shell"))
    assert (pair["why_not"], pair["difference"]) == ("another_host", None)


@pytest.mark.parametrize(("model", "agent"), [("kelp-1b", "planner"), ("tern-3b", "planner"), ("partial-7b", "shell")])
def test_a_cell_without_a_score_that_stands_is_not_compared(works_mirror: Mirror, facts: Facts, model: str, agent: str) -> None:
    """Withdrawn, superseded, and not complete."""
    (pair,) = compared(works_mirror, one(facts, "coral-7b", "shell"), one(facts, model, agent))
    assert (pair["why_not"], pair["difference"]) == ("no_score", None)


def test_a_pair_that_is_not_ranked_together_has_no_verdict(works_mirror: Mirror, facts: Facts) -> None:
    """A cell that lost too much has a difference, and no decision."""
    lossy = one(facts, "coral-7b", "planner")
    (pair,) = compared(works_mirror, one(facts, "coral-7b", "shell"), lossy)
    assert pair["verdict"] is None
    assert pair["difference"] == pytest.approx(one(facts, "coral-7b", "shell").score - lossy.score)


def test_four_cells_make_six_pairs_in_the_order_of_their_scores(works_mirror: Mirror, facts: Facts) -> None:
    """The higher score first; what differs in the configuration is named."""
    cells = [one(facts, "Coral-32B", "shell"), one(facts, "Coral-32B", "shell", "provider")]
    cells += [one(facts, "coral-7b", "shell"), one(facts, "kelp-1b", "shell")]
    pairs = compared(works_mirror, *cells)
    assert len(pairs) == 6
    assert all(pair["first_score"] >= pair["second_score"] for pair in pairs)
    (served,) = compared(works_mirror, *cells[:2])
    assert {"provider", "hardware", "engine", "deployment_kind"} <= set(served["configuration_differs_in"])


def test_cost_per_pass_counts_every_attempt(works_mirror: Mirror, facts: Facts) -> None:
    """All that the trials cost over those that passed; not reported stays so."""
    first, second = one(facts, "coral-7b", "shell"), one(facts, "kelp-1b", "shell")
    (pair,) = compared(works_mirror, first, second)
    assert first.cost is not None
    assert second.cost is not None
    costs = [round(first.cost / first.passed), round(second.cost / second.passed)]
    assert [pair["first_cost_per_pass_usd_micros"], pair["second_cost_per_pass_usd_micros"]] == costs


def test_unknown_too_few_and_too_many_cells_are_refused(works_mirror: Mirror, facts: Facts) -> None:
    """By name; the address keeps a fifth mark, so that who made it can be told."""
    known = one(facts, "coral-7b", "shell").row["cell_id"]
    five = tuple(sorted(facts)[:5])
    for cells, code in (
        (("cell-none", known), "view.not_published"),
        ((known,), "compare.too_few"),
        ((), "compare.too_few"),
        (five, "compare.too_many"),
    ):
        with pytest.raises(Refused) as refused:
            read_whole(LISTING, View("compare", {"cells": cells}), works_mirror)
        assert refused.value.code == code
    view = parse("compare", "&".join(f"cells=cell-{number}" for number in range(5)), {"cells"})
    assert (len(view.texts("cells")), view.ignored) == (5, ())
