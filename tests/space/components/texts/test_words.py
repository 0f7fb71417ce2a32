"""The words that a stranger cannot know: linked to their meaning at their first use, on every page that uses them."""

import re
from pathlib import Path

import pytest

from space.answer import answer
from space.components.html import join, tag
from space.components.texts.words import WORDS, explained, linked
from space.pages.page import Page, discover
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.space.served import settings_for

SAID = [(word, said) for word in WORDS for said in word.said]
_APART = re.compile(r"<(a|button|code|details|dfn|h1|h2|h3|label|legend|pre|select|summary|svg)\b.*?</\1>", re.DOTALL)


def running(markup: str) -> str:
    """Return the running text of a page: no link, control, heading, drawing or code; a word's own link stays as a mark."""
    marked = re.sub(r'<a href="[^"]*" title="[^"]*" class="word">([^<]*)</a>', r" [\1] ", markup)
    while _APART.search(marked):
        marked = _APART.sub(" ", marked)
    return re.sub(r"<[^>]*>", " ", marked)


@pytest.fixture(scope="module")
def refresh(works: Path, tmp_path_factory: pytest.TempPathFactory) -> Refresh:
    """A refreshed source."""
    made = Refresh(FolderSource(works), memory_mib=256, clock=lambda: 0.0, mirrors_below=tmp_path_factory.mktemp("words"))
    made.refresh()
    return made


@pytest.mark.parametrize("page", [page for page in discover() if page.slug != "about"], ids=lambda page: page.slug or "home")
def test_the_first_use_of_a_word_is_explained(page: Page, refresh: Refresh, tmp_path: Path) -> None:
    """And no later one; on whatever page a stranger comes in."""
    html = answer(page, "", refresh, settings_for(tmp_path))
    text = running(html.split('<div id="content"')[1].split('<div class="foot">')[0].split('class="files"')[0])
    for _, said in SAID:
        uses = re.findall(rf"(?<![\w/.-])(\[?){said}s?(?![\w-])", text, re.IGNORECASE)
        assert uses[:1] in ([], ["["]), f"{page} uses {said} and explains it not, or late"
        assert uses[1:].count("[") == 0


def test_every_word_leads_to_its_line_on_the_page_about(refresh: Refresh, tmp_path: Path) -> None:
    """Each anchor stands there once, with the meaning that the link says."""
    about = answer(next(page for page in discover() if page.slug == "about"), "", refresh, settings_for(tmp_path))
    for word in WORDS:
        assert about.count(f' id="{word.anchor}" tabindex="-1"><dfn>{word.title}</dfn>') == 1
    for word, said in SAID:
        assert f'href="/about#{word.anchor}"' in str(linked(said))


def test_only_running_text_is_linked() -> None:
    """A heading, a link, code and an attribute keep their words; the first in a sentence is linked, whole, in its own case."""
    page = join(
        tag("h1", "Cell"),
        tag("a", "a cell", href="/cell", title="cell"),
        tag("code", "cell-1"),
        tag("p", "Ids like cell-1 and /cell/ are none. ", "Cells and a cell, of an ", tag("em", "edition"), "."),
    )
    found = str(explained(page))
    assert found.count('class="word"') == 2
    assert re.search(r'are none\. <a href="/about#word-cell" title="cell: [^"]+" class="word">Cells</a> and a cell', found)
    assert "<h1>Cell</h1>" in found
    assert '<em><a href="/about#word-edition"' in found


def test_a_published_text_stays_text() -> None:
    """A reason that holds a word and markup is still escaped around its link."""
    found = str(explained(tag("td", "<b>wave</b> & mirror")))
    assert "&lt;b&gt;" in found
    assert "<b>" not in found
