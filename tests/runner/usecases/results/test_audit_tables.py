"""The audit: nothing to say of what was published, something of every change."""

from collections.abc import Callable

import pytest

from runner.usecases.results.audit_tables import Audit, audit_tables
from shared import paths
from shared.ids import RunId
from tests.builders.forger import CATALOG, DATASET, Forger, Rows
from tests.builders.houses import Place


def audit(forger: Forger) -> Audit:
    """Audit the altered files."""
    return audit_tables(forger.store, [DATASET], CATALOG)


def test_what_was_published_holds(forger: Forger) -> None:
    """Every row was read."""
    report = audit(forger)
    assert (report.findings, report.publications, report.catalog_rows) == ((), 1, 2)
    assert report.rows > 0


def test_a_flipped_byte_of_any_file_is_found(forger: Forger) -> None:
    """In the first, the middle and the last byte of each published file, pointers and revisions included."""
    for path in forger.files():
        whole = path.read_bytes()
        for at in {0, len(whole) // 2, len(whole) - 1}:
            changed = bytearray(whole)
            changed[at] ^= 1
            forger.write(path, bytes(changed))
            assert audit(forger).findings, f"{path.name} byte {at}"
        forger.write(path, whole)
    assert audit(forger).findings == ()


def test_a_missing_file_is_found(forger: Forger) -> None:
    """Each file that a revision lists must stand."""
    for path in forger.files():
        if path.name == paths.CURRENT:
            continue  # It is rolled forward from the revisions.
        whole = path.read_bytes()
        path.unlink()
        assert audit(forger).findings, path.name
        path.write_bytes(whole)


def change_owner(rows: Rows) -> None:
    """Give the first attempt to a trial that is not there."""
    rows["trial_id"][0] = "trial-" + "0" * 32


def change_artifact(rows: Rows) -> None:
    """Give the first artifact to an attempt that is not there."""
    rows["owner_id"][0] = "att-" + "0" * 32


@pytest.mark.parametrize(("table", "change"), [("attempts", change_owner), ("artifacts", change_artifact)])
def test_a_row_without_its_owner_is_found(forger: Forger, table: str, change: Callable[[Rows], None]) -> None:
    """Though every digest agrees."""
    forger.alter_rows(table, change)
    forger.sign_receipt()
    forger.sign_publication()
    assert audit(forger).findings


def test_a_publication_without_its_records_is_found(forger: Forger, published: tuple[Place, RunId]) -> None:
    """A cell that the catalog does not know is not on any leaderboard."""
    head = forger.store.head(CATALOG)
    assert head is not None
    kept = tuple(file for file in head.files if not file.path.startswith("tables/"))
    forger.write_revision(CATALOG, head.model_copy(update={"files": kept}))
    cells = forger.rows("cells")["cell_id"]
    assert {where.split()[-1] for where, _ in audit(forger).findings} == set(cells)
    assert published[1] == forger.run_id


def test_a_changed_score_in_the_catalog_is_found(forger: Forger) -> None:
    """By the column that differs."""
    from shared.arrow import read_parquet, write_parquet
    from shared.tables.catalog import TABLE

    (path,) = (forger.root / CATALOG / "tables").rglob("*.parquet")
    rows = read_parquet(TABLE, [path])
    rows["score"][0] = 0.25
    path.chmod(0o644)
    write_parquet(TABLE, rows, path)
    forger.sign_revision(CATALOG)
    assert [where for where, _ in audit(forger).findings] == ["catalog 1.score"]
