"""The leaderboard's rows: who has a rank, that no view moves it, and that filters select what Python selects."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.synthetic import START
from benchmarks.synthetic_results import write_results
from shared.statistics.cells import Cell
from shared.statistics.ranks import decide
from space.listings.cells import LISTING as CELLS
from space.listings.leaderboard import LISTING
from space.listings.listing import read, read_whole
from space.listings.trials.tasks import LISTING as TASKS
from space.queries.statement import Statement
from space.queries.view import KEYS, View, parse
from space.readers.mirror import Mirror
from tests.space.listings.choosing.published_facts import Facts, main_edition, newest, read_facts
from tests.space.publishing import change_table, mirror_of
from tests.space.works import DATASET, FIRST, MONTH, made_run, with_kind

RANKED = Statement("SELECT cell_id, is_ranked FROM cell")
NEVER = {"example/composite-7b", "example/manual-7b", "example/partial-7b"}


@pytest.fixture(scope="module")
def facts(works: Path) -> Facts:
    """What the published files say."""
    return read_facts(works)


def ranks(mirror: Mirror, **values: Any) -> dict[str, tuple[int | None, int | None]]:
    """Return the rank range of each listed cell."""
    rows = read_whole(LISTING, View("", values), mirror).published
    return {row["cell_id"]: (row["rank_low"], row["rank_high"]) for row in rows}


def test_rank_ranges_follow_from_the_trials(works_mirror: Mirror, facts: Facts) -> None:
    """Each host's ranked set of the edition, decided anew from the published trials."""
    found = ranks(works_mirror)
    ours = {key: fact for key, fact in newest(facts).items() if fact.row["edition"] == main_edition(facts) and fact.is_rankable}
    for host in {fact.row["host_packages_sha256"] for fact in ours.values()}:
        own = {key: fact for key, fact in ours.items() if fact.row["host_packages_sha256"] == host}
        decisions = decide(Cell(key, fact.score, fact.tasks) for key, fact in own.items())
        assert {key: found[key] for key in own} == {key: tuple(decisions.rank(key)) for key in own}
    assert {found[key] for key in found.keys() - ours.keys()} == {(None, None)}


def test_filters_order_and_page_size_move_no_rank(works_mirror: Mirror) -> None:
    """Every cell that a view shows has the rank range of the whole list."""
    whole = ranks(works_mirror)
    views: list[dict[str, Any]] = [
        {"sort": name, "dir": way} for name in ("score", "cost", "duration") for way in ("asc", "desc")
    ]
    views += [
        {"models": ("example/coral-7b",)},
        {"max_cost": "0.01"},
        {"hardware": ("l4x1",)},
        {"q": "shell"},
        {"quality": ("clean",)},
    ]
    for values in views:
        shown = ranks(works_mirror, **values)
        assert shown
        assert all(whole[key] == rank for key, rank in shown.items())
    for page in (1, 2, 3):
        rows = read(LISTING, View("", {"page": page}), works_mirror, per_page=5).published
        assert all(whole[row["cell_id"]] == (row["rank_low"], row["rank_high"]) for row in rows)


def test_no_query_ranks_what_must_not_be_ranked(works_mirror: Mirror, facts: Facts) -> None:
    """Composite, manual, partial, too lossy, withdrawn and superseded cells and older reruns, under 300 made-up queries."""
    chance = random.Random(5)  # noqa: S311 - the same queries every time
    values = ["complete", "composite", "manual", "partial", "clean", "degraded", "shell", "planner", "latest", "all", "final"]
    values += [
        "component",
        "example/manual-7b",
        "example/partial-7b",
        "asc",
        "desc",
        "score",
        "cost",
        "1",
        "2",
        "0.5",
        "withdrawn",
    ]
    allowed = {key for key, fact in newest(facts).items() if fact.is_rankable}
    seen = set()
    for _ in range(300):
        query = "&".join(f"{chance.choice(sorted(KEYS))}={chance.choice(values)}" for _ in range(chance.randrange(6)))
        for listing in (LISTING, CELLS):
            view = parse("", query, listing.parameters - {"benchmark", "edition", "model", "agent"})
            for row in read_whole(listing, view, works_mirror).published:
                seen.add(row["model_repo"])
                assert (row["rank_low"] is not None) == row["is_ranked"]
                assert not row["is_ranked"] or row["cell_id"] in allowed
    assert seen >= NEVER


def test_a_row_that_calls_itself_ranked_is_not(tmp_path: Path) -> None:
    """Who is ranked is decided from kind, counts and catalog; a manual cell that claims a rank has none."""
    run = with_kind(made_run(1, FIRST[:2]), "manual")
    write_results(tmp_path / "results", [run])
    claim = {"ranked": True, "unranked_reason": None}
    change_table(tmp_path / "results", "cells", lambda rows: [row.update(claim) for row in rows], DATASET)
    rows = read_whole(LISTING, View("", {}), mirror_of(tmp_path / "results", tmp_path / "mirror")).published
    assert [(row["is_ranked"], row["rank_low"]) for row in rows] == [(False, None)] * 2


