"""What the pages for choosing say in words: where scores come from, what is not comparable, what leads where."""

import re
from collections import Counter
from pathlib import Path

import pytest

from shared.errors import Refused
from space.components.choosing.grid import grid_table
from space.listings.choosing.grid import LISTING as GRID
from space.listings.listing import read_whole
from space.pages import cell as cell_page
from space.pages import leaderboard
from space.pages.choosing import agent, compare, cost, grid, model
from space.queries.view import View, parse
from space.readers.mirror import Mirror
from tests.space.listings.choosing.published_facts import Facts, main_edition, newest, one, read_facts
from tests.space.pages.test_numbers import plain


@pytest.fixture(scope="module")
def facts(works: Path) -> Facts:
    """What the published files say."""
    return read_facts(works)


def every_page(mirror: Mirror, facts: Facts) -> dict[str, str]:
    """Return the pages that show scores of several cells."""
    pair = tuple(sorted(one(facts, name, "shell").row["cell_id"] for name in ("Coral-32B", "coral-7b")))
    return {
        "leaderboard": str(leaderboard.show(View("", {}), mirror)),
        "grid": str(grid.show(View("grid", {}), mirror)),
        "cost": str(cost.show(View("cost", {}), mirror)),
        "model": str(model.show(View("model", {"model": "example/coral-7b"}), mirror)),
        "agent": str(agent.show(View("agent", {"agent": "shell"}), mirror)),
        "compare": str(compare.show(View("compare", {"cells": pair}), mirror)),
        "pick": str(compare.show(View("compare", {}), mirror)),
        "history": str(cell_page.show(View("cell", {"cell_id": pair[0]}), mirror)),
    }


def test_every_displayed_score_leads_to_a_filled_panel(works_mirror: Mirror, facts: Facts) -> None:
    """One link from the row of each score; the panel behind it has no empty field."""
    for name, markup in every_page(works_mirror, facts).items():
        linked = set(re.findall(r'href="/cell\?cell_id=(cell-[0-9a-f]+)#provenance"', markup))
        assert linked, name
        boxes = len(re.findall(r'class="score-(?:number|link)"', markup))
        assert boxes <= 2 * len(re.findall(r"#provenance", markup)), name
    for cell_id in facts:
        panel = str(cell_page.show(View("cell", {"cell_id": cell_id}), works_mirror)).split('id="provenance"')[1]
        values = re.findall(r"<dd>(.*?)</dd>", panel)
        assert len(values) > 40
        assert all(plain(value) for value in values)


def test_a_provider_has_no_endpoint_of_its_own(works_mirror: Mirror, facts: Facts) -> None:
    """Against a server its engine and hardware read not comparable, and so does a metric that one side lacks."""
    ids = tuple(sorted(one(facts, "Coral-32B", "shell", kind).row["cell_id"] for kind in ("server", "provider")))
    text = plain(compare.show(View("compare", {"cells": ids}), works_mirror))
    for setting in ("hardware", "engine", "engine version"):
        assert re.search(rf" {setting} (not comparable|\S+) (not comparable|\S+) ", text)
        assert "not comparable" in text.split(f" {setting} ")[1][:60]
    assert "not comparable" in text.split("output tokens")[1][:60]
    assert "not comparable" not in text.split(" input tokens ")[1][:60]


def test_two_deployments_of_one_model_and_agent_have_names_apart(works_mirror: Mirror, facts: Facts) -> None:
    """By their deployment; equal scores differ by 0, without a sign."""
    ids = tuple(sorted(one(facts, "Coral-32B", "shell", kind).row["cell_id"] for kind in ("server", "provider")))
    text = plain(compare.show(View("compare", {"cells": ids}), works_mirror))
    names = {f"example/Coral-32B with shell, {kind}" for kind in ("server", "provider")}
    assert any(f"{first} against {second}" in text for first in names for second in names - {first})
    assert "Difference 0 points" in text


def test_different_editions_show_reasons_and_no_difference(works_mirror: Mirror, facts: Facts) -> None:
    """The words of what the editions fix, no figure of a difference."""
    ids = tuple(sorted(one(facts, "coral-7b", "shell", repeats=repeats).row["cell_id"] for repeats in (1, 2)))
    text = plain(compare.show(View("compare", {"cells": ids}), works_mirror))
    assert "belong to different editions, so nothing is subtracted" in text
    assert "repeats 2 1" in text or "repeats 1 2" in text
    assert "95% paired interval" not in text


