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
NOT_CODES = re.compile(r"(SPACE|OAUTH|SEAWALL|GRADIO|HARBOR|LITELLM|UV|HF|VLLM)_\w+|VIRTUAL_ENV|LC_ALL|VERSION_ID")
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
    explicit: set[str] = set()
    passed_on = 0
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
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if CODE.fullmatch(text) and text not in explicit and not NOT_CODES.fullmatch(text):
            yield text, passed_on


def _exit_of(function: ast.expr) -> int:
    name = function.id if isinstance(function, ast.Name) else ""
    return EXITS.get(ALIASES.get(name, name), 0)
