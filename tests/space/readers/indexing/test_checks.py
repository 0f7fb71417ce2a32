"""Files that are called or made otherwise than declared are refused before any page reads them."""

from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from shared import paths
from shared.documents.revision import Current, Revision
from tests.space.publishing import DATASET, renew, rewrite_table, table_file, write_revision
from tests.space.readers.indexing.conftest import Refused


def rename(root: Path, table: str, name: str) -> None:
    """Publish the one file of a table under another name."""
    folder, file = root / DATASET, table_file(root, table)
    moved = file.rename(file.with_name(name))
    number = Current.from_bytes((folder / paths.CURRENT).read_bytes()).number
    revision = Revision.from_bytes((folder / paths.revision_file(number)).read_bytes())
    names = {str(file.relative_to(folder)): str(moved.relative_to(folder))}
    files = [each.model_copy(update={"path": names.get(each.path, each.path)}) for each in revision.files]
    write_revision(folder, revision.model_copy(update={"files": tuple(sorted(files, key=lambda each: each.path))}))


@pytest.mark.parametrize("name", ["[a]-001.parquet", "*-001.parquet", "?-001.parquet", ".hidden-001.parquet", "pub.parquet"])
def test_a_file_whose_name_is_a_pattern_or_hides_it_is_refused(root: Path, refused: Refused, name: str) -> None:
    """Readers find the files of a publication by their names; a pattern would be checked as other files."""
    rename(root, "trials", name)
    fault = refused()
    assert (fault.code, "is not called" in fault.message) == ("source.schema", True)


def test_rows_in_a_file_of_another_publication_are_refused(root: Path, refused: Refused) -> None:
    """The pages of their publication would not find them."""
    rename(root, "attempts", "pub-another-001.parquet")
    fault = refused()
    assert (fault.code, "pub-another-001.parquet of attempts holds rows of" in fault.message) == ("source.schema", True)


class Column(NamedTuple):
    """A column of a type that it must not have, and the word by which it is told."""

    table: str
    name: str
    values: pa.Array
    told: str


@pytest.mark.parametrize(
    "column",
    [
        Column("trials", "outcome", pa.array([b"\xff"], pa.binary()), "outcome"),
        Column("trials", "reward", pa.array([1], pa.int64()), "reward"),
        Column("trials", "passed", pa.array([1], pa.int8()), "passed"),
        Column("attempts", "phase", pa.array([{"a": 1}]), "phase"),
        Column("runs", "submitted_at", pa.array([1], pa.timestamp("ns")), "submitted_at"),
        Column("cells", "source_flags", pa.array(["text"]), "source_flags"),
        Column("cells", "source_flags", pa.array([[1]]), "element"),
    ],
)
def test_another_type_under_a_known_name_is_refused(root: Path, refused: Refused, column: Column) -> None:
    """Whatever digest its receipt has: the column is named."""
    before = pq.ParquetFile(table_file(root, column.table)).read()
    values = pa.concat_arrays([column.values] * len(before))
    changed = before.set_column(before.column_names.index(column.name), column.name, values)
    try:
        rewrite_table(root, column.table, changed)
    except TypeError:  # such values have no digest
        renew(root / DATASET)
    fault = refused()
    assert (fault.code, column.told in fault.message) == ("source.schema", True)
