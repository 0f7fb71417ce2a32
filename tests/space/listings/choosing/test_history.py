"""The history of a cell: its runs in time, what changed between them, and the paired test of each against the one before."""

from pathlib import Path

import pytest

from shared.errors import Refused
from shared.statistics.paired import compare
from space.listings.choosing.history import LISTING
from space.listings.listing import read, read_whole
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.listings.choosing.published_facts import Facts, one, read_facts


@pytest.fixture(scope="module")
def facts(works: Path) -> Facts:
    """What the published files say."""
    return read_facts(works)


def test_reruns_stand_in_time_with_what_changed(works_mirror: Mirror, facts: Facts) -> None:
    """Both runs, oldest first, whichever of them is asked; Harbor, the deployment's digest and the price document changed."""
    newest = one(facts, "coral-7b", "shell")
    own = sorted(
        (fact for fact in facts.values() if fact.row["cell_digest"] == newest.row["cell_digest"]),
        key=lambda fact: fact.row["completed_at"],
    )
    for asked in own:
        rows = read_whole(LISTING, View("cell", {"cell_id": asked.row["cell_id"]}), works_mirror).published
        assert [row["cell_id"] for row in rows] == [fact.row["cell_id"] for fact in own]
        assert [row["score"] for row in rows] == pytest.approx([fact.score for fact in own])
        assert [row["changed"] for row in rows] == [[], ["harbor", "deployment", "prices"]]
        assert [row["harbor_version"] for row in rows] == [fact.run["harbor_version"] for fact in own]
        assert [row["is_ranked"] for row in rows] == [False, True]


def test_a_rerun_is_tested_against_the_run_before(works_mirror: Mirror, facts: Facts) -> None:
    """This run less the one before: difference, interval and p of the single pair."""
    newest = one(facts, "coral-7b", "shell")
    first, rerun = read_whole(LISTING, View("cell", {"cell_id": newest.row["cell_id"]}), works_mirror).published
    test = compare(newest.tasks, facts[first["cell_id"]].tasks)
    assert (first["verdict"], first["difference"]) == ("first", None)
    assert rerun["before_id"] == first["cell_id"]
    assert rerun["difference"] == pytest.approx(test.difference)
    assert (rerun["difference_low"], rerun["difference_high"], rerun["p"]) == pytest.approx((test.low, test.high, test.p))
    assert rerun["verdict"] == "not_told_apart"


def test_a_page_of_the_history_keeps_the_run_before(works_mirror: Mirror, facts: Facts) -> None:
    """What changed and the test do not depend on where a page begins."""
    view = View("cell", {"cell_id": one(facts, "coral-7b", "shell").row["cell_id"]})
    whole = read_whole(LISTING, view, works_mirror).published
    assert read(LISTING, view.with_values(page=2), works_mirror, per_page=1).published == whole[1:]


def test_a_cell_without_reruns_is_its_own_history(works_mirror: Mirror, facts: Facts) -> None:
    """One row, nothing compared; a withdrawn cell has one too."""
    for model in ("Coral-32B", "far-7b"):
        fact = one(facts, model, "shell")
        (row,) = read_whole(LISTING, View("cell", {"cell_id": fact.row["cell_id"]}), works_mirror).published
        assert (row["verdict"], row["before_id"], row["changed"]) == ("first", None, [])


def test_an_unknown_cell_is_named(works_mirror: Mirror) -> None:
    """The error says which."""
    with pytest.raises(Refused, match="cell-none") as refused:
        read_whole(LISTING, View("cell", {"cell_id": "cell-none"}), works_mirror)
    assert refused.value.code == "view.not_published"
