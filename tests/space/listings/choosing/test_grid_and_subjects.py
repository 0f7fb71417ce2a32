"""The grid, the models and the agents hold every cell that the leaderboard lists, once, and average nothing."""

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from space.listings.cells import LISTING as CELLS
from space.listings.choosing.agent_counts import LISTING as AGENTS
from space.listings.choosing.grid import LISTING as GRID
from space.listings.choosing.model_counts import LISTING as MODELS
from space.listings.leaderboard import LISTING as LEADERBOARD
from space.listings.listing import discover, read_whole
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.listings.choosing.published_facts import Facts, main_edition, newest, read_facts


@pytest.fixture(scope="module")
def facts(works: Path) -> Facts:
    """What the published files say."""
    return read_facts(works)


def test_the_grid_holds_every_cell_of_the_leaderboard_once(works_mirror: Mirror, facts: Facts) -> None:
    """In every edition; with the rank range and bounds that the leaderboard shows."""
    for edition in {fact.row["edition"] for fact in facts.values()}:
        view = View("", {"edition": edition[:12]})
        listed = {row["cell_id"]: row for row in read_whole(LEADERBOARD, view, works_mirror).published}
        squares = [row for row in read_whole(GRID, view, works_mirror).published if row["square"] == "run"]
        assert Counter(row["cell_id"] for row in squares) == Counter(listed.keys())
        for row in squares:
            for name in ("score", "rank_low", "rank_high", "bound_low", "bound_high", "record", "model_repo", "agent_name"):
                assert row[name] == listed[row["cell_id"]][name]


def test_two_deployments_share_a_square(works_mirror: Mirror) -> None:
    """Both are listed, not the best alone."""
    rows = read_whole(GRID, View("grid", {}), works_mirror).published
    square = [row["deployment_id"] for row in rows if (row["model_repo"], row["agent_name"]) == ("example/Coral-32B", "shell")]
    assert sorted(square) == ["provider", "server"]


def test_an_empty_square_says_whether_it_could_be_run(works_mirror: Mirror, facts: Facts) -> None:
    """Every model with every agent has a square; an agent that asks no model goes with none."""
    names = {fact.name[:2] for fact in facts.values() if fact.row["edition"] == main_edition(facts)}
    models, agents = {model for model, _ in names}, {agent for _, agent in names}
    squares = {
        (row["model_repo"], row["agent_name"]): row["square"] for row in read_whole(GRID, View("grid", {}), works_mirror).rows
    }
    assert set(squares) == {(model, agent) for model in models for agent in agents}
    for (model, agent), said in squares.items():
        goes_together = (model == "none") == (agent == "oracle")
        assert said == ("run" if (model, agent) in names else "not_run" if goes_together else "not_applicable")


def test_narrowing_the_grid_makes_no_square_empty(works_mirror: Mirror) -> None:
    """`models` and `agents` choose rows and columns; what is left says the same."""
    whole = read_whole(GRID, View("grid", {}), works_mirror).published
    narrow = read_whole(
        GRID, View("grid", {"models": ("example/kelp-1b",), "agents": ("oracle", "shell")}), works_mirror
    ).published
    wanted = [row for row in whole if row["model_repo"] == "example/kelp-1b" and row["agent_name"] in {"oracle", "shell"}]
    assert narrow == wanted


@pytest.mark.parametrize("what", ["model", "agent"])
def test_counts_and_cells_of_every_subject(works_mirror: Mirror, facts: Facts, what: str) -> None:
    """The list counts what the cells say; the cells of all subjects together are all cells, each once."""
    column, place = ("model_repo", 0) if what == "model" else ("agent_name", 1)
    own: dict[str, list[str]] = defaultdict(list)
    for key, fact in newest(facts).items():
        own[fact.name[place]].append(key)
    rows = read_whole(MODELS if what == "model" else AGENTS, View(what, {}), works_mirror).published
    assert [row[column] for row in rows] == sorted(own)
    for row in rows:
        keys = own[row[column]]
        assert row["cells"] == len(keys)
        assert row["editions"] == len({facts[key].row["edition"] for key in keys})
        assert row["agents" if what == "model" else "models"] == len({facts[key].name[1 - place] for key in keys})
        cells = read_whole(CELLS, View(what, {what: row[column]}), works_mirror).published
        assert sorted(cell["cell_id"] for cell in cells) == sorted(keys)


def test_no_list_has_a_figure_over_editions() -> None:
    """Lists that go over editions count; only lists of single cells or of one edition have a score."""
    for listing in discover().values():
        names = {field.name for field in listing.fields}
        if "score" in names:
            assert {"cell_id", "edition"} & names, listing.name
    assert not {field.name for field in (*MODELS.fields, *AGENTS.fields)} & {
        "score",
        "pass_rate",
        "rank_low",
        "cost_per_trial_usd_micros",
    }
