"""A mirror is built from what is published, or refused with the code of what is wrong; a liar's cell alone is withheld."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shared import paths
from shared.digests import Digest
from shared.documents.receipt import Receipt
from shared.documents.revision import Current
from shared.tables.registry import TABLES
from space.queries import cell as cell_query
from space.queries.statement import Statement
from space.readers.build import build_mirror, revisions_of
from space.readers.folder import FolderSource
from space.readers.indexing import checks
from space.readers.mirror import Mirror
from space.readers.source import SourceFault
from tests.space.publishing import CATALOG, DATASET, change_table, flip_byte, mirror_of, renew, rewrite_table, rows_of, table_file

type Fault = Callable[[Path], object]


@pytest.fixture
def root(published: Path, tmp_path: Path) -> Path:
    """A published folder of one's own, to be damaged."""
    return Path(shutil.copytree(published, tmp_path / "results"))


@pytest.mark.parametrize("name", ["of [1]", "of *", "it's"])
def test_a_mirror_may_lie_in_a_folder_that_is_called_like_a_pattern(name: str, published: Path, tmp_path: Path) -> None:
    """What DuckDB reads as a pattern is a name where the folder of the mirrors is called so."""
    made = mirror_of(published, tmp_path / name)
    (run,) = made.rows(Statement("SELECT publication_id AS id FROM run LIMIT 1"))
    (found,) = made.rows(Statement("SELECT count(*) AS trials FROM trials_of(?)", (run["id"],)))
    assert found["trials"] == len(made.rows(Statement("SELECT 1 FROM trials WHERE publication_id = ?", (run["id"],)))) > 0


def test_the_tables_of_a_mirror_hold_what_was_published(published: Path, mirror: Mirror) -> None:
    """Every published table is a view of the same name with the same number of rows."""
    datasets = (DATASET, "example/small-works")
    for name in TABLES:
        expected = sum(len(rows_of(published, name, dataset)) for dataset in ((CATALOG,) if name == "catalog" else datasets))
        found = mirror.one(Statement(f"SELECT count(*) AS n FROM {name}"))  # noqa: S608 - names of tables
        assert found == {"n": expected}


def test_the_tables_of_one_publication_are_read_alone(published: Path, mirror: Mirror) -> None:
    """trials_of(publication) has the rows of that publication and no others."""
    publication = rows_of(published, "cells")[0]["publication_id"]
    found = mirror.rows(Statement("SELECT publication_id, count(*) AS n FROM trials_of(?) GROUP BY 1", (publication,)))
    assert found == [{"publication_id": publication, "n": len(rows_of(published, "trials"))}]


def test_equal_revisions_give_equal_mirrors(published: Path, mirror: Mirror, tmp_path: Path) -> None:
    """The id of a mirror is the digest of its revision set."""
    assert mirror_of(published, tmp_path).identity == mirror.identity


def truncate(root: Path) -> None:
    """Cut a file short."""
    file = table_file(root, "trials")
    file.write_bytes(file.read_bytes()[:-100])


def flip(root: Path) -> None:
    """Change one byte."""
    flip_byte(table_file(root, "trials"))


def remove(root: Path) -> None:
    """Delete a file."""
    table_file(root, "attempts").unlink()


def newer_version(root: Path) -> None:
    """Publish a table of a version that nobody here knows."""
    change_table(root, "trials", lambda rows: [row.update(schema_version=2) for row in rows])


def missing_column(root: Path) -> None:
    """Publish a table without one of its columns."""
    rewrite_table(root, "trials", pq.ParquetFile(table_file(root, "trials")).read().drop_columns(["reward"]))


def extra_column(root: Path) -> None:
    """Publish a table with a column that nobody declared."""
    found = pq.ParquetFile(table_file(root, "attempts")).read()
    rewrite_table(root, "attempts", found.append_column("note", pa.array(["x"] * len(found))))


def missing_cells_column(root: Path) -> None:
    """The same for the table whose digest is recomputed."""
    rewrite_table(root, "cells", pq.ParquetFile(table_file(root, "cells")).read().drop_columns(["score"]))


def repeated_key(root: Path) -> None:
    """Publish a trial twice in the place of another."""
    change_table(root, "trials", lambda rows: rows.__setitem__(1, dict(rows[0])))


