"""A Space that serves for weeks: neither swaps nor visitors nor earlier revisions make it hold more and more."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from space.answer import answer
from space.pages.page import discover
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.space.readers.growing import grow
from tests.space.readers.test_refresh import append_record, number_of
from tests.space.served import settings_for

pytestmark = pytest.mark.long
SWAPS, REQUESTS = 50, 10_000
WARM = 0.3
"""After this share of the work everything that is kept once is there."""
GROWTH = 48 << 20
"""Bytes that may come after that; swapped mirrors that are not let go take four times as many."""
QUERIES = ("", "sort=cost", "revision=1", "q=coral", "revision=2&sort=cost", "reruns=all", "page=2", "revision=99")
PAGES = ("", "grid", "cost", "model", "run", "failures", "tasks", "matrix", "throughput")


class Held(NamedTuple):
    """What the process holds."""

    resident: int
    files: int
    threads: int


def held() -> Held:
    """Return what this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(pages * os.sysconf("SC_PAGE_SIZE"), len(list(Path("/proc/self/fd").iterdir())), threading.active_count())


def require_flat(measured: list[Held]) -> None:
    """Compare what was held at the end with what was held when warm."""
    warm, last = measured[int(len(measured) * WARM)], measured[-1]
    assert last.resident - warm.resident < GROWTH, [each.resident >> 20 for each in measured]
    assert last.files <= warm.files + 2, [each.files for each in measured]
    assert last.threads <= warm.threads + 2, [each.threads for each in measured]


def serve_another(root: Path, refresh: Refresh, swap: int) -> None:
    """Publish another revision and serve it."""
    with refresh.lease() as mirror:
        before = number_of(mirror)
    append_record(root, "restored" if swap % 2 else "withdrawn")
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        assert number_of(mirror) == before + 1


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of three revisions."""
    grow(tmp_path / "results", 3)
    return tmp_path / "results"


@pytest.fixture
def refresh(root: Path) -> Iterator[Refresh]:
    """A refresh that serves the newest, and builds an earlier one for who asks first."""
    made = Refresh(FolderSource(root), memory_mib=256, clock=lambda: 0.0)
    made.revisions._start = lambda work: work()
    assert made.refresh().state == "ready"
    yield made
    made.close()


def test_memory_is_flat_over_fifty_swaps(published: Path, tmp_path: Path) -> None:
    """A page is read of each mirror, so that each had something to keep."""
    root = Path(shutil.copytree(published, tmp_path / "results"))
    refresh, settings, page = Refresh(FolderSource(root), memory_mib=256, clock=lambda: 0.0), settings_for(root), discover()[0]
    assert refresh.refresh().state == "ready"
    measured = []
    for swap in range(SWAPS):
        serve_another(root, refresh, swap)
        assert "<h1" in answer(page, "", refresh, settings)
        measured.append(held())
    refresh.close()
    require_flat(measured)


def test_memory_is_flat_over_ten_thousand_requests_with_swaps_and_earlier_revisions(refresh: Refresh, root: Path) -> None:
    """Every page under every query, an earlier revision every fourth time; the served one is replaced every thousand."""
    pages, settings, measured = {page.slug: page for page in discover()}, settings_for(root), []
    for number in range(REQUESTS):
        if number % 1_000 == 999:
            serve_another(root, refresh, number // 1_000)
        found = answer(pages[PAGES[number % len(PAGES)]], QUERIES[number % len(QUERIES)], refresh, settings)
        assert "<h1" in found
        assert "page.failed" not in found
        if number % 200 == 0:
            measured.append(held())
    require_flat(measured)
