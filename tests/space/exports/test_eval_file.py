"""The Space gives the bytes that the command line writes, for ranked cells alone, and its address leads back to the cell."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from benchmarks.synthetic import START
from benchmarks.synthetic_results import write_results
from runner.usecases.results.export_results import ExportedFile, LeftOut, export_eval_results
from space.exports.eval_file import eval_file
from space.readers.mirror import Mirror
from tests.space.publishing import mirror_of
from tests.space.served import serving, settings_for
from tests.space.works import FIRST, MONTH, made_run, with_kind

SPACE = "https://somebody-seawall.hf.space"


@pytest.fixture(scope="module")
def hub_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published benchmark that is a Dataset of the Hub: some cells ranked, one of them run twice, one withdrawn, one manual."""
    root = tmp_path_factory.mktemp("hub-bench")
    source = {"source_type": "hub", "source_repo": "org/bench", "source_revision": "a" * 40, "eval_task_id": "main"}
    run = replace(made_run(1, FIRST), **source)
    manual = replace(with_kind(made_run(2, FIRST[2:3]), "manual"), **source)
    again = replace(made_run(3, FIRST[:1], at=START + MONTH), **source)
    withdrawn = {"cell_id": run.cells[2].identity.cell_id, "record": "withdrawn", "actor": "example", "reason": "a wrong prompt"}
    write_results(root, [run, manual, again], [withdrawn])
    return root


@pytest.fixture(scope="module")
def hub_mirror(hub_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    """A mirror of it."""
    return mirror_of(hub_root, tmp_path_factory.mktemp("hub-mirror"))


def test_the_bytes_are_those_of_the_command_line(hub_root: Path, hub_mirror: Mirror) -> None:
    """Every cell that `results export --format eval-results` writes, byte by byte, and no other."""
    from runner.adapters.local.stores.results import LocalResults

    found = list(export_eval_results(LocalResults(hub_root), "example/harbour-works", None, "example/catalog", SPACE))
    written = {each.path: each.data for each in found if isinstance(each, ExportedFile)}
    left = {each.cell_id for each in found if isinstance(each, LeftOut)}
    assert sum(isinstance(each, ExportedFile) for each in found) == len(written)
    assert len(written) > 2
    assert len(left) > 2
    given = {}
    for row in hub_mirror.rows(_all_cells()):
        if row["cell_id"] not in left:
            file = eval_file(row["cell_id"], hub_mirror, SPACE)
            given[f"{file.model_repo}/{file.path}"] = file.data
        else:
            with pytest.raises(Exception, match=r"ranked|repository"):
                eval_file(row["cell_id"], hub_mirror, SPACE)
    assert given == written


def _all_cells() -> object:
    from space.queries.statement import Statement

    return Statement("SELECT cell_id FROM cell ORDER BY cell_id")


def test_its_address_leads_to_the_cell(hub_root: Path, hub_mirror: Mirror) -> None:
    """Read by the Hub's own client; the page that it names shows that cell."""
    for server in serving(settings_for(hub_root)):
        cells = httpx.get(f"{server}/api/v1/cells?per_page=200", timeout=30).json()["rows"]
        ranked = next(cell for cell in cells if cell["is_ranked"] and cell["model_repo"] != "none")
        found = httpx.get(f"{server}/cell?cell_id={ranked['cell_id']}&format=eval-results", timeout=30)
        assert found.status_code == 200
        (entry,) = parse_eval_result_entries(yaml.safe_load(found.content))
        assert entry.value == ranked["score"]
        assert entry.source_url == f"{server}/cell?cell_id={ranked['cell_id']}"
        assert httpx.get(f"{server}/api/v1/cells/{ranked['cell_id']}?format=eval-results", timeout=30).content == found.content
        assert httpx.get(entry.source_url, timeout=30).status_code == 200
        oracle = next(cell for cell in cells if cell["agent_name"] == "oracle")
        refused = httpx.get(f"{server}/cell?cell_id={oracle['cell_id']}&format=eval-results", timeout=30)
        assert (refused.status_code, refused.json()["error"]["code"]) == (404, "export.not_open")


def test_a_benchmark_that_is_no_dataset_has_none(works_server: str) -> None:
    """`export.no_dataset`, with what to do."""
    cells = httpx.get(f"{works_server}/api/v1/cells?per_page=25", timeout=30).json()["rows"]
    ranked = next(cell for cell in cells if cell["is_ranked"])
    refused = httpx.get(f"{works_server}/cell?cell_id={ranked['cell_id']}&format=eval-results", timeout=30)
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "export.no_dataset")
    assert refused.json()["error"]["way_out"]
