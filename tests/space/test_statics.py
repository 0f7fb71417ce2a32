"""What is read without a browser, and what a link to a page looks like elsewhere."""

import re

import httpx
import pytest

from space.listings.listing import discover
from space.pages.page import discover as pages
from space.statics import head_of
from space.tools import NAMES


def test_llms_text_names_every_page_list_and_tool(server: str) -> None:
    """And every address in it answers."""
    text = httpx.get(f"{server}/llms.txt").text
    assert text.startswith("# Seawall\n")
    assert all(f"(/api/v1/{name})" in text for name in discover())
    assert all(f"({page.path})" in text for page in pages())
    assert all(name in text for name in NAMES)
    links = [link for link in re.findall(r"\]\((/[^)]*)\)", text) if link not in {"/api/v1/compare", "/api/v1/history"}]
    assert {httpx.get(f"{server}{link}", timeout=30).status_code for link in links} == {200}


def test_robots_may_read_the_pages(server: str) -> None:
    """Pages are open, the API and files are not crawled."""
    text = httpx.get(f"{server}/robots.txt")
    assert text.headers["content-type"].startswith("text/plain")
    assert "Allow: /" in text.text
    assert "Disallow: /api/" in text.text


@pytest.mark.parametrize(
    ("path", "kind", "begin"),
    [
        ("/favicon.ico", "image/svg+xml", b"<svg"),
        ("/favicon.svg", "image/svg+xml", b"<svg"),
        ("/preview.png", "image/png", b"\x89PNG"),
    ],
)
def test_images_are_ours(server: str, path: str, kind: str, begin: bytes) -> None:
    """No Gradio logo, no other host."""
    found = httpx.get(f"{server}{path}")
    assert (found.status_code, found.headers["content-type"]) == (200, kind)
    assert found.content.startswith(begin)
    assert len(found.content) < 60_000


@pytest.mark.parametrize("path", ["/", "/cell?cell_id=x", "/about"])
def test_a_shared_link_shows_what_this_is(server: str, path: str) -> None:
    """One title, one description, one image; nothing of Gradio's, no address of another host in the head."""
    head = httpx.get(f"{server}{path}", timeout=30).text.split("<script>", 1)[0]
    assert head.count('property="og:title"') == head.count('property="og:image"') == head.count("<title>") == 1
    assert 'content="Seawall: agent benchmarks with evidence behind every score"' in head
    assert "radio" not in head.lower().replace("--radius", "")
    assert not re.findall(r'(?:src|href|content)="https?://', head)


def test_the_image_is_named_by_its_whole_address() -> None:
    """As a site that shows a preview needs it."""
    assert 'content="https://owner-name.hf.space/preview.png"' in head_of("https://owner-name.hf.space").text