def test_one_cell_leads_to_a_list_to_pick_from(works_mirror: Mirror, facts: Facts) -> None:
    """The cells of its edition in a form, itself marked."""
    wanted = one(facts, "coral-7b", "shell", repeats=1).row
    markup = str(compare.show(View("compare", {"cells": (wanted["cell_id"],)}), works_mirror))
    assert re.search(rf'value="{wanted["cell_id"]}" checked', markup)
    boxes = set(re.findall(r'name="cells" value="(cell-[0-9a-f]+)"', markup))
    assert boxes == {key for key, fact in newest(facts).items() if fact.row["edition"] == wanted["edition"]}
    assert '<form method="get" action="/compare"' in markup


def test_marked_boxes_are_the_address_of_the_comparison(works_mirror: Mirror, facts: Facts) -> None:
    """What a browser sends for two boxes is read as both cells."""
    ids = sorted(one(facts, name, "shell").row["cell_id"] for name in ("Coral-32B", "coral-7b"))
    view = parse("compare", "&".join(f"cells={cell_id}" for cell_id in ids), compare.PAGE.parameters)
    assert view.texts("cells") == tuple(ids)
    assert "against" in plain(compare.show(view, works_mirror))


def test_only_a_cell_with_reruns_leads_to_earlier_runs(works_mirror: Mirror, facts: Facts) -> None:
    """By the number of its other published runs, withdrawn ones too; an older run says that the others are others."""
    markup = str(leaderboard.show(View("", {"reruns": "all"}), works_mirror))
    shown = re.findall(r'href="/cell\?cell_id=(cell-[0-9a-f]+)#history">(\d) (earlier|other) run</a>', markup)
    digests = Counter(fact.row["cell_digest"] for fact in facts.values())
    edition = main_edition(facts)
    several = {key for key, fact in facts.items() if digests[fact.row["cell_digest"]] > 1 and fact.row["edition"] == edition}
    assert {cell_id for cell_id, _, _ in shown} == several
    assert {int(number) for _, number, _ in shown} == {1}
    times = {
        digest: max(fact.row["completed_at"] for fact in facts.values() if fact.row["cell_digest"] == digest)
        for digest in digests
    }
    for cell_id, _, word in shown:
        row = facts[cell_id].row
        assert (word == "earlier") == (row["completed_at"] == times[row["cell_digest"]])


def test_unknown_names_are_not_published(works_mirror: Mirror) -> None:
    """A model, agent, cell, benchmark or edition that nobody published has the same error."""
    for page, values in (
        (model, {"model": "example/none"}),
        (agent, {"agent": "nobody"}),
        (compare, {"cells": ("cell-none", "cell-never")}),
        (grid, {"benchmark": "nothing"}),
        (cost, {"edition": "abcdef"}),
    ):
        with pytest.raises(Refused) as refused:
            page.show(View("", values), works_mirror)
        assert refused.value.code == "view.not_published"


def test_the_caption_says_what_a_rank_range_means(works_mirror: Mirror) -> None:
    """In words, and that each host's software has a ranked set of its own here."""
    text = plain(leaderboard.show(View("", {}), works_mirror))
    assert "2-4 of 6 says that one cell is significantly better and two are significantly worse" in text
    assert "There are 2 ranked sets" in text


def test_an_empty_square_offers_its_request(works_mirror: Mirror) -> None:
    """With benchmark, model and agent filled in, where requests are taken; elsewhere it only says that nobody ran it."""
    rows = read_whole(GRID, View("grid", {}), works_mirror).rows
    (square,) = [row for row in rows if (row["model_repo"], row["agent_name"]) == ("example/Coral-32B", "planner")]
    squares = {("example/Coral-32B", "planner"): [square]}
    offered = str(grid_table(["example/Coral-32B"], ["planner"], squares, asks=True))
    assert 'href="/request?agent=planner&amp;benchmark=harbour-works&amp;model=example%2FCoral-32B"' in offered
    refused = str(grid_table(["example/Coral-32B"], ["planner"], squares, asks=False))
    assert "/request" not in refused
    assert "not run" in refused


def test_filters_offer_what_is_published(works_mirror: Mirror, facts: Facts) -> None:
    """Every filter that tells cells apart, and a field for the cost; the cost that was set stays in it."""
    markup = str(leaderboard.show(View("", {"max_cost": "0.02"}), works_mirror))
    for title in ("Models", "Agents", "Deployments", "Providers", "Hardware", "Quality", "Kind"):
        assert f"<summary>{title}: all</summary>" in markup
    single = str(
        leaderboard.show(View("", {"edition": one(facts, "coral-7b", "shell", repeats=1).row["edition"][:12]}), works_mirror)
    )
    assert "<summary>Models: all</summary>" in single
    assert "<summary>Kind: all</summary>" not in single
    assert 'name="max_cost" value="0.02"' in markup
    assert "Filters (1 set)" in markup
