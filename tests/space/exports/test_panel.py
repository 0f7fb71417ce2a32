"""Every page with a list ends with its files, its permanent link, and a query that runs."""

import re
from html import unescape
from pathlib import Path

import duckdb
import pytest

from space.answer import answer
from space.exports.behind import lists_behind
from space.exports.panel import panel, program
from space.listings.listing import read_whole
from space.pages.page import Page, discover
from space.queries.view import View
from space.readers.folder import FolderSource
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh
from tests.space.served import settings_for

LISTED = [page for page in discover() if page.slug not in {"about", "request", "requests", "cell", "compare", "attempt"}]


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.slug or "home")
def test_a_page_with_a_list_offers_every_format(page: Page, works_mirror: Mirror) -> None:
    """Five files, the API, and a link that names the revision."""
    made = panel(View(page.slug, {}), works_mirror, "")
    assert made is not None
    for form in ("csv", "parquet", "json", "md", "sql"):
        assert re.search(rf'href="/api/v1/[a-z]+\?format={form}"', made.text)
    assert f'href="/{page.slug}?revision=1"' in made.text


def test_the_links_of_a_view_keep_what_the_list_reads(works_mirror: Mirror) -> None:
    """A filter goes along; the page of rows that is shown does not: a file is the whole list."""
    made = panel(View("", {"agents": ("shell",), "page": 2}), works_mirror, "")
    assert made is not None
    assert 'href="/api/v1/leaderboard?agents=shell&amp;format=csv"' in made.text
    assert 'href="/?agents=shell&amp;page=2&amp;revision=1"' in made.text


def test_what_is_not_there_has_no_panel(works_mirror: Mirror) -> None:
    """No files of nothing."""
    assert panel(View("about", {}), works_mirror, "") is None
    assert panel(View("cell", {"cell_id": "cell-unknown"}), works_mirror, "") is None
    assert panel(View("compare", {}), works_mirror, "") is None


def test_every_link_of_the_panel_answers(works: Path, works_server: str, works_mirror: Mirror) -> None:
    """Each address that a cell page offers is one that the Space has."""
    import httpx

    cell = works_mirror.rows(_one_cell())[0]["cell_id"]
    made = panel(View("cell", {"cell_id": cell}), works_mirror, "")
    assert made is not None
    links = [unescape(link) for link in re.findall(r'href="([^"]*)"', made.text)]
    assert len(links) > 20
    assert {httpx.get(f"{works_server}{link}", timeout=30).status_code for link in links} == {200}


def _one_cell() -> object:
    from space.queries.statement import Statement

    return Statement("SELECT cell_id FROM cell WHERE is_ranked ORDER BY score DESC, cell_id LIMIT 1 OFFSET 1")


def test_the_shown_program_prints_the_rows(
    works: Path, works_server: str, works_mirror: Mirror, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Six lines of Python, run as they are in the folder of results."""
    lines = program("/api/v1/models?format=sql", works_mirror, works_server)
    assert lines.count("\n") == 5
    monkeypatch.chdir(works.parent)
    exec(lines.replace('"RESULTS"', repr(str(works))), {})  # noqa: S102 - the lines that a visitor is shown
    printed = capsys.readouterr().out.splitlines()
    assert "'model_repo'" in printed[0]
    assert len(printed) > 5


@pytest.mark.parametrize("page", LISTED, ids=lambda page: page.slug or "home")
def test_the_query_runs_as_it_is_pasted(page: Page, works: Path, works_mirror: Mirror) -> None:
    """What a visitor copies from the page gives, in a fresh DuckDB over the published files, the rows of the page's list."""
    made = panel(View(page.slug, {}), works_mirror, "")
    assert made is not None
    shown = re.search(r'<pre[^>]*aria-label="SQL that runs as it is">(.*?)</pre>', made.text, re.DOTALL)
    assert shown is not None
    text = "\n".join(unescape(line) for line in re.findall(r'<span class="line">(.*?)</span>', shown[1], re.DOTALL))
    listed = read_whole(lists_behind(View(page.slug, {}))[0], View(page.slug, {}), works_mirror)
    names = [field.name for field in listed.listing.fields if not field.is_derived]
    connection = duckdb.connect()
    connection.execute(f"SET file_search_path='{works}'")
    found = connection.execute(text)
    columns = [column[0] for column in found.description]
    rows = [dict(zip(columns, row, strict=True)) for row in found.fetchall()]
    connection.close()
    assert [[row[name] for name in names] for row in rows] == [[row[name] for name in names] for row in listed.rows]
    assert ("is_ranked" not in text) or "-- is_ranked is computed by the Space" in text


def test_a_script_that_is_too_long_for_a_page_is_a_link(works_mirror: Mirror, monkeypatch: pytest.MonkeyPatch) -> None:
    """The query alone is shown, and said to need what the script makes."""
    monkeypatch.setattr("space.exports.script.MAX_SHOWN_FILES", 0)
    made = panel(View("", {"agents": ("shell",)}), works_mirror, "")
    assert made is not None
    assert '<a href="/api/v1/leaderboard?agents=shell&amp;format=sql">the whole script</a>' in made.text
    assert "SQL that runs as it is" not in made.text


def test_the_panel_stands_on_the_page(works: Path) -> None:
    """The whole page holds the query with its values and the revisions that it reads."""
    refresh = Refresh(FolderSource(works), memory_mib=256, clock=lambda: 0.0)
    refresh.refresh()
    page = next(page for page in discover() if page.slug == "grid")
    html = unescape(answer(page, "agents=shell", refresh, settings_for(works)))
    assert "Files, permanent link and the query behind this view" in html
    assert "['shell']" in html
    assert "example/catalog@1, example/harbour-works@1" in html
    assert "Not from SQL but from shared/statistics, version 1: rank_low, rank_high" in html
    refresh.close()


def test_the_program_names_the_real_address(works: Path) -> None:
    """As the Space is set, else as the visitor came; two visitors by two names each read their own."""
    refresh = Refresh(FolderSource(works), memory_mib=256, clock=lambda: 0.0)
    refresh.refresh()
    page = next(page for page in discover() if not page.slug)
    settings = settings_for(works)
    asked = [unescape(answer(page, "", refresh, settings, space)) for space in ("http://one.local:7860", "https://two.example")]
    for html, space in zip(asked, ("http://one.local:7860", "https://two.example"), strict=True):
        assert f'urlopen("{space}/api/v1/leaderboard?format=sql")' in html
    assert 'urlopen("http://127.0.0.1:1/api/v1/' in unescape(answer(page, "", refresh, settings))
    assert not any("THIS-SPACE" in html for html in asked)
    refresh.close()
