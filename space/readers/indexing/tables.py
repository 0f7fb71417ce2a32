"""The views, macros and tables of a mirror, as SQL over the published columns; anyone can run the same on a download.

A view reads every file of its table. Of 2,000 publications a page about one cell needs one: `trials_of(publication)` and its like
read that publication's files alone. They lie a second time in a folder of its own, so that a page looks through a handful of
names and not through those of all publications, which took it longer than reading the file.
"""

import glob
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from shared.statistics.cells import Cell
from shared.statistics.ranked_sets import Candidate, ranked_sets
from shared.tables.registry import TABLES
from shared.tables.schema import Kind, Table
from space.queries.ranks import candidates
from space.readers.engine import BUILD_SECONDS, Engine
from space.readers.indexing.consistency import withheld_cells

_SQL_TYPES: Final[dict[Kind, str]] = {
    "text": "VARCHAR",
    "int": "BIGINT",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "time": "BIGINT",
    "texts": "VARCHAR[]",
}
_SCORES: Final = ["score", "score_stderr", "score_low", "score_high", "bound_low", "bound_high", "pass_rate", "effective_n"]


OF_ONE_PUBLICATION: Final = ("trials", "attempts", "metrics", "artifacts")
_GATHERED: Final = ("runs", "cells")
_APART: Final = "of"
"""The folder of the folders of publications."""


def create_views(engine: Engine, files: Mapping[str, Sequence[Path]], folder: Path) -> None:
    """Make a view per published table over its `files`, all there are, and a macro per publication; times are microseconds."""
    for name, table in TABLES.items():
        engine.build(create_view(table, [every_file(folder, name)] if files[name] else []))
    for name in OF_ONE_PUBLICATION:
        engine.build(f"CREATE MACRO {name}_of(publication) AS TABLE {_macro(TABLES[name], folder)}")


def gather(engine: Engine) -> None:
    """Hold the rows of `runs` and `cells` at hand while the index is made, in place of the views and for this connection alone.

    They have a hundred columns and a file a publication: two thousand files take five seconds to open, each time anew. The rows
    keep the order of their files, which digests are made over; sorting by it lays them close together.
    """
    for name in _GATHERED:
        placed = f"SELECT *, row_number() OVER () AS place FROM main.{name}"  # noqa: S608 - declared names
        engine.build(f"CREATE TEMP TABLE {name} AS SELECT * EXCLUDE (place) FROM ({placed}) ORDER BY place")  # noqa: S608 - as above


def lay_out(files: Mapping[str, Sequence[Path]], folder: Path) -> None:
    """Put the files of each publication, by their names, into a folder of its own below `folder`: the same bytes again."""
    for name in OF_ONE_PUBLICATION:
        for number, file in enumerate(files[name]):
            publication = folder / _APART / file.stem.rpartition("-")[0]
            publication.mkdir(parents=True, exist_ok=True)
            into = publication / f"{name}-{number}.parquet"
            try:
                os.link(file, into)
            except OSError:  # a disk without such links, or a file with too many
                shutil.copyfile(file, into)


def every_file(folder: Path, name: str) -> str:
    """Return the pattern of all files of a table: a view that lists 2,000 of them is read anew by each statement."""
    return f"{glob.escape(str(folder))}/tables/{name}/**/*.parquet"


def create_tables(engine: Engine) -> None:
    """Make `run`, `cell_task` and `cell`, and a table of `catalog`: a page must not read the file of every publication for it.

    A withheld cell has no score of any kind in `cell`, so that no page can show one. `is_ranked` says whether a cell stands in a
    ranked set, as shared/statistics decides it from the other columns; what a row says of itself does not make it ranked. Of
    reruns the newest is the one that was published last: restoring an older one makes it stand again, and no newer.
    """
    for statement in (*_CATALOG, RUN, CELL_TASK):
        engine.build(statement)
    engine.build(WITHHELD)
    for cell, reason in withheld_cells(engine).items():
        engine.build("INSERT INTO withheld VALUES (?, ?)", (cell, reason))
    for statement in CELL:
        engine.build(statement)
    engine.build(SET_RANKED, (_ranked(engine),))


def create_view(table: Table, files: Sequence[str]) -> str:
    """Return the statement that makes the view of a published table over `files`."""
    return f"CREATE VIEW {table.name} AS {_view(table, files)}"


def _ranked(engine: Engine) -> list[str]:
    rows = engine.rows(candidates(), seconds=BUILD_SECONDS)
    found = ranked_sets(
        Candidate(Cell(row["cell_id"], 0.0, {}), **{name: row[name] for name in Candidate._fields if name != "cell"})
        for row in rows
    )
    return [cell.cell_id for cells in found.values() for cell in cells]


