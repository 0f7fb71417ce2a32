"""Who is ranked with whom, and who is not ranked at all."""

from typing import Any

import pytest

from shared.statistics.cells import Cell
from shared.statistics.ranked_sets import Candidate, SetKey, ranked_sets, why_unranked


def candidate(name: str, **changes: Any) -> Candidate:
    """Return a clean cell of a remote edition, with `changes`."""
    return Candidate(
        cell=Cell(name, 0.5, {}),
        cell_digest=f"digest of {name}",
        edition="edition-1",
        kind="complete",
        quality="clean",
        role="final",
        sandbox="hf",
        host_packages_sha256=None,
        planned_trials=1_000,
        infrastructure_exhausted_trials=0,
        stands=True,
        sequence=1,
    )._replace(**changes)


def names(candidates: list[Candidate]) -> list[list[str]]:
    """Return the cell ids of each ranked set."""
    return [[cell.cell_id for cell in cells] for cells in ranked_sets(candidates).values()]


@pytest.mark.parametrize(("lost", "is_ranked"), [(50, True), (51, False)])
def test_five_percent_lost_is_ranked_and_a_trial_more_is_not(lost: int, is_ranked: bool) -> None:
    """Of a thousand; nobody else's range counts the unranked one."""
    found = names([candidate("other"), candidate("lossy", quality="degraded", infrastructure_exhausted_trials=lost)])
    assert found == [["lossy", "other"] if is_ranked else ["other"]]


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "partial"},
        {"kind": "composite"},
        {"kind": "manual"},
        {"quality": "partial"},
        {"role": "component"},
        {"role": "diagnostic"},
        {"stands": False},
        {"sandbox": "local", "host_packages_sha256": "mixed"},
    ],
)
def test_lines_that_never_get_a_rank(changes: dict[str, Any]) -> None:
    """They stay listed, elsewhere."""
    assert names([candidate("odd", **changes)]) == []


def test_the_newest_of_reruns_counts() -> None:
    """Whatever their scores: the best of several would be luck."""
    again = candidate("again", cell_digest="same", sequence=7)
    assert names([again, candidate("before", cell_digest="same", sequence=3)]) == [["again"]]


def test_a_withdrawn_rerun_leaves_the_one_before() -> None:
    """It no longer stands for the cell."""
    cells = [
        candidate("again", cell_digest="same", sequence=7, stands=False),
        candidate("before", cell_digest="same", sequence=3),
    ]
    assert names(cells) == [["before"]]


def test_editions_are_never_mixed() -> None:
    """Nor averaged."""
    assert names([candidate("a"), candidate("b", edition="edition-2")]) == [["a"], ["b"]]


def test_each_host_of_a_local_edition_is_a_set_of_its_own() -> None:
    """The same cell run on two hosts is ranked on both, each among its neighbours."""
    local = [
        candidate("a1", sandbox="local", host_packages_sha256="one", cell_digest="a"),
        candidate("a2", sandbox="local", host_packages_sha256="two", cell_digest="a"),
        candidate("b1", sandbox="local", host_packages_sha256="one", cell_digest="b"),
    ]
    found = ranked_sets(local)
    assert list(found) == [SetKey("edition-1", "one"), SetKey("edition-1", "two")]
    assert names(local) == [["a1", "b1"], ["a2"]]


def test_the_host_of_a_remote_sandbox_separates_nothing() -> None:
    """It is not where the tasks ran."""
    assert names([candidate("a", host_packages_sha256="one"), candidate("b", host_packages_sha256="two")]) == [["a", "b"]]


def test_the_reason_is_in_words() -> None:
    """As the tables carry it."""
    said = why_unranked(kind="complete", quality="clean", role="final", planned=19, lost=1, host_packages_sha256=None)
    assert said == "infrastructure lost more than 5% of the planned trials"
