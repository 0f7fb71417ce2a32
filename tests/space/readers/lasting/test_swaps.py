"""Readers while mirrors are swapped under them: no error, and every answer is whole and of the mirror that it was asked of."""

import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from space.queries.statement import Statement
from space.readers.mirror import Mirror
from space.readers.refresh import Refresh
from tests.space.readers.test_refresh import append_record, number_of, refresh_of

THREADS, SWAPS, A_PAGE = 8, 5, 5
COUNTS = Statement(
    "SELECT (SELECT count(*) FROM catalog) AS records, (SELECT count(*) FROM cell WHERE stands) AS standing,"
    " (SELECT count(*) FROM cell) AS cells, (SELECT max(sequence) FROM catalog) AS newest"
)
"""Over two tables of a mirror; with every swap other numbers."""


class Progress:
    """Counts the queries of all readers, and lets the publisher wait for a share of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._done = 0
        self._changed = threading.Condition()

    def add(self, queries: int) -> None:
        """Count queries that were answered."""
        with self._changed:
            self._done += queries
            self._changed.notify_all()

    def wait_for(self, share: float) -> None:
        """Wait until this share of all queries is answered."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._done >= share * self._most, timeout=600)


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """A published folder of one's own."""
    return Path(shutil.copytree(published, tmp_path / "results"))


@pytest.fixture
def refresh(root: Path) -> Iterator[Refresh]:
    """A refresh that serves its first mirror."""
    found = refresh_of(root)
    assert found.refresh().state == "ready"
    yield found
    found.close()


def answer_of(mirror: Mirror) -> tuple[Any, ...]:
    """Return what a mirror answers, and which revision it says that it shows."""
    return (number_of(mirror), *mirror.rows(COUNTS)[0].values())


def ask(refresh: Refresh, queries: int, progress: Progress, is_over: threading.Event) -> Counter[tuple[Any, ...]]:
    """Ask as pages do, some queries of one mirror each, so often at least, and after the last swap; return what was answered."""
    seen: Counter[tuple[Any, ...]] = Counter()
    is_last = False
    while not is_last:
        is_last = is_over.is_set() and seen.total() >= queries
        with refresh.lease() as mirror:
            seen.update(answer_of(mirror) for _ in range(A_PAGE))
        progress.add(A_PAGE)
        if seen.total() >= queries:
            is_over.wait(0.05)  # The publisher has the processors; a page now and then still meets every swap.
    return seen


def swapped(root: Path, refresh: Refresh, progress: Progress, swap: int) -> tuple[Any, ...]:
    """Publish and serve another revision once the readers have come so far; return what it answers."""
    progress.wait_for((swap + 0.5) / (SWAPS + 1))
    append_record(root, "restored" if swap % 2 else "withdrawn")
    assert refresh.refresh().state == "ready"
    with refresh.lease() as mirror:
        return answer_of(mirror)


@pytest.mark.parametrize("queries", [40, pytest.param(4_000, marks=pytest.mark.long)])
def test_readers_during_five_swaps_get_whole_answers_of_one_mirror(root: Path, refresh: Refresh, queries: int) -> None:
    """Eight threads; each swap adds a record, and takes a cell out of the standing ones or brings it back."""
    progress, is_over = Progress(THREADS * queries), threading.Event()
    with refresh.lease() as mirror:
        expected = [answer_of(mirror)]
    with ThreadPoolExecutor(THREADS) as pool:
        readers = [pool.submit(ask, refresh, queries, progress, is_over) for _ in range(THREADS)]
        try:
            expected += [swapped(root, refresh, progress, swap) for swap in range(SWAPS)]
        finally:
            is_over.set()
        seen = sum((reader.result() for reader in readers), Counter())
    assert seen.total() >= THREADS * queries
    assert len(set(expected)) == SWAPS + 1
    assert set(seen) <= set(expected)
    assert {expected[0], expected[-1]} <= set(seen)
