"""A provider against an endpoint: what only one's own endpoint says of itself is not comparable, and never a difference."""

from dataclasses import replace

import pytest

from benchmarks.synthetic_results import write_results
from space.components.choosing.beside import OF_OWN_ENDPOINT
from space.listings.listing import discover, read_whole
from space.listings.trials.throughput import ENDPOINT_FIELDS
from space.pages.choosing import compare
from space.queries.choosing.compare import CONFIGURATION
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.space.pages.test_numbers import plain
from tests.space.publishing import mirror_of
from tests.space.works import FIRST, made_run

OWN = {
    "hardware": "a100-large",
    "accelerator_count": "2",
    "engine": "vllm",
    "engine_version": "0.32.0",
    "image_digest": "d" * 64,
    "serving_profile_sha256": "e" * 64,
}


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """One model and agent on an endpoint of one's own and at a provider."""
    root = tmp_path_factory.mktemp("endpoint")
    run = made_run(1, (FIRST[0]._replace(deployment="endpoint"), FIRST[1]))
    own = replace(
        run.cells[0],
        accelerator_count=2,
        engine="vllm",
        engine_version="0.32.0",
        image_digest="d" * 64,
        serving_profile_sha256="e" * 64,
    )
    write_results(root / "results", [replace(run, cells=(own, run.cells[1]))])
    return mirror_of(root / "results", root / "mirror")


def test_every_field_of_an_endpoint_is_tried_here() -> None:
    """And each is one that a comparison shows."""
    assert OWN.keys() == OF_OWN_ENDPOINT
    assert set(CONFIGURATION) >= OF_OWN_ENDPOINT


def test_what_only_an_endpoint_says_is_not_comparable(mirror: Mirror) -> None:
    """The endpoint's own value stands there; beside it not `not reported`, which would blame the provider, and no value."""
    rows = read_whole(discover()["leaderboard"], View("", {}), mirror).rows
    ids = tuple(row["cell_id"] for row in rows)
    markup = str(compare.show(View("compare", {"cells": ids}), mirror))
    is_endpoint_first = [row["deployment_kind"] for row in rows] == ["endpoint", "provider"]
    table = markup.split('aria-label="What differs"')[1].split("</table>", maxsplit=1)[0]
    lines = [plain(row) for row in table.split("<tr>")[1:]]
    for name, value in OWN.items():
        words = name.replace("_", " ")
        shown = (value, "not comparable") if is_endpoint_first else ("not comparable", value)
        assert f"{words} {shown[0]} {shown[1]}" in lines


def test_phases_of_an_endpoint_leave_the_list(mirror: Mirror) -> None:
    """No column of them holds a value where a provider stands in the list."""
    rows = read_whole(discover()["throughput"], View("throughput", {}), mirror).published
    assert {row["endpoint_observation"] for row in rows} == {"not_comparable"}
    assert {row[name] for row in rows for name in ENDPOINT_FIELDS} == {None}
