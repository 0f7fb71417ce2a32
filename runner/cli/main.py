"""The door of the command line: finds the verb, runs it, prints its answer or its error, returns the exit code.

With `--json` an answer is {ok, code, message, ids, result} on standard output, errors too; without it, lines for people, and
errors on standard error. Exit codes: shared/errors.py.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from runner.cli.answer import Answer, Verb
from runner.cli.registry import NOUNS
from runner.ports.stores.full_disk import is_full, store_full
from shared.errors import BadInput, SeawallError

INTERRUPTED = 130


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    try:
        found = build_parser().parse_args(list(arguments))
    except BadInput as error:
        return _tell_error(error, is_json="--json" in arguments)
    verb: Verb = found.verb
    try:
        answer = verb.run(found)
    except SeawallError as error:
        return _tell_error(error, is_json=found.json)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        if is_full(error):
            return _tell_error(store_full(), is_json=found.json)
        refused = BadInput("ARGUMENT_INVALID", f"{error}", way_out=f"See `{verb.name} --help`.")
        return _tell_error(refused, is_json=found.json)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; nothing is lost: the log says what was done, run the command again to go on\n")
        return INTERRUPTED
    _tell(answer, is_json=found.json)
    return answer.exit_code


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours, so that they are told like every other."""

    def error(self, message: str) -> NoReturn:
        """Raise BadInput with the usage as the way out."""
        raise BadInput("ARGUMENT_INVALID", message, way_out=" ".join(self.format_usage().split()))


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of every noun and verb; docs/map.md's command table is made from it."""
    parser = Parser(
        prog="python -m runner",
        description="Seawall's runner: plan, submit, reconcile and publish benchmark runs with evidence behind every score.",
        epilog="Example: python -m runner run submit benchmarks/starter.yaml && python -m runner run reconcile --all --watch",
    )
    nouns = parser.add_subparsers(title="nouns", metavar="NOUN", required=True)
    for noun, (summary, verbs) in NOUNS.items():
        noun_parser = nouns.add_parser(noun, help=summary, description=summary)
        verb_parsers = noun_parser.add_subparsers(title="verbs", metavar="VERB", required=True)
        for verb in verbs:
            verb_parser = verb_parsers.add_parser(
                verb.name,
                help=verb.summary,
                description=verb.summary,
                epilog=f"Example: python -m runner {verb.example}",
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            verb_parser.add_argument("--json", action="store_true", help="answer as one JSON document")
            verb.arguments(verb_parser)
            verb_parser.set_defaults(verb=verb)
    return parser


def _tell(answer: Answer, *, is_json: bool) -> None:
    if is_json:
        document = {"ok": answer.exit_code == 0, "code": answer.code, "message": answer.message, "ids": dict(answer.ids)}
        _print_json({**document, "result": answer.result})
        return
    for line in answer.lines or ([answer.message] if answer.message else []):
        sys.stdout.write(f"{line}\n")


def _tell_error(error: SeawallError, *, is_json: bool) -> int:
    if is_json:
        result = {"field": error.field, "way_out": error.way_out}
        _print_json({"ok": False, "code": error.code, "message": error.message, "ids": {}, "result": result})
    else:
        sys.stderr.write(f"{error}\n")
    return error.exit_code


def _print_json(document: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