def _view(table: Table, files: Sequence[str]) -> str:
    if not files:
        nothing = ", ".join(f"NULL::{_SQL_TYPES[column.kind]} AS {column.name}" for column in table.columns)
        return f"SELECT {nothing} WHERE false"
    listed = ", ".join(_quoted(file) for file in files)
    return f"SELECT {_columns(table)} FROM read_parquet([{listed}], hive_partitioning=false)"  # noqa: S608 - declared names, own paths


def _macro(table: Table, folder: Path) -> str:
    files = f"{_quoted(f'{glob.escape(str(folder))}/{_APART}/')} || publication || {_quoted(f'/{table.name}-*.parquet')}"
    return f"SELECT {_columns(table)} FROM read_parquet({files}, hive_partitioning=false)"  # noqa: S608 - declared names, own paths


def _columns(table: Table) -> str:
    return ", ".join(
        f"epoch_us({column.name}) AS {column.name}" if column.kind == "time" else column.name for column in table.columns
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_CATALOG: Final = (
    "CREATE TABLE catalog_table AS SELECT * FROM catalog ORDER BY sequence",
    "DROP VIEW catalog",
    "ALTER TABLE catalog_table RENAME TO catalog",
)
RUN: Final = "CREATE TABLE run AS SELECT * FROM runs ORDER BY run_id"
WITHHELD: Final = "CREATE TABLE withheld (cell_id VARCHAR, reason VARCHAR)"
SET_RANKED: Final = "UPDATE cell SET is_ranked = cell_id IN (SELECT unnest(?::VARCHAR[]))"
CELL_TASK: Final = """
CREATE TABLE cell_task AS
SELECT cell_id, task_name, task_digest, count(*) AS trials,
       count(*) FILTER (outcome = 'scored') AS scored,
       count(*) FILTER (outcome = 'agent_failed') AS agent_failed,
       count(*) FILTER (outcome = 'benchmark_failed') AS benchmark_failed,
       count(*) FILTER (outcome = 'infrastructure_exhausted') AS infrastructure_exhausted,
       count(*) FILTER (outcome IS NULL) AS unfinished,
       count(*) FILTER (passed) AS passed,
       fsum(CASE WHEN outcome = 'scored' THEN coalesce(reward, 0) ELSE 0 END) AS reward,
       var_samp(CASE WHEN outcome = 'scored' THEN coalesce(reward, 0) ELSE 0 END) AS variance,
       sum(attempts)::BIGINT AS attempts,
       avg(duration_seconds) AS mean_seconds, count(duration_seconds) AS timed
FROM trials GROUP BY ALL ORDER BY cell_id, task_name, task_digest
"""
_HIDDEN: Final = ", ".join(f"CASE WHEN w.reason IS NULL THEN c.{name} END AS {name}" for name in _SCORES)
_CELL: Final = """
CREATE TABLE cell AS
WITH newest AS (
  SELECT *, min(sequence) OVER (PARTITION BY publication_id, cell_id) AS published_sequence
  FROM catalog QUALIFY row_number() OVER (PARTITION BY publication_id, cell_id ORDER BY sequence DESC) = 1
), timed AS (
  SELECT cell_id, avg(duration_seconds) AS trial_seconds_mean, quantile_cont(duration_seconds, 0.5) AS trial_seconds_median
  FROM trials GROUP BY cell_id
), joined AS (
  SELECT c.* REPLACE ({hidden}), w.reason AS withheld, k.record, k.reason AS record_reason, k.replaced_by, k.recorded_at,
         k.sequence, k.published_sequence, k.dataset, k.dataset_revision, k.receipt_sha256, k.actor,
         t.trial_seconds_mean, t.trial_seconds_median
  FROM cells c JOIN newest k USING (publication_id, cell_id) LEFT JOIN withheld w ON w.cell_id = c.cell_id
       LEFT JOIN timed t ON t.cell_id = c.cell_id
)
SELECT *, record IN ('published', 'restored') AS stands,
       row_number() OVER (PARTITION BY cell_digest, role, record IN ('published', 'restored')
                          ORDER BY published_sequence DESC) = 1 AS is_newest
FROM joined ORDER BY cell_id
"""
CELL: Final = (_CELL.format(hidden=_HIDDEN), "ALTER TABLE cell ADD COLUMN is_ranked BOOLEAN")
"""Without who is ranked: SET_RANKED says that, with what shared/statistics decided."""
