"""The floors of the Space hold: no runner, no SDK in queries, DuckDB in the readers, the Hub's client behind its doorway."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [ROOT / "app.py", *sorted((ROOT / "space").rglob("*.py"))]
SDKS = {"duckdb", "gradio", "fastapi", "starlette", "pyarrow", "huggingface_hub", "httpx", "httpx2"}
LOWER = {
    "queries": {"queries"},
    "hub": {"hub"},
    "readers": {"readers", "hub", "queries"},
    "components": {"components", "keeper", "queries"},
    "listings": {"listings", "readers", "queries"},
    "exports": {"exports", "components", "listings", "readers", "queries"},
    "auth": {"auth", "form_settings"},
    "requests": {"requests", "auth", "readers", "hub", "queries"},
    "pages": {"pages", "exports", "components", "listings", "requests", "auth", "form_settings", "keeper", "readers", "queries"},
}


def imports(file: Path) -> set[str]:
    """Return the dotted names that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_each_file_stays_on_its_floor(file: Path) -> None:
    """What a file imports lies on its floor or below."""
    names = imports(file)
    roots = {name.split(".")[0] for name in names}
    floor = file.relative_to(ROOT / "space").parts[0] if file.name != "app.py" and len(file.relative_to(ROOT).parts) > 2 else ""
    assert not roots & {"runner", "benchmarks", "tests"}
    if floor in {"queries", "components"}:
        assert not roots & SDKS
    if floor != "readers":
        assert "duckdb" not in roots
    if floor != "hub":
        assert not roots & {"huggingface_hub", "httpx2"}
    if floor in LOWER:
        ours = {name.split(".")[1] for name in names if name.startswith("space.") and len(name.split(".")) > 1}
        assert ours <= LOWER[floor]


def test_every_page_is_found_once() -> None:
    """Each module with a PAGE is a page; slugs are unique and one of them is the first page."""
    from space.pages.page import discover

    slugs = [page.slug for page in discover()]
    assert len(set(slugs)) == len(slugs)
    assert discover()[0].slug == ""
    assert {"about", "agent", "attempt", "cell", "compare", "cost", "grid", "model", "task"} <= set(slugs)
