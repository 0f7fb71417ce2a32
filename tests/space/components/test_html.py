"""The tag builder escapes everything, and it is the only place that makes markup."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from space.components.html import Markup, join, repository_link, script, tag, visible

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
SPACE = Path(__file__).parents[3] / "space"


@given(st.text(max_size=60))
def test_no_text_becomes_markup(text: str) -> None:
    """Whatever a text or an attribute value holds, the element stays one element with that text."""
    made = str(tag("p", text, title=text))
    assert made.count("<") == 2
    assert made.count(">") == 2
    assert made.count('"') == 2


def test_direction_and_control_characters_are_shown() -> None:
    """A right-to-left override, a zero-width joiner and a bell are written as escapes; other scripts stay."""
    assert visible("a\u202eb\u200dc\x07") == "a\\u202eb\\u200dc\\u0007"
    assert visible("größe 日本 \u05d0") == "größe 日本 \u05d0"


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "//evil.example", "https://evil.example", "/\\evil", "data:text/html,x", ""]
)
def test_links_lead_to_own_pages_only(href: str) -> None:
    """Any other address is refused."""
    with pytest.raises(ValueError, match="own pages"):
        tag("a", "x", href=href)


@pytest.mark.parametrize("name", ["onclick", "onerror", "style", "src", "srcdoc", "formaction"])
def test_attributes_that_run_or_load_do_not_exist(name: str) -> None:
    """Handlers, styles and sources are refused by name."""
    with pytest.raises(ValueError, match="not an attribute"):
        tag("a", **{name: "x"})


@pytest.mark.parametrize("name", ["a b", "../../etc", "a/b/c", "owner/na<me", "javascript:x/y", "local/starter", ""])
def test_only_a_public_repository_id_is_linked(name: str) -> None:
    """Anything else is plain text."""
    assert "<a" not in str(repository_link(name))


def test_a_repository_is_linked_at_the_hub() -> None:
    """A valid id leads to its page, a dataset's id to the dataset's."""
    assert 'href="https://huggingface.co/Qwen/Qwen3-8B"' in str(repository_link("Qwen/Qwen3-8B"))
    assert 'href="https://huggingface.co/datasets/a/b"' in str(repository_link("a/b", is_dataset=True))


def test_missing_children_leave_nothing() -> None:
    """None is left out, markup stays as it is, numbers are written."""
    assert join("a", None, 1, [tag("b", "c"), "<"]) == Markup("a1<b>c</b>&lt;")


def test_a_script_cannot_close_itself() -> None:
    """Our own script must not hold a closing tag."""
    with pytest.raises(ValueError, match="closing tag"):
        script("x</script>")


def test_no_other_module_makes_markup() -> None:
    """No text of the Space's code outside the builder looks like an element, and nobody else calls Markup."""
    found = []
    for file in SPACE.rglob("*.py"):
        if file.name == "html.py":
            continue
        tree = ast.parse(file.read_text(encoding="utf-8"))
        said = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, _DOCUMENTED)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in said:
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search(r"<[a-z!/]", node.value):
                found.append(f"{file.name}:{node.lineno}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Markup":
                found.append(f"{file.name}:{node.lineno}")
    assert found == []
