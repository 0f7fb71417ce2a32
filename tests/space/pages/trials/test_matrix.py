"""`/matrix`: every square once, over all its pages, with the count that the trials give."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import write_results
from space.pages.trials.matrix import CELLS, TASKS, show
from space.queries.view import View
from space.readers.mirror import Mirror
from tests.builders.troubles import BENCHMARK
from tests.space.pages.test_numbers import plain
from tests.space.pages.trials.conftest import Rows
from tests.space.publishing import all_rows, mirror_of


def squares(markup: str) -> Iterator[tuple[str, str, str]]:
    """Yield (cell id, task name, text) of each square of a page."""
    head, body = re.findall(r"<thead>(.*?)</thead>.*?<tbody>(.*?)</tbody>", markup, re.DOTALL)[0]
    names = re.findall(r'aria-label="Task \d+: ([^"]*)"', head)
    for line in re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL):
        cell = re.findall(r"cell_id=(cell-[0-9a-f]+)", line)[0]
        texts = re.findall(r"<td[^>]*>(.*?)</td>", line)
        assert len(texts) == len(names)
        for name, text in zip(names, texts, strict=True):
            yield cell, name, text


def test_every_square_of_the_edition(troubled: Mirror, rows: Rows) -> None:
    """Passed repeats of each cell on each task; a dash where a cell ran another content of the task."""
    markup = str(show(View("matrix", {"benchmark": BENCHMARK, "edition": rows.edition()}), troubled))
    trials = rows.of_edition(rows.edition())
    passed = Counter((trial["cell_id"], trial["task_name"]) for trial in trials if trial["passed"])
    found = [(cell, name, text) for cell, name, text in squares(markup) if text != "\N{EN DASH}"]
    assert len(found) == len({(trial["cell_id"], trial["task_name"]) for trial in trials})
    assert all(int(text) == passed[cell, name] for cell, name, text in found)


def test_the_hardest_task_stands_first(troubled: Mirror, rows: Rows) -> None:
    """The list below the matrix is in the order of the columns, by solve rate."""
    markup = str(show(View("matrix", {"benchmark": BENCHMARK, "edition": rows.edition()}), troubled))
    names = plain(markup.split("Tasks by number")[1])
    rates = [float(rate) for rate in re.findall(r"([\d.]+)%", names)]
    assert rates == sorted(rates)
    assert len(rates) == 12


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of more cells and more tasks than a page holds."""
    root = tmp_path_factory.mktemp("wide")
    write_results(root, [synthetic_run(1, cells=CELLS + 3, tasks=2 * TASKS + 7, repeats=1, benchmark="wide-works")])
    return root


def test_pages_hold_every_square_once(wide: Path, tmp_path: Path) -> None:
    """Three blocks of tasks for each of two blocks of cells; beyond the end the last page is shown."""
    mirror = mirror_of(wide, tmp_path)
    seen = [square for page in range(1, 7) for square in squares(str(show(View("matrix", {"page": page}), mirror)))]
    trials = all_rows(wide, "trials", "example/wide-works")
    assert len(seen) == len(trials) == (CELLS + 3) * (2 * TASKS + 7)
    passed = {(trial["cell_id"], trial["task_name"]): bool(trial["passed"]) for trial in trials}
    assert {(cell, name): text == "1" for cell, name, text in seen} == passed
    last = str(show(View("matrix", {"page": 6}), mirror))
    assert plain(str(show(View("matrix", {"page": 99}), mirror))) == plain(last)
    assert f"cells {CELLS + 1} to {CELLS + 3} on tasks {2 * TASKS + 1} to {2 * TASKS + 7}" in plain(last)
