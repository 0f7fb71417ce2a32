"""The rules of the house, checked on the source itself: sizes, names, words, heads, duplicates, floors."""

import ast
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from importlinter.cli import lint_imports

from runner.config import CHECKOUT

SOURCES: Final = ("shared", "runner", "space")
FOLDERS: Final = (*SOURCES, "tests", "benchmarks", "tools")
LEFT_OUT: Final = ("benchmarks/starter",)
MAX_FILE_LINES: Final = 350
MAX_FUNCTION_LINES: Final = 60
MAX_MODULES: Final = 15
DUPLICATE_LINES: Final = 6
FORBIDDEN_FILES: Final = frozenset(
    {"utils", "util", "helpers", "helper", "common", "models", "misc", "manager", "handler", "handlers"}
)
TEXT_SUFFIXES: Final = frozenset({".py", ".md", ".toml", ".yaml", ".yml", ".json", ".sh", ".txt", ".css", ".js", ".lock", ""})
MACHINE_PATHS: Final = re.compile(r"(?<![\w./<~-])/(?:work|root|Users)/\w|\.pyenv|/home/(?!\.)\w+/")
INDEXES: Final = frozenset({"https://pypi.org/simple"})
ENVIRONMENTS: Final = (
    ("environment-harness", "runner/harness/environment/uv.lock", ""),
    ("environment-serving", "runner/serving/environment/uv.lock", ""),
    ("environment-space", "uv.lock", "space"),
)
IMPORT_NAMES: Final = {"huggingface-hub": "huggingface_hub", "pyyaml": "yaml", "google-re2": "re2"}


def modules(*folders: str) -> list[Path]:
    """Return every Python file of `folders`, relative to the checkout."""
    found = [path.relative_to(CHECKOUT) for folder in folders for path in (CHECKOUT / folder).rglob("*.py")]
    return sorted(path for path in found if not path.as_posix().startswith(LEFT_OUT))


