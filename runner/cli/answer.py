"""What a verb is and what it answers."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a verb: lines for people, a result for programs."""

    message: str = ""
    lines: Sequence[str] = ()
    ids: Mapping[str, str] = field(default_factory=dict)
    result: Any = None
    code: str = "OK"
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb of a noun."""

    name: str
    summary: str
    example: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], Answer]


def no_arguments(_parser: argparse.ArgumentParser) -> None:
    """The verb takes nothing but --json."""
