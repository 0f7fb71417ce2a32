"""Verifying a row from published files alone: it holds, and every link that does not is named."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.adapters.local.stores.evidence import LocalEvidenceStore
from runner.usecases.results.verify_row import EVIDENCE_READ, RowVerification, VerifyWorld, verify_row
from shared import paths
from shared.errors import BadInput, Refused, SeawallError
from shared.ids import RunId
from shared.tables.registry import RESULT_TABLES
from tests.builders.forger import CATALOG, DATASET, Forger, Rows
from tests.builders.houses import Place


def verify(forger: Forger, table: str = "cells", key: str = "", evidence: Path | None = None) -> RowVerification:
    """Verify the first row of `table`, or the row `key`."""
    store = LocalEvidenceStore(evidence) if evidence else None
    wanted = key or forger.rows(table)[RESULT_TABLES[table][0].key][0]
    return verify_row(DATASET, None, table, wanted, VerifyWorld(forger.store, CATALOG, store))


def broken_link(forger: Forger, table: str = "cells", key: str = "", evidence: Path | None = None) -> str:
    """Return the link that verification names."""
    with pytest.raises(Refused) as caught:
        verify(forger, table, key, evidence)
    assert (caught.value.code, caught.value.exit_code) == ("VERIFY_BROKEN", 3)
    return caught.value.field


def key_of(forger: Forger) -> str:
    """Return the id of the first cell, before anything is altered."""
    return str(forger.rows("cells")["cell_id"][0])


def set_first(column: str, value: object) -> Callable[[Rows], None]:
    """Return a change of the first row."""

    def change(rows: Rows) -> None:
        rows[column][0] = value

    return change


@pytest.mark.parametrize("table", sorted(RESULT_TABLES))
def test_every_published_row_can_be_verified(forger: Forger, table: str) -> None:
    """Of every table that has rows; a run and a cell are recomputed from their trials."""
    keys = forger.rows(table)[RESULT_TABLES[table][0].key]
    for key in keys[:2]:
        report = verify(forger, table, key)
        assert any("recomputed" in link for link in report.links) == (table in {"runs", "cells"})


def test_the_bundles_are_read_where_the_evidence_is_at_hand(forger: Forger, published: tuple[Place, RunId]) -> None:
    """Then the report says so."""
    assert verify(forger, evidence=published[0].house.settings.home / "evidence").level == EVIDENCE_READ


def test_a_changed_file_is_named(forger: Forger) -> None:
    """A reward that was changed in the file alone."""
    key = key_of(forger)
    forger.alter_rows("trials", set_first("reward", 0.5))
    assert "trials" in broken_link(forger, key=key)


def test_a_changed_reward_is_named_whatever_is_signed_again(forger: Forger) -> None:
    """First the table, then the publication, then the trial itself."""
    key = key_of(forger)
    forger.alter_rows("trials", set_first("reward", 0.5))
    forger.sign_revision(DATASET)
    assert broken_link(forger, key=key) == "table trials"
    forger.sign_receipt()
    assert broken_link(forger, key=key) == forger.publication()
    forger.sign_publication()
    assert broken_link(forger, key=key) == forger.rows("trials")["trial_id"][0]


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("cells", "score", 0.99),
        ("cells", "score_low", 0.5),
        ("cells", "scored_trials", 3),
        ("cells", "attempts", 9),
        ("cells", "ranked", False),
        ("cells", "passed_trials", 1),
    ],
)
def test_a_changed_number_of_a_cell_is_named_by_its_column(forger: Forger, table: str, column: str, value: object) -> None:
    """Every digest agrees, the arithmetic does not."""
    key = key_of(forger)
    forger.alter_rows(table, set_first(column, value))
    forger.sign_receipt()
    forger.sign_publication()
    assert broken_link(forger, key=key) == f"{key}.{column}"


@pytest.mark.parametrize("column", ["planned_trials", "attempts", "unfinished_trials"])
def test_a_changed_count_of_a_run_is_named_by_its_column(forger: Forger, column: str) -> None:
    """A run's counts are the sums of its cells'."""
    forger.alter_rows("runs", set_first(column, 77))
    forger.sign_receipt()
    forger.sign_publication()
    assert broken_link(forger, "runs") == f"{forger.run_id}.{column}"


def test_a_trial_that_was_left_out_is_missed(forger: Forger) -> None:
    """The denominator is the plan's, not the file's."""
    key = key_of(forger)

    def drop(rows: Rows) -> None:
        for values in rows.values():
            del values[0]

    forger.alter_rows("trials", drop)
    receipt = forger.receipt()
    tables = {**receipt.tables, "trials": receipt.tables["trials"].model_copy(update={"rows": receipt.tables["trials"].rows - 1})}
    forger.write_receipt(receipt.model_copy(update={"tables": tables}))
    forger.sign_receipt()
    forger.sign_publication()
    assert broken_link(forger, key=key) == key


def test_a_changed_lock_is_named(forger: Forger) -> None:
    """Though its revision lists it."""
    forger.alter_file(CATALOG, paths.lock_file(forger.run_id), lambda data: data.replace(b"tester", b"nobody"))
    assert broken_link(forger) == paths.lock_file(forger.run_id)


def test_a_changed_statement_is_named(forger: Forger) -> None:
    """The evidence root lists the statements that it was sealed with."""
    path = paths.published_statements(forger.run_id, 1)
    forger.alter_file(CATALOG, path, lambda data: data.replace(b'"reward":1', b'"reward":0', 1))
    assert broken_link(forger) == path


def test_a_changed_evidence_root_is_named(forger: Forger) -> None:
    """The receipt names the root."""
    path = paths.published_checksums(forger.run_id)
    forger.alter_file(CATALOG, path, lambda data: data.replace(b'"size":1', b'"size":2', 1))
    assert broken_link(forger) == path


def test_a_changed_receipt_is_named(forger: Forger) -> None:
    """Its file is listed by the revision, its content gives the publication's id."""
    receipt = forger.receipt()
    forger.write_receipt(receipt.model_copy(update={"evidence_sha256": "0" * 64}))
    assert "evidence_sha256" in broken_link(forger) or broken_link(forger) == forger.publication()


