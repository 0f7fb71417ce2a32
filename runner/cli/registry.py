"""The list of nouns; a new noun is one file and one line here."""

from collections.abc import Mapping, Sequence
from typing import Final

from runner.cli import evidence, harness, results, run, schema
from runner.cli.answer import Verb
from runner.cli.request import decisions, hold

NOUNS: Final[Mapping[str, tuple[str, Sequence[Verb]]]] = {
    "run": ("plan, submit, follow and end runs", run.VERBS),
    "request": ("what waits for a maintainer, and what may be asked for", decisions.VERBS),
    "control": ("the switches of the whole installation", hold.VERBS),
    "results": ("publish, audit and verify results", results.VERBS),
    "evidence": ("verify sealed evidence", evidence.VERBS),
    "harness": ("Harbor's own environment, and what its results mean", harness.VERBS),
    "schema": ("the JSON Schemas of our documents", schema.VERBS),
}