def tree_of(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse((CHECKOUT / path).read_text(encoding="utf-8"))


def functions_of(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function and method."""
    return (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def settings() -> dict[str, Any]:
    """Return pyproject.toml."""
    return tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))


def test_no_file_is_long() -> None:
    """When a file grows, it holds a second noun."""
    sizes = {path.as_posix(): (CHECKOUT / path).read_bytes().count(b"\n") for path in modules(*FOLDERS)}
    assert {path: size for path, size in sizes.items() if size > MAX_FILE_LINES} == {}


def test_no_function_is_long() -> None:
    """A reader sees all of it at once."""
    long = [
        f"{path}:{each.lineno} {each.name}"
        for path in modules(*FOLDERS)
        for each in functions_of(tree_of(path))
        if each.end_lineno and each.end_lineno - each.lineno >= MAX_FUNCTION_LINES
    ]
    assert long == []


def test_no_folder_is_crowded() -> None:
    """More than fifteen modules are grouped by noun."""
    counts = Counter(path.parent.as_posix() for path in modules(*FOLDERS) if path.name != "__init__.py")
    assert {folder: count for folder, count in counts.items() if count > MAX_MODULES} == {}


def test_every_module_says_what_it_is() -> None:
    """Its head is the first thing that a reader sees."""
    silent = [path.as_posix() for path in modules(*SOURCES, "benchmarks", "tools") if not ast.get_docstring(tree_of(path))]
    assert silent == []


def test_packages_hold_a_docstring_only() -> None:
    """Importing a package runs nothing; an agent's package declares that agent."""
    full = [
        path.as_posix()
        for path in modules(*FOLDERS)
        if path.name == "__init__.py" and path.parts[:2] != ("runner", "agents") and len(tree_of(path).body) != 1
    ]
    assert full == []


def test_no_file_has_a_name_that_says_nothing() -> None:
    """A module is named for its noun."""
    assert [path.as_posix() for path in modules(*FOLDERS) if path.stem in FORBIDDEN_FILES] == []


def unused_words() -> frozenset[str]:
    """Return the words that the glossary keeps out."""
    text = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8")
    found = re.search(r"Not used: (.*)\.", text)
    assert found is not None
    return frozenset(re.findall(r"[a-z]+", re.sub(r"\(.*?\)", "", found[1])))


NAMED_BY_PYTHON = {"handle_starttag", "handle_endtag", "handle_data", "handle_request", "handle_exit"}
"""What a parser of html.parser, a transport of httpx2 and a server of uvicorn must call their methods."""


def test_no_function_or_class_uses_a_word_that_the_glossary_keeps_out() -> None:
    """One word, one meaning; and none for what has none."""
    words = unused_words()
    assert {"campaign", "manager", "helper"} <= words
    found = []
    for path in modules(*SOURCES):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name not in NAMED_BY_PYTHON:
                parts = re.sub(r"([a-z])([A-Z])", r"\1_\2", node.name).lower().split("_")
                found += [f"{path}:{node.lineno} {node.name}" for part in parts if part.rstrip("s") in words or part in words]
    assert found == []


def test_no_function_stands_twice() -> None:
    """What two modules need has one place on the floor below both."""
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules(*FOLDERS):
        for each in functions_of(tree_of(path)):
            body = each.body[1:] if ast.get_docstring(each) else each.body
            if body and body[-1].end_lineno and body[-1].end_lineno - body[0].lineno + 1 >= DUPLICATE_LINES:
                places["".join(map(ast.dump, body))].append(f"{path}:{each.lineno} {each.name}")
    assert [where for where in places.values() if len(where) > 1] == []


def texts() -> Iterator[tuple[Path, str]]:
    """Yield every text file of the repository with its content."""
    roots = [CHECKOUT / name for name in (*FOLDERS, "docs", ".ci") if (CHECKOUT / name).is_dir()]
    files = [path for root in roots for path in root.rglob("*") if "__pycache__" not in path.parts]
    files += [path for path in CHECKOUT.iterdir() if not path.name.startswith(".")]
    for path in files:
        if path.is_file() and path.suffix in TEXT_SUFFIXES:
            try:
                yield path.relative_to(CHECKOUT), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def test_no_file_knows_the_machine_that_it_was_written_on() -> None:
    """Neither its folders nor its package mirrors."""
    here = Path("tests/test_architecture.py")
    found = []
    for path, text in texts():
        if path != here and path.parts[:3] != ("tests", "data", "harbor-results"):
            found += [f"{path}: {match[0]}" for match in MACHINE_PATHS.finditer(text)]
    assert found == []


@pytest.mark.parametrize(
    "lock", [*sorted(path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "runner").rglob("uv.lock")), "uv.lock"]
)
def test_locks_name_the_public_index_only(lock: str) -> None:
    """Whoever installs from them reaches what we reached."""
    text = (CHECKOUT / lock).read_text(encoding="utf-8")
    assert set(re.findall(r'registry = "(.*?)"', text)) <= INDEXES
    assert set(re.findall(r'url = "https?://(.*?)/', text)) <= {"files.pythonhosted.org"}


def test_the_floors_hold() -> None:
    """Every contract of [tool.importlinter]: houses, floors, kits, environments, cycles."""
    assert lint_imports(config_filename=str(CHECKOUT / "pyproject.toml"), no_cache=True) == 0


def packages_of(lock: str, group: str) -> set[str]:
    """Return the distributions that a lock installs: all of them, or what the dependency group `group` leads to."""
    found = {package["name"]: package for package in tomllib.loads((CHECKOUT / lock).read_text(encoding="utf-8"))["package"]}
    if not group:
        return set(found)
    waiting = [(entry["name"], tuple(entry.get("extra", ()))) for entry in found["seawall"]["dev-dependencies"][group]]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) not in seen:
            seen.add((name, extras))
            package = found[name]
            wanted = [
                *package.get("dependencies", ()),
                *(each for extra in extras for each in package["optional-dependencies"][extra]),
            ]
            waiting += [(entry["name"], tuple(entry.get("extra", ()))) for entry in wanted]
    return {name for name, _ in seen}


@pytest.mark.parametrize(("contract", "lock", "group"), ENVIRONMENTS)
def test_an_environments_contract_forbids_what_its_lock_lacks(contract: str, lock: str, group: str) -> None:
    """Each package of core that is not in the lock may not be imported there."""
    core = {re.split(r"[\[=<>]", entry)[0] for entry in settings()["dependency-groups"]["core"]}
    (found,) = [each for each in settings()["tool"]["importlinter"]["contracts"] if each["id"] == contract]
    missing = {IMPORT_NAMES.get(name, name) for name in core - packages_of(lock, group)}
    assert missing
    assert missing <= set(found["forbidden_modules"])


def test_every_marker_is_declared_and_said_what_for() -> None:
    """A marker that is misspelled would leave its test out of every budget."""
    options = settings()["tool"]["pytest"]["ini_options"]
    assert "--strict-markers" in options["addopts"]
    declared = {line.split(":")[0] for line in options["markers"]}
    used = {
        match
        for path in modules("tests")
        for match in re.findall(r"pytest\.mark\.(\w+)", (CHECKOUT / path).read_text(encoding="utf-8"))
    }
    assert used - {"parametrize", "skipif", "usefixtures", "skip", "filterwarnings"} <= declared


def test_every_exception_to_the_linter_has_its_reason() -> None:
    """On the line where it is made."""
    bare = [
        f"{path}:{number}"
        for path in modules(*FOLDERS)
        for number, line in enumerate((CHECKOUT / path).read_text(encoding="utf-8").splitlines(), start=1)
        if re.search(r"# noqa(?!: [A-Z0-9, ]+ - \w)", line) and path.name != "test_architecture.py"
    ]
    assert bare == []
