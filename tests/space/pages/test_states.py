"""Each page about runs, tasks, attempts, failures, speed, trainings, itself and requests in four states, as text.

A page of lists is ready, empty, stale or failed; a page of requests is closed for one of several reasons, or asks to sign in.

The texts are goldens: what a visitor reads. `SEAWALL_GOLDEN=refresh` writes them anew; review the difference.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from space.answer import answer
from space.form_settings import CLOSED
from space.keeper import Keeper
from space.pages.page import discover
from space.pages.requests.closed import closed, signed_out
from space.pages.requests.frame import page as request_page
from space.queries.statement import Statement
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.builders.goldens import check_golden
from tests.builders.troubles import BENCHMARK, TWICE, publish_troubles
from tests.space.pages.test_numbers import plain
from tests.space.served import settings_for

PAGES = {page.slug: page for page in discover()}
_RETRIED = Statement("SELECT trial_id FROM attempts WHERE ordinal > 1 ORDER BY trial_id LIMIT 1")
GOLDENS = Path(__file__).parent / "goldens"
QUERIES = {
    "run": "",
    "tasks": f"benchmark={BENCHMARK}",
    "matrix": f"benchmark={BENCHMARK}",
    "task": f"benchmark={BENCHMARK}&task={TWICE}",
    "failures": f"benchmark={BENCHMARK}",
    "throughput": f"benchmark={BENCHMARK}",
    "trainings": "",
    "releases": "",
    "about": "",
    "attempt": "",
}


def content(html: str) -> bytes:
    """Return the banners and what the page itself says, one line an element that holds text; not what surrounds every page.

    A word that leads to the glossary stands as a word among others.
    """
    html = re.sub(r'<a href="[^"]*" title="[^"]*" class="word">([^<]*)</a>', r"\1", html)
    banners = re.findall(r'<div class="banner [^"]*".*?</div>', html)
    inner = re.split(r'<div class="foot">|<(?:details|section) class="files', html.split('<div id="content"', maxsplit=1)[1])[0]
    lines = [plain(piece) for piece in re.split(r"(?=<(?:tr|p|h1|h2|dt|li|pre|caption|div)\b)", f"<div{inner}")]
    return ("\n".join(line for line in [*map(plain, banners), *lines] if line) + "\n").encode()


def query_of(slug: str, ready: Refresh) -> str:
    """Return the query of a page with things on it; of an attempt, one that was made again."""
    if slug != "attempt":
        return QUERIES[slug]
    with ready.lease() as mirror:
        return f"trial_id={mirror.rows(_RETRIED)[0]['trial_id']}"


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Refresh]:
    """Four sources: published, empty, published and then broken, broken from the start."""
    root = tmp_path_factory.mktemp("states")
    publish_troubles(root / "ready")
    (root / "empty").mkdir()
    shutil.copytree(root / "ready", root / "stale")
    found = {name: Refresh(FolderSource(root / name), memory_mib=256, clock=lambda: 0.0) for name in ("ready", "empty", "stale")}
    for each in found.values():
        each.refresh()
    (root / "stale/example/catalog/current.json").write_bytes(b"{")
    found["stale"].refresh()
    found["failed"] = Refresh(FolderSource(root / "stale"), memory_mib=256, clock=lambda: 0.0)
    found["failed"].refresh()
    return found


@pytest.mark.parametrize("state", ["ready", "empty", "stale", "failed"])
@pytest.mark.parametrize("slug", list(QUERIES))
def test_what_a_visitor_reads(states: dict[str, Refresh], tmp_path: Path, slug: str, state: str) -> None:
    """Rows and banner where there are rows; why not, and what to do, where there are none; a code where it failed."""
    found = answer(PAGES[slug], query_of(slug, states["ready"]), states[state], settings_for(tmp_path))
    check_golden(GOLDENS / f"{slug}-{state}.txt", content(found))


@pytest.mark.parametrize("slug", list(QUERIES))
def test_each_state_says_what_it_is(states: dict[str, Refresh], tmp_path: Path, slug: str) -> None:
    """A stale page shows the rows of the ready one under a banner; a failed one a code; an empty one no failure."""
    query = query_of(slug, states["ready"])
    ask: Callable[[str], str] = lambda state: answer(PAGES[slug], query, states[state], settings_for(tmp_path))  # noqa: E731 - used four times
    ready, empty, stale, failed = (ask(state) for state in ("ready", "empty", "stale", "failed"))
    assert content(ready).decode() in content(stale).decode()
    assert "source.schema" in stale
    assert "panel failed" in failed
    assert "panel failed" not in ready + empty + stale
    assert all("<h1>" in page and 'class="purpose"' in page for page in (ready, empty, stale, failed))


@pytest.mark.parametrize("code", [*CLOSED, "signed-out"])
def test_what_a_visitor_reads_on_request(code: str) -> None:
    """Why there is no form and the other ways, with and without somebody to ask; or how to sign in."""
    keeper = Keeper("Kim", "https://git.example.org/seawall") if code in {"form.nobody", "signed-out"} else Keeper()
    inner = signed_out("/login", is_framed=False, keeper=keeper) if code == "signed-out" else closed(code, keeper)
    check_golden(GOLDENS / f"request-{code}.txt", content(request_page("Request", inner)))