def missing_row(root: Path) -> None:
    """Publish a row less than the receipt says."""
    found = pq.ParquetFile(table_file(root, "metrics")).read()
    file = table_file(root, "metrics")
    pq.write_table(found.slice(1), file, compression="zstd")
    renew(root / DATASET)


def other_cells(root: Path) -> None:
    """Exchange the rows of cells, keep the receipt."""
    file = table_file(root, "cells")
    found = pq.ParquetFile(file).read()
    changed = found.set_column(
        found.column_names.index("agent_name"), found.schema.field("agent_name"), pa.array(["x"] * len(found))
    )
    pq.write_table(changed, file, compression="zstd")
    renew(root / DATASET)


def no_parquet(root: Path) -> None:
    """Publish a file that is no Parquet."""
    table_file(root, "trials").write_bytes(b"not a table")
    renew(root / DATASET)


def bad_catalog(root: Path) -> None:
    """Damage the catalog's own file."""
    table_file(root, "catalog", CATALOG).write_bytes(b"x")


def second_catalog(root: Path) -> None:
    """Put a second catalog beside the first."""
    shutil.copytree(root / CATALOG, root / "example/catalog2")


def wrong_pointer(root: Path) -> None:
    """Point to another revision than the one that lies there."""
    (root / CATALOG / paths.CURRENT).write_bytes(Current(number=1, sha256=Digest("0" * 64)).to_bytes())


def missing_revision(root: Path) -> None:
    """Delete the list of files that the catalog names."""
    (root / DATASET / paths.revision_file(1)).unlink()


def other_receipt(root: Path) -> None:
    """Exchange a receipt for another valid one that the catalog does not name."""
    file = next((root / DATASET / "publications").glob("*.json"))
    receipt = Receipt.from_bytes(file.read_bytes())
    file.write_bytes(receipt.model_copy(update={"control_commit": "another"}).to_bytes())
    renew(root / DATASET)


def lost_cell(root: Path) -> None:
    """Let the catalog name a cell that has no row."""
    change_table(root, "catalog", lambda rows: rows[-1].update(cell_id="cell-" + "0" * 32), CATALOG)


def long_texts(root: Path) -> None:
    """Publish one long reason a hundred times: the file is small, what it decodes to is not."""
    reason = "x" * 6_000_000
    change_table(
        root, "catalog", lambda rows: rows.extend({**rows[0], "sequence": 100 + n, "reason": reason} for n in range(100)), CATALOG
    )


def wandering_dataset(root: Path) -> None:
    """Let the catalog name a dataset outside the root."""
    change_table(root, "catalog", lambda rows: rows[-1].update(dataset="../../etc"), CATALOG)


FAULTS: list[tuple[Fault, str]] = [
    (truncate, "source.checksum"),
    (flip, "source.checksum"),
    (remove, "source.unreachable"),
    (newer_version, "source.schema"),
    (missing_column, "source.schema"),
    (extra_column, "source.schema"),
    (missing_cells_column, "source.schema"),
    (repeated_key, "source.schema"),
    (missing_row, "source.checksum"),
    (other_cells, "source.checksum"),
    (no_parquet, "source.schema"),
    (bad_catalog, "source.checksum"),
    (second_catalog, "source.schema"),
    (wrong_pointer, "source.checksum"),
    (missing_revision, "source.unreachable"),
    (wandering_dataset, "source.schema"),
    (other_receipt, "source.checksum"),
    (lost_cell, "source.schema"),
    (long_texts, "source.too_large"),
]


@pytest.mark.parametrize(("fault", "code"), FAULTS, ids=[fault.__name__ for fault, _ in FAULTS])
def test_every_fault_is_refused_with_its_code_and_leaves_nothing(root: Path, tmp_path: Path, fault: Fault, code: str) -> None:
    """A damaged source builds no mirror; the error says which check failed."""
    fault(root)
    with pytest.raises(SourceFault) as caught:
        mirror_of(root, tmp_path / "mirrors")
    assert caught.value.code == code
    assert [path for path in (tmp_path / "mirrors").glob("*") if path.name != "scratch"] == []


