"""Tests of the corpus of bad manifests: each has one fault, and the refusal names its code, its field and the way out."""

import json
from typing import Final

import pytest

from shared.documents.experiment.reader import read_experiment
from shared.errors import BadInput
from tests.builders.experiments import MANIFESTS

BAD: Final = MANIFESTS / "bad"
EXPECTED: Final[dict[str, dict[str, str]]] = json.loads((BAD / "expected.json").read_text())


def test_every_file_has_an_expectation() -> None:
    """The side table and the folder name the same manifests, at least 40."""
    assert {path.stem for path in BAD.glob("*.yaml")} == set(EXPECTED)
    assert len(EXPECTED) >= 40


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_fault_is_named(name: str) -> None:
    """Code and field are the expected ones, and there is a way out."""
    with pytest.raises(BadInput) as caught:
        read_experiment((BAD / f"{name}.yaml").read_bytes())
    assert {"code": caught.value.code, "field": caught.value.field} == EXPECTED[name]
    assert caught.value.way_out


@pytest.mark.parametrize("name", sorted(name for name, told in EXPECTED.items() if told["code"] == "MANIFEST_SECRET"))
def test_a_secret_is_not_echoed(name: str) -> None:
    """No value of a refused secret stands in the refusal."""
    with pytest.raises(BadInput) as caught:
        read_experiment((BAD / f"{name}.yaml").read_bytes())
    told = str(caught.value)
    for value in ("hf_aaaa", "plain", "12345", "abcdefghijkl", "BEGIN RSA"):
        assert value not in told