@pytest.mark.parametrize(
    ("column", "values", "is_one_set"), [("concurrency", (1, 64), True), ("host_packages_sha256", ("1" * 64, "2" * 64), False)]
)
def test_concurrency_separates_no_ranked_set_and_another_host_does(
    tmp_path: Path, column: str, values: tuple[Any, ...], *, is_one_set: bool
) -> None:
    """Cells that ran beside few or many others stand against each other; those of two hosts do not."""
    write_results(tmp_path / "results", [made_run(1, (*FIRST[:3], FIRST[5]))])
    before = ranks(mirror_of(tmp_path / "results", tmp_path / "before"))

    def alternate(rows: list[dict[str, Any]]) -> None:
        for place, row in enumerate(rows):
            row[column] = values[place % 2]

    change_table(tmp_path / "results", "cells", alternate, DATASET)
    after = ranks(mirror_of(tmp_path / "results", tmp_path / "after"))
    assert all(low is not None for low, _ in after.values())
    assert (after == before) is is_one_set
    assert max(high for _, high in after.values() if high) == (len(after) if is_one_set else len(after) // 2)


def test_reruns_are_listed_only_when_asked(works_mirror: Mirror, facts: Facts) -> None:
    """The newest run of a cell by default; with `all`, the older one stands there without a rank."""
    ours = {key for key, fact in facts.items() if fact.row["edition"] == main_edition(facts)}
    everything = ranks(works_mirror, reruns="all")
    (older,) = ours - set(ranks(works_mirror))
    assert set(everything) == ours
    assert everything[older] == (None, None)


def test_a_restored_run_takes_no_rank_from_the_one_after_it(tmp_path: Path) -> None:
    """Withdrawn and restored, the first run stands again as what it is: the older of two, however good."""
    first, again = made_run(1, FIRST[2:4]), made_run(2, (FIRST[2]._replace(skill=0.1),), at=START + MONTH)
    name = first.cells[0].identity.cell_id
    records = [{"cell_id": name, "record": record, "reason": "looked at twice"} for record in ("withdrawn", "restored")]
    write_results(tmp_path / "results", [first, again], records)
    mirror = mirror_of(tmp_path / "results", tmp_path / "mirror")
    assert set(ranks(mirror)) == {again.cells[0].identity.cell_id, first.cells[1].identity.cell_id}
    assert {row["cell_id"]: row["is_ranked"] for row in mirror.rows(RANKED)}[name] is False


def test_a_later_diagnostic_run_hides_no_final_cell(tmp_path: Path) -> None:
    """It is another role's newest, also of a cell that has no rank."""
    final, again = made_run(1, FIRST[2:4]), made_run(2, FIRST[2:4], at=START + MONTH)
    diagnostic = replace(again, scope=replace(again.scope, role="diagnostic"))
    write_results(tmp_path / "results", [final, diagnostic])
    mirror = mirror_of(tmp_path / "results", tmp_path / "mirror")
    ids = {cell.identity.cell_id for cell in final.cells}
    assert set(ranks(mirror)) == ids
    assert {row["cells"] for row in read_whole(TASKS, View("", {}), mirror).published} == {len(ids)}


def test_a_later_partial_run_takes_no_ranked_cell_from_the_tasks(tmp_path: Path) -> None:
    """What is solved is counted over the cells that are ranked, each once."""
    whole, again = made_run(1, FIRST[2:3]), made_run(2, (FIRST[2]._replace(skill=0.0),), at=START + MONTH)
    write_results(tmp_path / "results", [whole, with_kind(again, "partial")])
    rows = read_whole(TASKS, View("", {}), mirror_of(tmp_path / "results", tmp_path / "mirror")).published
    assert {row["cells"] for row in rows} == {1}
    assert sum(row["passed_trials"] for row in rows) == sum(bool(trial.is_passed) for trial in whole.cells[0].trials) > 0


@pytest.mark.parametrize(
    ("key", "column", "value"),
    [
        ("deployments", "deployment_id", "provider"),
        ("providers", "provider", "example-cloud"),
        ("hardware", "hardware", "a100-large"),
        ("quality", "quality", "degraded"),
        ("kind", "kind", "manual"),
    ],
)
def test_a_filter_equals_a_filter_in_python(works_mirror: Mirror, facts: Facts, key: str, column: str, value: str) -> None:
    """By the published column, exactly."""
    ours = {name: fact for name, fact in newest(facts).items() if fact.row["edition"] == main_edition(facts)}
    expected = {name for name, fact in ours.items() if fact.row[column] == value}
    assert set(ranks(works_mirror, **{key: (value,)})) == expected
    assert expected


def test_the_cost_limit_is_per_planned_trial(works_mirror: Mirror, facts: Facts) -> None:
    """Exactly at the limit is within; a cell without reported cost is not shown, as it may cost more."""
    ours = {name: fact for name, fact in newest(facts).items() if fact.row["edition"] == main_edition(facts)}
    for limit in ("0", "0.001", "0.014", "1"):
        cells = {
            name for name, fact in ours.items() if fact.cost is not None and fact.cost <= float(limit) * 1e6 * len(fact.trials)
        }
        assert set(ranks(works_mirror, max_cost=limit)) == cells
