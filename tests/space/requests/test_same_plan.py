"""The form's preview and the command line come to the same plan, for whatever is offered and chosen."""

import json
import re
from typing import Any

import pytest

from tests.builders.houses import starter_tree
from tests.builders.requests import offered
from tests.space.requests.visits import CHOICE, House, Visitor

POLICIES: list[dict[str, Any]] = [
    {"repeats": 1},
    {"repeats": 5},
    {"concurrent_trials": 1},
    {"trial_seconds": 60},
    {"trials_per_shard": 1},
    {"shards_per_wave": 1},
    {"max_attempts": 1},
    {"max_spend_usd_micros": 7_000_000},
    {"estimate": {"trial_seconds": 3, "headroom": "1.25"}},
    {"repeats": 3, "trials_per_shard": 2, "concurrent_trials": 2},
]
CHOICES = [{"agents": "oracle"}, {"agents": ["oracle", "nop"]}]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_the_space_and_the_command_line_plan_the_same(house: House, policy: dict[str, Any], chosen: dict[str, Any]) -> None:
    """The digest on the preview is the digest of the manifest that it hands out, and the one that the pass makes."""
    tree = starter_tree()
    tree["policy"].update(policy)
    offered(house.place, tree)
    alice = house.visitor("alice")
    choice = {**CHOICE, **chosen, "ceiling_usd": "2.5" if "max_spend_usd_micros" in policy else "0"}
    shown = digest_shown(alice, choice)
    link = re.search(r'href="(/request/manifest[^"]*)"', alice.post("/request/preview", choice).text)
    assert link is not None
    manifest = json.loads(alice.get(link[1].replace("&amp;", "&")).content)
    assert house.place.plan(manifest).plan.digest == shown
    run_id = alice.ask_run(**{**chosen, "ceiling_usd": choice["ceiling_usd"]})
    house.place.reconcile()
    assert house.place.state(run_id).run.plan_digest == shown  # type: ignore[arg-type]


def digest_shown(visitor: Visitor, choice: dict[str, Any]) -> str:
    """Return the plan digest that a preview shows."""
    page = visitor.post("/request/preview", choice).text
    found = re.search(r"Plan digest</dt><dd><code[^>]*>([0-9a-f]{64})<", page)
    assert found is not None
    return found[1]
