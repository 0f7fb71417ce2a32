"""The list of nouns; a new noun is one file and one line here."""

from collections.abc import Mapping, Sequence
from typing import Final

from runner.cli import evidence, harness, results, run, schema
from runner.cli.answer import Verb

NOUNS: Final[Mapping[str, tuple[str, Sequence[Verb]]]] = {
    "run": ("plan, submit, follow and end runs", run.VERBS),
    "results": ("publish, audit and verify results", results.VERBS),
    "evidence": ("verify sealed evidence", evidence.VERBS),
    "harness": ("Harbor's own environment, and what its results mean", harness.VERBS),
    "schema": ("the JSON Schemas of our documents", schema.VERBS),
}
