"""Every error that a person can meet says what to do next."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.config import CHECKOUT
from tests.docs.error_codes import ALIASES, CODE, EXITS


def without_way_out(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and code of each error that is made with a code of its own and no way out."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or len(node.args) < 2:
            continue
        code = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        is_error = ALIASES.get(node.func.id, node.func.id) in EXITS and isinstance(code, str) and CODE.fullmatch(code)
        if is_error and not any(keyword.arg == "way_out" for keyword in node.keywords):
            yield node.lineno, str(code)


@pytest.mark.parametrize("package", ["runner", "shared"])
def test_every_error_has_a_way_out(package: str) -> None:
    """A message that names the thing and leaves the reader there is half a message."""
    files = sorted((CHECKOUT / package).rglob("*.py"))
    found = [f"{file.relative_to(CHECKOUT)}:{line} {code}" for file in files for line, code in without_way_out(read(file))]
    assert (len(files) > 100, found) == (True, [])


def test_an_error_without_one_is_found() -> None:
    """Whatever name the class goes by there."""
    source = 'raise BadInput("A_CODE", "what", field="f")\nraise ClaimConflict("B_CODE", "what", way_out="do")'
    assert list(without_way_out(source)) == [(1, "A_CODE")]


def read(file: Path) -> str:
    """Return the text of `file`."""
    return file.read_text(encoding="utf-8")
