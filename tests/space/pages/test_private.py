"""Nothing private reaches a page: evidence beside the published files, files that no revision lists, unknown columns."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from space.answer import answer
from space.listings.listing import discover as listings
from space.listings.listing import read_whole
from space.pages.page import discover
from space.queries.view import View
from space.readers.folder import FolderSource
from space.readers.refresh import Refresh
from tests.builders.troubles import BENCHMARK, DATASET, publish_troubles
from tests.space.publishing import all_rows, mirror_of
from tests.space.served import settings_for

CANARIES = ("CANARY-TASK-TEXT", "CANARY-PROMPT", "CANARY-LOG-LINE", "CANARY-TOKEN-IDS")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Published results among private files, each with its canary."""
    root = tmp_path_factory.mktemp("planted")
    publish_troubles(root)
    evidence = root / DATASET / "evidence/runs/run-1/cells/cell-1/attempts/att-1"
    evidence.mkdir(parents=True)
    (evidence / "instruction.md").write_text(CANARIES[0])
    (evidence / "provider-requests.jsonl").write_text(CANARIES[1])
    (evidence / "harbor.log").write_text(CANARIES[2])
    listed = next((root / DATASET / "tables/attempts").rglob("*.parquet"))
    stray = pq.read_table(listed).to_pylist()
    for row in stray:
        row |= {"attempt_id": f"{row['attempt_id']}x", "reason_code": CANARIES[3], "exception_type": CANARIES[3]}
    schema = pq.ParquetFile(listed).schema_arrow
    pq.write_table(pa.Table.from_pylist(stray, schema=schema), listed.with_name("pub-stray-001.parquet"))
    return root


def test_no_page_shows_a_canary(planted: Path) -> None:
    """Every page, also of a run, a cell, a task and a trial: the files that a revision lists and nothing else."""
    refresh = Refresh(FolderSource(planted), memory_mib=256, clock=lambda: 0.0)
    assert refresh.refresh().state == "ready"
    cell = all_rows(planted, "cells", DATASET)[0]
    trial = next(row for row in all_rows(planted, "trials", DATASET) if row["cell_id"] == cell["cell_id"])
    query = f"benchmark={BENCHMARK}&cell_id={cell['cell_id']}&trial_id={trial['trial_id']}&task={trial['task_name']}"
    for page in discover():
        for asked in ("", query, f"run_id={cell['run_id']}"):
            found = answer(page, asked, refresh, settings_for(planted))
            assert not [canary for canary in CANARIES if canary in found]


def test_no_list_holds_a_canary(planted: Path, tmp_path: Path) -> None:
    """The rows behind pages, API, exports and tools."""
    mirror = mirror_of(planted, tmp_path)
    for name in ("runs", "tasks", "matrix", "trials", "attempts", "failures", "throughput"):
        rows = read_whole(listings()[name], View(name, {"benchmark": BENCHMARK}), mirror).published
        assert rows
        assert not [canary for canary in CANARIES if canary in str(rows)]


def test_the_stray_file_would_have_been_seen(planted: Path) -> None:
    """The planted rows are readable Parquet below the tables, so a reader that took what lies there would show them."""
    assert CANARIES[3] in str(all_rows(planted, "attempts", DATASET))
