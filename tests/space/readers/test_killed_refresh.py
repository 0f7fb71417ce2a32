"""A Space that is killed at any step of a refresh: the next start serves what the source shows, and nothing else is left."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runner.config import CHECKOUT
from tests.space.publishing import CATALOG
from tests.space.readers.test_refresh import next_revision

STEPS = {"first": (3, 40), "swap": (1, 14, 33, 52, 66)}
"""Part of every run; the others belong to the long one."""


class Killing:
    """A published folder with its next revision, and a program that is killed over it."""

    def __init__(self, published: Path, folder: Path) -> None:
        self.root, self.pointer, self.below = folder / "results", folder / "next.json", folder / "mirrors"
        shutil.copytree(published, self.root)
        current = self.root / CATALOG / "current.json"
        before = current.read_bytes()
        next_revision(self.root)
        self.pointer.write_bytes(current.read_bytes())
        current.write_bytes(before)

    def run(self, which: str, *steps: int) -> list[Any]:
        """Return what the program prints of each step."""
        names = [str(self.root), str(self.pointer), str(self.below), which, *map(str, steps)]
        program = [sys.executable, "-W", "ignore", "-m", "tests.space.readers.killed_refresh", *names]
        ended = subprocess.run(program, capture_output=True, text=True, check=True, timeout=900, cwd=CHECKOUT)
        return [json.loads(line) for line in ended.stdout.splitlines()]


@pytest.fixture
def killing(published: Path, tmp_path: Path) -> Killing:
    """One of one's own."""
    return Killing(published, tmp_path)


def require_served(killing: Killing, which: str, steps: list[int]) -> None:
    """Require that each step was met with a kill, and that the next start served the newest revision alone."""
    revision = {"first": 1, "swap": 2}[which]
    for found in killing.run(which, *steps):
        assert found[2] is None, f"step {found[0]} was not met: {found[2]}"
        assert found == [found[0], True, None, ["ready", revision, 8], ["", ".lock", ""]]


@pytest.mark.parametrize("which", ["first", "swap"])
def test_whatever_step_a_space_is_killed_at_the_next_one_serves(killing: Killing, which: str) -> None:
    """The first mirror, or the one that takes another's place; what the killed one left is gone."""
    require_served(killing, which, list(STEPS[which]))


@pytest.mark.long
@pytest.mark.parametrize("which", ["first", "swap"])
def test_every_step_of_a_refresh_may_be_the_last(killing: Killing, which: str) -> None:
    """Each change of a file, from the first to the last."""
    ((_, is_killed, count, _, _),) = killing.run(which, 0)
    assert (is_killed, count > 50) == (False, True)
    assert max(STEPS[which]) <= count
    require_served(killing, which, list(range(1, count + 1)))
