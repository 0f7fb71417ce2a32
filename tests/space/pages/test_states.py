"""Each page about runs, tasks, failures, speed, trainings and itself in four states: ready, empty, stale, failed, as text.

The texts are goldens: what a visitor reads. `SEAWALL_GOLDEN=refresh` writes them anew; review the difference.
"""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from space.answer import answer
from space.pages.page import discover
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.builders.goldens import check_golden
from tests.builders.troubles import BENCHMARK, TWICE, publish_troubles
from tests.space.pages.test_numbers import plain
from tests.space.served import settings_for

PAGES = {page.slug: page for page in discover()}
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
@pytest.mark.parametrize("slug", [slug for slug in QUERIES if slug != "about"])
def test_what_a_visitor_reads(states: dict[str, Refresh], tmp_path: Path, slug: str, state: str) -> None:
    """Rows and banner where there are rows; why not, and what to do, where there are none; a code where it failed.

    What the page about says grows with every list; its own tests hold it.
    """
    found = answer(PAGES[slug], QUERIES[slug], states[state], settings_for(tmp_path))
    check_golden(GOLDENS / f"{slug}-{state}.txt", content(found))


@pytest.mark.parametrize("slug", list(QUERIES))
def test_each_state_says_what_it_is(states: dict[str, Refresh], tmp_path: Path, slug: str) -> None:
    """A stale page shows the rows of the ready one under a banner; a failed one a code; an empty one no failure."""
    ask: Callable[[str], str] = lambda state: answer(PAGES[slug], QUERIES[slug], states[state], settings_for(tmp_path))  # noqa: E731 - used four times
    ready, empty, stale, failed = (ask(state) for state in ("ready", "empty", "stale", "failed"))
    assert content(ready).decode() in content(stale).decode()
    assert "source.schema" in stale
    assert "panel failed" in failed
    assert "panel failed" not in ready + empty + stale
    assert all("<h1>" in page and 'class="purpose"' in page for page in (ready, empty, stale, failed))
