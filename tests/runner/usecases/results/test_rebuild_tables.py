"""Rebuilding: everything that is published of a run is compared, not its tables alone."""

from collections.abc import Callable
from pathlib import Path

import pytest

from runner.adapters.local.stores.results import LocalResults
from runner.usecases.results.rebuild_tables import Rebuilt, rebuild_tables
from shared import paths
from shared.arrow import read_parquet, write_parquet
from shared.ids import RunId
from shared.tables.registry import TABLES
from tests.builders.forger import CATALOG, DATASET, Forger
from tests.builders.houses import Place


@pytest.fixture
def rebuild(forger: Forger, published: tuple[Place, RunId], tmp_path: Path) -> Callable[[], list[Rebuilt]]:
    """Return a rebuild that is compared with the forger's copy."""
    place, run_id = published

    def carry_out() -> list[Rebuilt]:
        store = LocalResults(tmp_path / "again")
        return rebuild_tables([(run_id, DATASET)], lambda run: place.house.publish(run, store), forger.store, store)

    return carry_out


def test_what_is_as_it_was_has_no_difference(rebuild: Callable[[], list[Rebuilt]]) -> None:
    """Rows, receipt, lock, evidence root, statements and catalog record."""
    (made,) = rebuild()
    assert (made.is_equal, made.differences) == (True, ())


@pytest.mark.parametrize("proof", [paths.lock_file, paths.published_checksums, lambda run: paths.published_statements(run, 1)])
def test_a_changed_proof_is_a_difference(
    forger: Forger, rebuild: Callable[[], list[Rebuilt]], proof: Callable[[RunId], str]
) -> None:
    """However well its revision is signed again."""
    forger.alter_file(CATALOG, proof(forger.run_id), lambda data: data + b" ")
    (made,) = rebuild()
    assert made.differences == (f"{CATALOG}: {proof(forger.run_id)} has other bytes",)


def test_a_changed_catalog_record_is_a_difference(forger: Forger, rebuild: Callable[[], list[Rebuilt]]) -> None:
    """The column is named."""
    (file,) = (forger.root / CATALOG / "tables").rglob("*.parquet")
    rows = read_parquet(TABLES["catalog"], [file])
    rows["score"][0] = 0.125
    file.chmod(0o644)
    write_parquet(TABLES["catalog"], rows, file)
    forger.sign_revision(CATALOG)
    (made,) = rebuild()
    assert made.differences == (f"{CATALOG}: the record of {rows['cell_id'][0]} differs in score",)


def test_a_changed_row_is_a_difference_though_receipt_and_id_follow(forger: Forger, rebuild: Callable[[], list[Rebuilt]]) -> None:
    """The table is named, and the publication that it was."""
    forger.alter_rows("trials", lambda rows: rows["reward"].__setitem__(0, 0.5))
    forger.sign_receipt()
    forger.sign_publication()
    (made,) = rebuild()
    assert any("table trials has other rows" in each for each in made.differences)
    assert any("published as" in each for each in made.differences)


def test_a_damaged_file_is_a_difference(forger: Forger, rebuild: Callable[[], list[Rebuilt]]) -> None:
    """Nothing stops; the file is named."""
    forger.alter_file(DATASET, paths.receipt_file(forger.publication()), lambda data: data)  # type: ignore[arg-type]
    forger.write(forger.root / DATASET / paths.receipt_file(forger.publication()), b"{}")  # type: ignore[arg-type]
    (made,) = rebuild()
    assert made.is_equal is False


def test_a_run_that_only_the_catalog_records_is_a_difference(forger: Forger, rebuild: Callable[[], list[Rebuilt]]) -> None:
    """No dataset has its rows."""
    store = forger.store
    store.commit(
        CATALOG, store.head(CATALOG), {paths.lock_file(RunId("run-" + "f" * 32)): b"x"},
        kind="catalog", runs={"run-" + "f" * 32: "pub-1"}, rows=0, because="test", created_at="2026-01-01T00:00:00Z",
    )  # fmt: skip
    _, alone = rebuild()
    assert (alone.run_id, alone.is_equal) == ("run-" + "f" * 32, False)
