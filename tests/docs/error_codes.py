"""Every error code that the source can raise, read from the source itself."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from runner.config import CHECKOUT

EXITS = {
    "SeawallError": 1,
    "BadInput": 2,
    "Refused": 3,
    "HarnessMissing": 3,
    "Inconclusive": 4,
    "StoreFault": 7,
    "Conflict": 8,
    "DeadlinePassed": 9,
}
ALIASES = {"SeawallConflict": "Conflict", "ContendedConflict": "Conflict", "ClaimConflict": "Conflict"}
CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
PAGE_CODE = re.compile(r"[a-z]+\.[a-z_]+")
"""The codes of requests and pages, with which the lines of a table of bounds begin."""
NOT_CODES = re.compile(
    r"(SPACE|OAUTH|OPENID|SEAWALL|GRADIO|HARBOR|LITELLM|UV|HF|VLLM|GLIBC)_\w+|VIRTUAL_ENV|LC_ALL|VERSION_ID|\w+_PATH"
)
"""Names of environment variables and the like."""
PACKAGES = ("shared", "runner", "space")


def error_table() -> str:
    """Return the table of codes as Markdown: code, exit code, the parts of the house that know it."""
    known: dict[str, tuple[set[int], set[str]]] = {}
    for package in PACKAGES:
        for path in sorted((CHECKOUT / package).rglob("*.py")):
            part = "/".join(path.relative_to(CHECKOUT).parent.parts[:2])
            for code, exit_code in _codes(path):
                exits, parts = known.setdefault(code, (set(), set()))
                exits.update({exit_code} - {0})
                parts.add(part)
    lines = ["| code | exit | in |", "|---|---|---|"]
    for code, (exits, parts) in sorted(known.items()):
        lines.append(f"| `{code}` | {', '.join(map(str, sorted(exits)))} | {', '.join(sorted(parts))} |")
    return "\n".join(lines)


def _codes(path: Path) -> Iterator[tuple[str, int]]:
    """Yield each code in `path` with its exit code; a code that is passed on has that of the module's raising calls."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    answered = dict(_answered(tree))
    yield from answered.items()
    explicit, passed_on = set(answered), 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            exit_code = _exit_of(node.func)
            if exit_code and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    explicit.add(first.value)
                    yield first.value, exit_code
                else:
                    passed_on = exit_code
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2 and all(isinstance(each, ast.Constant) for each in node.elts):
            code, exit_code = (each.value for each in node.elts)  # type: ignore[attr-defined]
            if isinstance(code, str) and isinstance(exit_code, int) and CODE.fullmatch(code):
                explicit.add(code)
                yield code, exit_code
        elif isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Name) and base.id == "Document" for base in node.bases):
            passed_on = EXITS["BadInput"]
    yield from ((code, passed_on) for code in _bounds(tree) if passed_on)
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if CODE.fullmatch(text) and text not in explicit and not NOT_CODES.fullmatch(text):
            yield text, passed_on


def _answered(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the codes of answers that end with another exit code than 0."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Answer":
            said = {each.arg: each.value.value for each in node.keywords if isinstance(each.value, ast.Constant)}
            code, exit_code = said.get("code"), said.get("exit_code")
            if isinstance(code, str) and isinstance(exit_code, int):
                yield code, exit_code


def _bounds(tree: ast.AST) -> Iterator[str]:
    """Yield the codes with which the lines of a table begin."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple) and len(node.elts) > 2 and isinstance(node.elts[0], ast.Constant):
            code = node.elts[0].value
            if isinstance(code, str) and PAGE_CODE.fullmatch(code):
                yield code


def _exit_of(function: ast.expr) -> int:
    name = function.id if isinstance(function, ast.Name) else ""
    return EXITS.get(ALIASES.get(name, name), 0)
