"""tables: every published table of 20,000 trials to Parquet, table digests included, against pyarrow alone on ready lists."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measurement import Measurement, bare_interpreter_mb, compare
from benchmarks.synthetic import synthetic_run
from shared.arrow import schema_of, write_parquet
from shared.tables.published import PublishedRun
from shared.tables.registry import RESULT_TABLES, build_tables


def measure() -> Measurement:
    """Measure 20,000 trials (about 135,000 rows in six tables)."""
    run = facts()
    lists = {name: {key: list(values[:]) for key, values in rows.items()} for name, rows in build_tables(run)[1].items()}
    with tempfile.TemporaryDirectory() as folder:
        work, baseline = (lambda: _ours(run, Path(folder))), (lambda: _bare(lists, Path(folder)))
        return compare("tables", work, baseline, rounds=7, peak_mb=_peak_mb())


def _peak_mb() -> float:
    """Return the memory of the work alone, facts included: the baseline's ready lists are not part of it."""
    code = (
        "import tempfile; from pathlib import Path\nfrom benchmarks import tables\n"
        "from benchmarks.measurement import resident_mb\n"
        "with tempfile.TemporaryDirectory() as f: tables._ours(tables.facts(), Path(f))\nprint(resident_mb())"
    )
    peak = float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    return peak - bare_interpreter_mb()


def facts() -> PublishedRun:
    """Return the facts of 20,000 trials."""
    return synthetic_run(1, cells=40, tasks=100, repeats=5)


def _ours(run: PublishedRun, folder: Path) -> None:
    _, rows, _ = build_tables(run)
    for name, (table, _) in RESULT_TABLES.items():
        write_parquet(table, rows[name], folder / f"{name}.parquet")


def _bare(lists: dict[str, dict[str, list[Any]]], folder: Path) -> None:
    for name, (table, _) in RESULT_TABLES.items():
        schema = schema_of(table)
        arrays = [pa.array(lists[name][field.name], type=field.type) for field in schema]
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), folder / f"{name}.parquet", compression="zstd")
