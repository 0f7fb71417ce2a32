"""A visitor and a program at an earlier revision: told to wait, then shown what was published then, one link from today."""

import re
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from space.answer import answer
from space.app import create_app
from space.components.html import Markup, carrying
from space.pages.page import discover
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.space.readers.growing import grow
from tests.space.served import settings_for

PAGES = {page.slug: page for page in discover()}


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of three revisions, the last of which withdraws the first cell."""
    root = tmp_path_factory.mktemp("grown")
    grow(root, 3, is_first_withdrawn=True)
    return root


@pytest.fixture(scope="module")
def refresh(grown: Path) -> Refresh:
    """A refresh that has looked, with earlier revisions built at once."""
    made = Refresh(FolderSource(grown), memory_mib=256, clock=lambda: 0.0)
    made.revisions._start = lambda work: work()
    made.refresh()
    return made


def test_the_first_asker_is_told_to_wait_then_shown_the_old_numbers(refresh: Refresh, grown: Path) -> None:
    """The banner names the revision, links the same view today, and says what became of its cells."""
    settings = settings_for(grown)
    first = answer(PAGES[""], "revision=1&sort=cost", refresh, settings)
    assert "source.loading" in first
    assert 'href="/?sort=cost"' in first
    shown = unescape(answer(PAGES[""], "revision=1&sort=cost", refresh, settings))
    assert "Revision 1: " in shown
    assert '<a href="/?sort=cost">The same view today</a>' in shown
    assert "later withdrawn on" in shown
    assert "another prompt" in shown
    assert "2 cells" in shown
    assert "5 cells" not in shown


def test_every_link_of_an_old_page_stays_in_its_revision(refresh: Refresh, grown: Path) -> None:
    """Links, forms and files: nobody leaves the revision unless they ask for today."""
    settings = settings_for(grown)
    answer(PAGES[""], "revision=1", refresh, settings)
    html = answer(PAGES[""], "revision=1", refresh, settings)
    content = html.split('id="content"')[1].split('class="foot"')[0]
    links = [unescape(link) for link in re.findall(r' href="(/[^"]*)"', content)]
    assert len(links) > 10
    assert all("revision=1" in link for link in links)
    assert content.count("<form") == content.count('<input type="hidden" name="revision" value="1">') > 0


def test_the_header_lists_the_revisions(refresh: Refresh, grown: Path) -> None:
    """Newest first, each a link to the same view; the newest without a number."""
    html = unescape(answer(PAGES["grid"], "", refresh, settings_for(grown)))
    entries = re.findall(r'<a href="(/grid[^"]*)"[^>]*>[^<]*<span class="muted">revision (\d)</span>', html)
    assert entries == [("/grid", "3"), ("/grid?revision=2", "2"), ("/grid?revision=1", "1")]
    assert "As of 20" in html


def test_an_unknown_revision_is_not_published(refresh: Refresh, grown: Path) -> None:
    """On every page, in these words, with the way back."""
    for page in PAGES.values():
        html = answer(page, "revision=9", refresh, settings_for(grown))
        assert "Not published" in html
        assert "The same view today" in html


def test_today_has_no_banner(refresh: Refresh, grown: Path) -> None:
    """Neither without a number nor with the newest one's."""
    for query in ("", "revision=3"):
        assert "The same view today" not in answer(PAGES[""], query, refresh, settings_for(grown))


def test_a_program_is_told_when_to_come_again(grown: Path) -> None:
    """503 with Retry-After until it is read, then the old rows and what became of them; an unknown number is 404."""
    app = create_app(settings_for(grown))
    app.state.refresh.refresh()
    later = []
    app.state.refresh.revisions._start = later.append
    client = TestClient(app)
    first = client.get("/api/v1/cells?revision=1")
    assert (first.status_code, first.json()["error"]["code"], first.headers["retry-after"]) == (503, "source.loading", "5")
    assert client.get("/?format=csv&revision=1").status_code == 503
    later.pop()()
    found = client.get("/api/v1/cells?revision=1").json()
    assert found["total"] == 2
    assert {row["record"] for row in found["rows"]} == {"published"}
    assert [each["record"] for each in found["later"]] == ["withdrawn"]
    newest = client.get("/api/v1/cells").json()
    assert newest["total"] == 6
    assert newest["mirror"] != found["mirror"]
    unknown = client.get("/api/v1/cells?revision=9")
    assert (unknown.status_code, unknown.json()["error"]["field"]) == (404, "revision")
    listed = client.get("/api/v1/revisions").json()["rows"]
    assert [each["number"] for each in listed] == [3, 2, 1]
    app.state.refresh.close()


def test_a_key_is_carried_into_own_links_alone() -> None:
    """Not into links of other hosts, places on the page, or links that name the key themselves."""
    others = '<a href="#c">2</a><a href="https://huggingface.co/x">3</a><a href="/y?revision=2">4</a>'
    page = Markup('<a href="/x?a=1#b">1</a>' + others)
    assert carrying(page, "revision", "5").text == '<a href="/x?a=1&amp;revision=5#b">1</a>' + others
