"""The list of nouns; a new noun is one file and one line here."""

from collections.abc import Mapping, Sequence
from typing import Final

from runner.cli import run
from runner.cli.answer import Verb

NOUNS: Final[Mapping[str, tuple[str, Sequence[Verb]]]] = {
    "run": ("plan, submit, follow and end runs", run.VERBS),
}
