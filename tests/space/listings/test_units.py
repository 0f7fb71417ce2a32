"""Every published column says what its numbers are: by its name, in the description of the API, and in files."""

import json
from pathlib import Path

import httpx
import pytest

from space.exports.formats import export
from space.exports.openapi import openapi
from space.listings.listing import Field, Listing, discover
from space.listings.units import REWARD, described, unit_of
from space.queries.view import View
from space.readers.mirror import Mirror

LISTS = discover()
COLUMNS = [(listing, field) for listing in LISTS.values() for field in listing.fields]


@pytest.mark.parametrize(("kind", "said"), [("micros", "_usd_micros"), ("seconds", "seconds")])
def test_a_name_says_money_and_seconds(kind: str, said: str) -> None:
    """In every list, so that a CSV alone cannot be misread."""
    names = {field.name for _, field in COLUMNS if field.kind == kind}
    assert names
    assert {name for name in names if said not in name} == set()
    assert all(name.endswith("_usd_micros") for name in names if kind == "micros")


def test_every_number_with_a_fraction_has_a_unit() -> None:
    """No column of floats leaves open what one is."""
    assert [(listing.name, field.name) for listing, field in COLUMNS if field.kind == "float" and not unit_of(field)] == []


def test_one_name_has_one_unit_everywhere() -> None:
    """The same number in two lists is the same thing."""
    units = {(field.name, unit_of(field)) for _, field in COLUMNS if field.kind not in {"text", "texts"}}
    assert len(units) == len({name for name, _ in units})


def test_a_score_is_described_as_what_it_is() -> None:
    """The sum of rewards divided by the planned trials: never the sum alone."""
    sums = [field.meaning for _, field in COLUMNS if "sum of rewards" in field.meaning]
    assert sums
    assert all("sum of rewards / planned trials" in meaning for meaning in sums)
    scores = [field for _, field in COLUMNS if field.name == "score"]
    assert {unit_of(field) for field in scores} == {REWARD}


def test_the_description_of_the_api_has_every_unit() -> None:
    """In words and as a field of its own."""
    for listing, field in COLUMNS:
        answer = openapi()["paths"][f"/api/v1/{listing.name}"]["get"]["responses"]["200"]
        rows = answer["content"]["application/json"]["schema"]["properties"]["rows"]["items"]["properties"]
        assert rows[field.name].get("x-unit", "") == unit_of(field)
        assert rows[field.name].get("description", "") == described(field)


def test_a_file_carries_the_units_of_its_columns(works_mirror: Mirror) -> None:
    """The JSON twin of a CSV, by the same names."""
    listing: Listing = LISTS["leaderboard"]
    header = export(listing, View("", {}), works_mirror, "csv").data.split(b"\r\n", maxsplit=1)[0].decode().split(",")
    units = json.loads(export(listing, View("", {}), works_mirror, "json").data)["units"]
    assert units["cost_per_trial_usd_micros"] == "micro-USD"
    assert units.keys() <= set(header)


def test_a_csv_links_to_the_description_of_its_columns(works_server: str) -> None:
    """It has no place of its own for them."""
    found = httpx.get(f"{works_server}/?format=csv")
    assert found.headers["link"] == '</openapi.json>; rel="describedby"'
    assert "cost_per_trial_usd_micros" in found.text.split("\r\n", maxsplit=1)[0]


def test_the_unit_is_said_once() -> None:
    """A meaning and a unit in one sentence."""
    assert described(Field("x_usd_micros", "micros", "of all attempts")) == "of all attempts; in micro-USD (never empty)"
    assert described(Field("reward", "float")).startswith("what the verifier gave the trial; reward: ")


def test_the_documents_name_the_convention() -> None:
    """Where results are read by other programs."""
    text = (Path(__file__).parents[3] / "docs/exchange.md").read_text(encoding="utf-8")
    assert "`_usd_micros`" in text
    assert "x-unit" in text
