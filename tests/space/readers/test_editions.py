"""Which benchmark a view means that names none: the one published last, whenever its runs were completed."""

from dataclasses import replace
from pathlib import Path

from benchmarks.synthetic import START, synthetic_run
from benchmarks.synthetic_results import write_results
from space.queries.view import View
from space.readers.editions import benchmarks, choose_edition
from tests.space.publishing import mirror_of

DAY = 86_400_000_000


def test_the_benchmark_published_last_comes_first(tmp_path: Path) -> None:
    """An old run that was published today is the newest publication; one that is withdrawn again is none."""
    runs = []
    for number, (name, day) in enumerate((("first-works", 9), ("second-works", 3), ("third-works", 1)), start=1):
        made = synthetic_run(number, cells=2, tasks=4, repeats=1, benchmark=name)
        runs.append(replace(made, completed_at=START + day * DAY))
    gone = [{"cell_id": cell.identity.cell_id, "record": "withdrawn", "reason": "another prompt"} for cell in runs[2].cells]
    write_results(tmp_path / "results", runs, gone)
    mirror = mirror_of(tmp_path / "results", tmp_path / "mirror")
    assert [row["benchmark"] for row in benchmarks(mirror)] == ["second-works", "first-works", "third-works"]
    assert choose_edition(View("", {}), mirror).benchmark == "second-works"