def test_a_missing_file_is_named(forger: Forger) -> None:
    """Whichever it is."""
    key = key_of(forger)
    (forger.root / CATALOG / paths.lock_file(forger.run_id)).unlink()
    assert broken_link(forger, key=key) == paths.lock_file(forger.run_id)


def test_a_revision_that_forgets_the_one_before_is_named(forger: Forger) -> None:
    """Revisions are a chain."""
    revision = forger.store.head(DATASET)
    assert revision is not None
    forger.write_revision(DATASET, revision.model_copy(update={"previous_sha256": "0" * 64}))
    assert broken_link(forger) == f"{DATASET}/revisions/1.json"


def test_a_changed_bundle_is_named(forger: Forger, published: tuple[Place, RunId], tmp_path: Path) -> None:
    """The published files are whole; the evidence is not what they speak of."""
    place, run_id = published
    shutil.copytree(place.house.settings.home / "evidence", tmp_path / "evidence")
    prefix = paths.run_prefix(run_id)
    cell = key_of(forger)
    result = next((tmp_path / "evidence" / prefix / "cells" / cell).rglob("harbor/result.json"))
    forger.alter(result, lambda data: data.replace(b"1.0", b"0.0"))
    with pytest.raises(Refused) as caught:
        verify(forger, evidence=tmp_path / "evidence")
    assert (caught.value.code, caught.value.exit_code) == ("EVIDENCE_BROKEN", 3)
    assert caught.value.field.startswith(prefix)


def test_a_row_that_is_not_published_is_refused(forger: Forger) -> None:
    """So is a table that does not exist."""
    with pytest.raises(Refused) as caught:
        verify(forger, "cells", "cell-" + "0" * 32)
    assert caught.value.code == "NOT_PUBLISHED"
    with pytest.raises(BadInput):
        verify(forger, "catalog", "1")


def refusal(forger: Forger, number: int | None = None, catalog: str = CATALOG, evidence: Path | None = None) -> SeawallError:
    """Return why nothing could be verified: what was asked is wrong, and no row is blamed."""
    store = LocalEvidenceStore(evidence) if evidence else None
    with pytest.raises(SeawallError) as caught:
        verify_row(DATASET, number, "cells", key_of(forger), VerifyWorld(forger.store, catalog, store))
    assert caught.value.code != "VERIFY_BROKEN"
    return caught.value


def test_a_revision_that_is_not_there_is_told_with_the_newest(forger: Forger) -> None:
    """However far beyond it the number is."""
    error = refusal(forger, 999_999_999)
    assert (error.code, "newest is 1" in error.way_out) == ("REVISION_MISSING", True)


@pytest.mark.parametrize("name", ["local/none", DATASET])
def test_what_is_no_catalog_is_told(forger: Forger, name: str) -> None:
    """Nothing of that name, or a dataset of results."""
    error = refusal(forger, catalog=name)
    assert (error.code, error.field) == ("CATALOG_UNKNOWN", "--catalog")


def test_a_catalog_of_other_runs_is_told(forger: Forger) -> None:
    """It has no lock and no statements of this one; that is no fault of the row."""
    forger.store.commit(
        "local/other", None, {"note": b"x"}, kind="catalog", runs={}, rows=0, because="test", created_at="2026-01-01T00:00:00Z"
    )
    assert refusal(forger, catalog="local/other").code == "NOT_CATALOGUED"


def test_a_folder_without_the_evidence_is_told(forger: Forger, tmp_path: Path) -> None:
    """The published files may be whole all the same."""
    error = refusal(forger, evidence=tmp_path / "nowhere")
    assert (error.code, error.field, error.exit_code) == ("EVIDENCE_MISSING", "--evidence", 2)
