"""`/about`: methods, how the choice is made, what a stranger can check, how to get a model on here, the lists, how to cite."""

from collections.abc import Sequence
from typing import Final

from space.components.html import Markup, join, tag
from space.components.shell import head
from space.components.texts.keeper import for_who_keeps_it, program, whom
from space.components.texts.words import WORDS
from space.exports.texts.citation import citation
from space.keeper import NOBODY, Keeper
from space.listings.listing import discover as listings
from space.pages import about_texts as texts
from space.pages.page import Page
from space.queries.view import View
from space.readers.mirror import Mirror

_SECTIONS: Final = (
    ("methods", "Methods"),
    ("choice", "Which one to take"),
    ("verify", "What a stranger can check"),
    ("model", "How to get a model on here"),
    ("lists", "API and tools"),
    ("cite", "How to cite"),
    ("words", "Words"),
)


def show(view: View, mirror: Mirror, keeper: Keeper = NOBODY) -> Markup:
    """Return the page; the citation names the revision that is shown, and `keeper` is whom to ask."""
    del view
    return join(
        head("About", "How the numbers are made, how anyone can check them, and how to get a model on here."),
        _contents(),
        _section("methods", texts.METHODS),
        _section("choice", texts.CHOICE),
        _section("verify", texts.VERIFY),
        _commands(texts.COMMANDS),
        _section("model", texts.MODEL),
        tag("p", program(keeper)),
        tag("p", whom(keeper)),
        for_who_keeps_it(keeper),
        _steps(),
        tag("p", "Commands that import jobs that are already finished:"),
        _commands(texts.MODEL_COMMANDS),
        _lists(),
        _citation(mirror),
        _glossary(),
    )


def _contents() -> Markup:
    entries = [tag("li", tag("a", title, href=f"#{anchor}")) for anchor, title in _SECTIONS]
    return tag("nav", tag("ul", *entries), class_="contents", aria_label="On this page")


def _title(anchor: str) -> Markup:
    return tag("h2", dict(_SECTIONS)[anchor], id=anchor, tabindex=-1)


def _section(anchor: str, text: str) -> Markup:
    return tag("section", _title(anchor), *_paragraphs(text), class_="prose")


def _paragraphs(text: str) -> list[Markup]:
    said = []
    for paragraph in text.strip().split("\n\n"):
        name, bar, rest = " ".join(paragraph.split()).partition("| ")
        said.append(tag("p", tag("strong", f"{name} "), rest) if bar else tag("p", name))
    return said


def _commands(commands: Sequence[tuple[str, Sequence[str]]]) -> Markup:
    lines = [(name, line) for name, listed in commands for line in listed]
    return join(*(tag("pre", line, class_="command", tabindex=0, aria_label=name) for name, line in lines))


def _steps() -> Markup:
    """Return the way from nothing to a measured model in order, the manifest after the step that copies one."""
    lines = (tag("span", line, class_="line") for line in texts.MODEL_MANIFEST.splitlines())
    manifest = join(
        tag("p", "Its matrix with one model and one agent; the other fields stay as they are:"),
        tag("pre", *lines, class_="command", tabindex=0, aria_label="Manifest"),
    )
    steps = [
        tag("li", said, _commands([(said, commands)]), manifest if said.startswith("Copy a manifest") else None)
        for said, commands in texts.MODEL_STEPS
    ]
    return tag("section", tag("h3", "From nothing to a result on your own machine"), tag("ol", *steps))


def _lists() -> Markup:
    """Name every list: the same rows for a page, a program and a download."""
    rows = [
        tag("div", tag("dt", listing.title), tag("dd", tag("code", f"GET /api/v1/{name}", class_="digest")))
        for name, listing in listings().items()
    ]
    return tag(
        "section",
        _title("lists"),
        *_paragraphs(texts.LISTS),
        tag("dl", *rows, class_="facts"),
        tag("p", tag("a", "Every path, key and column", href="/openapi.json"), " as an OpenAPI document."),
        class_="prose",
    )


def _citation(mirror: Mirror) -> Markup:
    """Return an entry for a bibliography that names exactly what is shown now."""
    found = citation(mirror)
    if found is None:
        return tag("section", _title("cite"), tag("p", "Nothing is published yet, so there is nothing to cite."))
    said = "A revision never changes: who reads this later finds the same numbers. Name the cell id for a single score."
    entry = tag(
        "pre",
        *(tag("span", line, class_="line") for line in found["bibtex"].split("\n")),
        class_="command",
        tabindex=0,
        aria_label="Citation",
    )
    return tag("section", _title("cite"), tag("p", said), entry)


def _glossary() -> Markup:
    words = [
        tag("div", tag("dt", tag("dfn", word.title), id=word.anchor, tabindex=-1), tag("dd", word.meaning)) for word in WORDS
    ]
    return tag("section", _title("words"), tag("dl", *words, class_="facts glossary"))


PAGE: Final = Page(slug="about", title="About", parameters=frozenset(), show=show, names_keeper=True, in_nav=True, order=90)
