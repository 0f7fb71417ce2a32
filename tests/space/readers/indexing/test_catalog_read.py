"""The catalog is read in bounded memory before anything is known of it."""

import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from space.readers.indexing import catalog_read
from tests.space.publishing import CATALOG, change_table, renew, table_file
from tests.space.readers.indexing.conftest import Refused

BUILD = """
import sys
from pathlib import Path
from space.readers.source import SourceFault
from tests.space.publishing import mirror_of
try:
    mirror_of(Path(sys.argv[1]), Path(sys.argv[2]))
except SourceFault as fault:
    most = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(fault.code, int(most.split()[1]) >> 10)
"""


def test_texts_that_grow_are_refused_in_little_memory(root: Path, tmp_path: Path) -> None:
    """A megabyte of different texts of six megabytes each, in a column that nobody needs yet."""
    file = table_file(root, "catalog", CATALOG)
    before = pq.ParquetFile(file).read()
    [row, *_] = before.to_pylist()
    with pq.ParquetWriter(file, before.schema, compression="zstd", use_dictionary=False) as writer:
        writer.write_table(before)
        for number in range(200):
            grown = {**row, "sequence": 100 + number, "reason": "x" * 6_000_000 + str(number)}
            writer.write_table(pa.Table.from_pylist([grown], schema=before.schema))
    renew(root / CATALOG)
    assert file.stat().st_size < 4 << 20
    command = [sys.executable, "-c", BUILD, str(root), str(tmp_path / "mirrors")]
    code, mebibytes = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    assert (code, int(mebibytes) < 1_000) == ("source.too_large", True)


def test_lists_of_texts_that_grow_are_refused(root: Path, refused: Refused) -> None:
    """One long text repeated in lists: forty kilobytes."""
    long = ["x" * 6_000_000]
    change_table(
        root,
        "catalog",
        lambda rows: rows.extend({**rows[0], "sequence": 100 + n, "source_flags": long} for n in range(200)),
        CATALOG,
    )
    assert refused().code == "source.too_large"


def test_a_catalog_of_too_many_datasets_is_refused(root: Path, refused: Refused) -> None:
    """Each of them would be asked for at every refresh."""
    change_table(
        root,
        "catalog",
        lambda rows: rows.extend(
            {**rows[0], "sequence": 100 + n, "dataset": f"example/d{n}"} for n in range(catalog_read.MAX_DATASETS)
        ),
        CATALOG,
    )
    fault = refused()
    assert (fault.code, "datasets, more than 500" in fault.message) == ("source.too_large", True)


def test_a_name_that_is_too_long_is_refused(root: Path, refused: Refused) -> None:
    """Before it becomes part of a path or an address."""
    change_table(root, "catalog", lambda rows: rows[0].update(dataset_revision="1" * 5_000), CATALOG)
    assert refused().code == "source.schema"
