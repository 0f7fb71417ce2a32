"""Tests of the sandboxes that a manifest may name: what is recommended is there."""

from pathlib import Path

import pytest

from shared.documents.experiment.harbor import BROUGHT, SANDBOX_KINDS
from shared.errors import BadInput
from tests.builders.experiments import changed, read, small_tree

ROOT = Path(__file__).parents[4]


def test_what_is_brought_is_in_the_tree() -> None:
    """And what is not called so is not."""
    there = tuple(path for path in SANDBOX_KINDS if (ROOT / f"{path.partition(':')[0].replace('.', '/')}.py").is_file())
    assert there == BROUGHT


def test_an_unknown_sandbox_is_refused_with_those_that_are_there() -> None:
    """Nobody is sent to one that cannot be imported."""
    with pytest.raises(BadInput) as caught:
        read(changed(small_tree(), "harbor.job.environment.import_path", "elsewhere:Sandbox"))
    assert caught.value.code == "SANDBOX_UNKNOWN"
    assert caught.value.way_out == f"Use {' or '.join(BROUGHT)}."
