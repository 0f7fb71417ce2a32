"""Later records of a catalog: written once whoever repeats them, dense in sequence beside what others record meanwhile."""

from pathlib import Path

import pytest

from runner.adapters.local.stores.results import LocalResults
from runner.usecases.results.published_tables import read_catalog
from runner.usecases.results.record_later import RecordWorld, is_recorded, keep_private, withdraw
from shared.errors import Refused
from shared.ids import RunId, private_record_id
from tests.builders.forger import CATALOG, Forger

RUN = RunId("run-" + "1" * 32)


def world(folder: Path) -> RecordWorld:
    """Return where records are written."""
    return RecordWorld(LocalResults(folder), CATALOG, "2026-01-01T00:00:00.000Z")


def test_a_private_record_is_written_once(tmp_path: Path) -> None:
    """Into a catalog that did not exist; the second call finds it."""
    first = keep_private(RUN, ["b" * 64, "a" * 64], 1, world(tmp_path))
    second = keep_private(RUN, ["b" * 64, "a" * 64], 1, world(tmp_path))
    assert (first.number, second.number, first.runs, first.rows) == (1, 1, {}, 2)
    rows = list(read_catalog(LocalResults(tmp_path), CATALOG, second))
    assert [(row["sequence"], row["cell_digest"][0]) for row in rows] == [(1, "a"), (2, "b")]
    assert is_recorded(second, private_record_id(RUN))


def test_runs_of_one_cell_are_told_apart(tmp_path: Path) -> None:
    """Two runs kept private are two records, though nothing in them differs but the sequence."""
    for name in ("1", "2"):
        keep_private(RunId("run-" + name * 32), ["a" * 64], 1, world(tmp_path))
    head = LocalResults(tmp_path).head(CATALOG)
    assert head is not None
    assert sorted(row["sequence"] for row in read_catalog(LocalResults(tmp_path), CATALOG, head)) == [1, 2]


def test_a_withdrawal_is_written_once(forger: Forger, tmp_path: Path) -> None:
    """After the records that were there, in their order."""
    results = tmp_path / "results"
    head = LocalResults(results).head(CATALOG)
    assert head is not None
    (publication,) = set(head.runs.values())
    revisions = {withdraw(publication, "requester", "a wrong model", 5, world(results)).number for _ in range(2)}
    assert revisions == {head.number + 1}


def test_what_is_not_recorded_is_not_withdrawn(tmp_path: Path) -> None:
    """There is nothing to say of it."""
    with pytest.raises(Refused, match="NOT_PUBLISHED"):
        withdraw("pub-" + "0" * 32, "requester", "x", 5, world(tmp_path))
