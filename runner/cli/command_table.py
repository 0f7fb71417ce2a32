"""The table of every command, made from the verbs themselves; docs/map.md carries it and a test compares them."""

import argparse
from collections.abc import Iterator
from typing import Final

from runner.cli.answer import Verb
from runner.cli.registry import NOUNS

WIDTH: Final = 10_000
"""Wide enough that no usage is ever wrapped, whatever the terminal."""


def command_table() -> str:
    """Return the table as Markdown, one line a verb."""
    lines = ["| `python -m runner` | what it does | example |", "|---|---|---|"]
    lines += [f"| `{usage}` | {verb.summary} | `{verb.example}` |" for usage, verb in _verbs()]
    return "\n".join(lines)


def _verbs() -> Iterator[tuple[str, Verb]]:
    for noun, (_, verbs) in NOUNS.items():
        for verb in verbs:
            yield _usage(f"{noun} {verb.name}", verb).replace("|", "\\|"), verb


def _usage(name: str, verb: Verb) -> str:
    parser = argparse.ArgumentParser(
        prog=name, add_help=False, formatter_class=lambda prog: argparse.HelpFormatter(prog, width=WIDTH)
    )
    verb.arguments(parser)
    return parser.format_usage().removeprefix("usage: ").strip()
