"""docs/operations.md and every way out name only what exists."""

import argparse
import ast
import re
import shlex
from collections.abc import Iterator

from runner.cli.registry import NOUNS
from runner.config import CHECKOUT

OPERATIONS = CHECKOUT / "docs" / "operations.md"
VERBS = {f"{noun} {verb.name}": verb for noun, (_, verbs) in NOUNS.items() for verb in verbs}
OPTIONS = {"--json", "--help"}
VARIABLE = re.compile(r"SEAWALL_[A-Z_]+|GRADIO_SERVER_PORT|PORT")


def settings_of_the_page() -> set[str]:
    """Return every variable in the first column of the table of settings."""
    rows = re.findall(r"^\| (`[A-Z].*?) \|", OPERATIONS.read_text(encoding="utf-8").split("## Every day")[0], re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`([A-Z_]+)`", row)}


def test_the_table_of_settings_is_what_is_read() -> None:
    """By the runner and by the Space: no setting is missing, none is left over."""
    read = set()
    for path in ("runner/config.py", "space/config.py", "space/form_settings.py"):
        tree = ast.parse((CHECKOUT / path).read_text(encoding="utf-8"))
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        read |= {text for text in texts if VARIABLE.fullmatch(text)}
    assert settings_of_the_page() == read


def test_the_page_says_the_form_of_a_fault_as_the_source_does() -> None:
    """Whoever misspells it finds the same words."""
    form = re.search(r"\[<process>/\]<yield point>\S+", (CHECKOUT / "runner" / "config.py").read_text(encoding="utf-8"))
    assert form is not None
    assert f"`{form[0]}`" in OPERATIONS.read_text(encoding="utf-8")


def ways_out(tree: ast.Module) -> Iterator[str]:
    """Yield every expression that is given as a way out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "way_out":
            yield ast.unparse(node.value)
        if isinstance(node, ast.Assign) and "way_out" in {ast.unparse(target) for target in node.targets}:
            yield ast.unparse(node.value)


def named_commands() -> Iterator[tuple[str, str]]:
    """Yield where a command stands in backticks, and the command."""
    pattern = re.compile(rf"`(?:python -m runner |seawall )?((?:{'|'.join(NOUNS)}|control) [a-z][^`<]*)`")
    for path in sorted((CHECKOUT / "docs").rglob("*.md")):
        yield from ((path.name, found) for found in pattern.findall(path.read_text(encoding="utf-8")))
    for folder in ("runner", "shared", "space"):
        for path in sorted((CHECKOUT / folder).rglob("*.py")):
            for text in ways_out(ast.parse(path.read_text(encoding="utf-8"))):
                yield from ((path.name, found) for found in pattern.findall(text))


def is_known(text: str) -> bool:
    """Tell whether the command line has this noun, verb and options."""
    words = shlex.split(re.sub(r"[\[\]|\\]", " ", text))
    verb = VERBS.get(" ".join(words[:2]))
    if verb is None:
        return False
    parser = argparse.ArgumentParser(add_help=False)
    verb.arguments(parser)
    options = set(re.findall(r"--[a-z-]+", parser.format_usage())) | OPTIONS
    return {word for word in words[2:] if word.startswith("--")} <= options


def test_every_command_that_a_page_or_a_way_out_names_exists() -> None:
    """Its noun, its verb and its options."""
    found = list(named_commands())
    assert len(found) > 10
    assert [(where, text) for where, text in found if not is_known(text)] == []
    assert not is_known("control no-such-verb")
    assert not is_known("run list --everything")
