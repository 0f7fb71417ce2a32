"""Exporting: verified rows of a revision, and only cells that stand."""

import csv
import io
from pathlib import Path

import pytest

from runner.usecases.results.export_results import FORMS, ExportedFile, LeftOut, export_eval_results, export_tables
from shared.arrow import read_parquet, write_parquet
from shared.errors import Refused
from shared.tables.registry import RESULT_TABLES, TABLES
from tests.builders.forger import CATALOG, DATASET, Forger
from tests.runner.usecases.results.test_verify_row import set_first

SPACE = "https://somebody-seawall.hf.space"


@pytest.mark.parametrize("form", FORMS)
def test_every_table_can_be_exported(forger: Forger, form: str) -> None:
    """One file a table, named for dataset and revision; the small ones as Markdown too."""
    tables = ["cells", "trials"]
    found = list(export_tables(forger.store, DATASET, None, tables, form))
    assert [each.path for each in found] == [f"local--starter@1/{name}.{form}" for name in tables]


def test_csv_has_every_row(forger: Forger) -> None:
    """With the columns of the table."""
    (file,) = export_tables(forger.store, DATASET, 1, ["trials"], "csv")
    rows = list(csv.DictReader(io.StringIO(file.data.decode(), newline="")))
    assert [row["trial_id"] for row in rows] == forger.rows("trials")["trial_id"]
    assert list(rows[0]) == [column.name for column in RESULT_TABLES["trials"][0].columns]


def test_parquet_reads_back_to_the_same_rows(forger: Forger, tmp_path: Path) -> None:
    """All of them in one file."""
    (file,) = export_tables(forger.store, DATASET, None, ["cells"], "parquet")
    (tmp_path / "cells.parquet").write_bytes(file.data)
    assert read_parquet(RESULT_TABLES["cells"][0], [tmp_path / "cells.parquet"]) == forger.rows("cells")


def test_what_does_not_verify_is_not_exported(forger: Forger) -> None:
    """A changed reward stops at its table."""
    forger.alter_rows("trials", set_first("reward", 0.5))
    with pytest.raises(Refused, match="VERIFY_BROKEN"):
        list(export_tables(forger.store, DATASET, None, ["cells"], "csv"))


def as_hub_benchmark(forger: Forger) -> None:
    """Make the published run one of a benchmark of the Hub, with models that have repositories, and sign all of it again."""
    source = {"source_type": "hub", "source_repo": "org/bench", "source_revision": "a" * 40, "eval_task_id": "main"}
    for column, value in source.items():
        forger.alter_rows("runs", set_first(column, value))
    for column, text in (("model_repo", "example/small"), ("model_revision", "b" * 40)):
        forger.alter_rows("cells", lambda rows, column=column, text=text: rows.update({column: [text] * len(rows[column])}))  # type: ignore[misc]
    forger.sign_receipt()
    forger.sign_publication()
    record(forger, publication_id=forger.publication())


def record(forger: Forger, **changes: str) -> None:
    """Change every record of the catalog."""
    (file,) = (forger.root / CATALOG / "tables").rglob("*.parquet")
    rows = read_parquet(TABLES["catalog"], [file])
    rows.update({column: [value] * len(rows[column]) for column, value in changes.items()})
    file.chmod(0o644)
    write_parquet(TABLES["catalog"], rows, file)
    forger.sign_revision(CATALOG)


def test_ranked_cells_of_a_hub_benchmark_are_exported(forger: Forger) -> None:
    """Each below its model's repository."""
    as_hub_benchmark(forger)
    found = list(export_eval_results(forger.store, DATASET, None, CATALOG, SPACE))
    assert len(found) == len(forger.rows("cells")["cell_id"])
    assert all(isinstance(each, ExportedFile) and each.path.startswith("example/small/.eval_results/starter-") for each in found)
    assert len({each.path for each in found if isinstance(each, ExportedFile)}) == len(found)


def test_a_withdrawn_cell_is_left_out(forger: Forger) -> None:
    """The newest record of the catalog decides."""
    as_hub_benchmark(forger)
    record(forger, record="withdrawn")
    found = list(export_eval_results(forger.store, DATASET, None, CATALOG, SPACE))
    assert {each.reason for each in found if isinstance(each, LeftOut)} == {"the catalog says that it is withdrawn"}
    assert not any(isinstance(each, ExportedFile) for each in found)


def test_cells_of_a_folder_are_left_out_and_named(forger: Forger) -> None:
    """They belong to no leaderboard of the Hub."""
    found = list(export_eval_results(forger.store, DATASET, None, CATALOG, SPACE))
    assert {each.code for each in found if isinstance(each, LeftOut)} == {"EXPORT_NO_DATASET"}
