"""An address where nothing is: a page with the way back for a browser, JSON for a program; always 404."""

import httpx
import pytest

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize("path", ["/foo", "/leaderbord", "/cell/x", "/a/b/c?x=1", "/upload", "/gradio_app", "/login"])
def test_a_browser_gets_a_page_with_the_way_back(server: str, path: str) -> None:
    """The looks of every page, its navigation, a link to the leaderboard, and the headers of the door."""
    found = httpx.get(f"{server}{path}", headers=BROWSER)
    assert (found.status_code, found.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "<h1>Not published</h1>" in found.text
    assert '<a href="/">leaderboard</a>' in found.text
    assert 'href="/model"' in found.text
    assert "content-security-policy" in found.headers


def test_the_address_is_shown_as_text(server: str) -> None:
    """Cut to what a person can read, never as an element."""
    found = httpx.get(f"{server}/%3Cscript%3Ealert(1)%3C/script%3E{'x' * 900}", headers=BROWSER)
    assert found.status_code == 404
    assert "&lt;script&gt;alert(1)" in found.text
    assert "<script>alert" not in found.text
    assert "x" * 201 not in found.text


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/nothing", "/cell?cell_id=cell-none&format=csv"])
def test_the_api_answers_in_json_whoever_asks(server: str, path: str) -> None:
    """A code that a program reads, to a browser too."""
    found = httpx.get(f"{server}{path}", headers=BROWSER)
    assert (found.status_code, found.headers["content-type"]) == (404, "application/json")
    assert found.json()["error"]["code"] in {"route.unknown", "view.not_published"}


def test_a_program_gets_json(server: str) -> None:
    """Whatever does not ask for HTML."""
    assert httpx.get(f"{server}/foo").headers["content-type"] == "application/json"


def test_what_is_there_stays_as_it_is(server: str) -> None:
    """A page, a file and a probe."""
    assert "Not published" not in httpx.get(f"{server}/model", headers=BROWSER).text
    assert httpx.get(f"{server}/healthz", headers=BROWSER).json() == {"ok": True}
    assert httpx.get(f"{server}/robots.txt", headers=BROWSER).text.startswith("User-agent")