def test_a_file_that_decodes_to_too_much_is_refused(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows times the width of the columns may not pass the limit, whatever the file's own size."""
    monkeypatch.setattr(checks, "MAX_DECODED_BYTES", 1_000)
    with pytest.raises(SourceFault) as caught:
        mirror_of(root, tmp_path / "mirrors")
    assert caught.value.code == "source.too_large"


LIES: list[tuple[str, Callable[[list[dict[str, Any]]], object]]] = [
    ("trials", lambda rows: rows[0].update(reward=0.0 if rows[0]["reward"] else 1.0)),
    ("trials", lambda rows: rows[0].update(passed=not rows[0]["passed"])),
    ("trials", lambda rows: rows[0].update(outcome="agent_failed", reward=None, passed=None)),
    ("cells", lambda rows: rows[0].update(score_high=rows[0]["score_high"] - 1e-6)),
    ("cells", lambda rows: rows[0].update(pass_rate=0.99)),
    ("cells", lambda rows: rows[0].update(bound_low=0.1, bound_high=0.2)),
    ("cells", lambda rows: rows[0].update(planned_trials=rows[0]["planned_trials"] + 1)),
    ("cells", lambda rows: rows[0].update(score=0.9)),
]


@pytest.mark.parametrize(("table", "lie"), LIES)
def test_a_cell_that_contradicts_its_trials_is_withheld_alone(
    root: Path, tmp_path: Path, table: str, lie: Callable[[list[dict[str, Any]]], object]
) -> None:
    """With every digest renewed, the one cell loses its numbers and says why; the others stay."""
    first = rows_of(root, "cells")[0]["cell_id"]
    assert rows_of(root, "trials")[0]["cell_id"] == first
    change_table(root, table, lie)
    mirror = mirror_of(root, tmp_path / "mirrors")
    found = mirror.rows(Statement("SELECT cell_id, withheld, score, score_low, pass_rate FROM cell WHERE withheld IS NOT NULL"))
    assert [row["cell_id"] for row in found] == [first]
    assert found[0]["withheld"].startswith("cell.inconsistent")
    assert (found[0]["score"], found[0]["score_low"], found[0]["pass_rate"]) == (None, None, None)


def test_a_catalog_that_says_another_score_withholds_the_cell(root: Path, tmp_path: Path) -> None:
    """Row and catalog record must agree."""
    change_table(root, "catalog", lambda rows: rows[0].update(score=0.123), CATALOG)
    mirror = mirror_of(root, tmp_path / "mirrors")
    found = mirror.one(cell_query.cell(rows_of(root, "cells")[0]["cell_id"]))
    assert found is not None
    assert "the catalog's score" in found["withheld"]


def test_the_newest_record_of_a_cell_is_its_state(published: Path, mirror: Mirror) -> None:
    """A withdrawn cell keeps its numbers and no longer stands."""
    last = rows_of(published, "catalog", CATALOG)[-1]
    found = mirror.one(cell_query.cell(last["cell_id"]))
    assert found is not None
    assert (found["record"], found["stands"], found["record_reason"]) == ("withdrawn", False, "another prompt")


def test_nothing_published_is_an_empty_mirror(tmp_path: Path) -> None:
    """A root without a catalog gives tables without rows, not an error."""
    (tmp_path / "results").mkdir()
    source = FolderSource(tmp_path / "results")
    mirror = build_mirror(source, revisions_of(source, source.catalog(), tmp_path / "scratch"), tmp_path / "mirrors", 256)
    assert mirror.rows(Statement("SELECT * FROM cell")) == []


def test_a_build_that_fails_at_its_last_step_leaves_nothing(
    published: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a folder nor an engine that nobody would close."""
    monkeypatch.setattr("space.readers.ranks.LARGE_CELLS", 1)
    monkeypatch.setattr("shared.statistics.matrix.MAX_CELLS", 0)
    source = FolderSource(published)
    with pytest.raises(SourceFault) as caught:
        build_mirror(source, revisions_of(source, source.catalog(), tmp_path / "scratch"), tmp_path / "mirrors", 256)
    assert (caught.value.code, list((tmp_path / "mirrors").iterdir())) == ("source.schema", [])
