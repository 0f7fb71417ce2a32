"""Noun `harness`: install Harbor's environment, classify result files."""

import argparse
from pathlib import Path

from runner.bootstrap import build
from runner.cli.answer import Answer, Verb
from runner.harness.install import find_uv
from runner.harness.install import install as install_environment
from runner.harness.result_files import classify_path


def _install_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--uv", type=Path, metavar="PATH", help="the program uv; default: the one of tools/setup.sh, or on PATH")


def _classify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", type=Path, metavar="PATH", help="a result file, or a folder that is searched for them")
    parser.add_argument("--primary-reward", default="reward", metavar="KEY", help="the reward that is scored")


def install(found: argparse.Namespace) -> Answer:
    """Make the harness environment from its lock."""
    root = build().settings.checkout
    interpreter = install_environment(found.uv or find_uv(root), root)
    return Answer(f"harness environment is ready: {interpreter.parent.parent.name}", result={"interpreter": str(interpreter)})


def classify(found: argparse.Namespace) -> Answer:
    """Say what Seawall makes of result files."""
    results = [dict(each.as_json()) for each in classify_path(found.path, found.primary_reward)]
    lines = [" ".join(str(each[name]) for name in ("file", "attempt", "category", "outcome", "reward")) for each in results]
    return Answer(lines=lines, result=results)


VERBS = (
    Verb("install", "install Harbor into an environment of its own", "harness install", _install_arguments, install),
    Verb(
        "classify",
        "say what becomes of result files",
        "harness classify PATH --primary-reward reward",
        _classify_arguments,
        classify,
    ),
)
