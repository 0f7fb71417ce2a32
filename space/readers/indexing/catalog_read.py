"""Which revision of every dataset a catalog names, read before anything else is known of it: in little memory, or refused.

A small file may hold texts that grow to any size; so the engine reads it, whose memory is bounded, and no text becomes a Python
value before its length is known.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from shared.tables.registry import TABLES
from space.readers.engine import Engine
from space.readers.indexing.checks import check_files
from space.readers.indexing.tables import create_view, every_file
from space.readers.source import SCHEMA, TOO_LARGE, SourceFault

MEMORY_MIB: Final = 256
MAX_NAME: Final = 200
MAX_DATASETS: Final = 500
"""A source asks for each of them at every refresh."""


def newest_revisions(folder: Path) -> Mapping[str, str]:
    """Return the revision that the newest record of each dataset names, by dataset; raise SourceFault, or what DuckDB says."""
    files = {"catalog": sorted((folder / "tables/catalog").rglob("*.parquet"))}
    engine = Engine(folder, MEMORY_MIB, is_built=False)
    try:
        check_files(engine, files)
        engine.build(create_view(TABLES["catalog"], [every_file(folder, "catalog")] if files["catalog"] else []))
        [(longest, datasets)] = engine.build(_SIZES)
        if (longest or 0) > MAX_NAME:
            raise SourceFault(SCHEMA, f"a catalog record names a dataset or a revision in more than {MAX_NAME} characters")
        if datasets > MAX_DATASETS:
            raise SourceFault(TOO_LARGE, f"the catalog names {datasets} datasets, more than {MAX_DATASETS}")
        return dict(engine.build(_NEWEST))
    finally:
        engine.close()


_SIZES: Final = """
SELECT greatest(max(strlen(dataset)), max(strlen(dataset_revision))), count(DISTINCT dataset) FROM catalog WHERE dataset <> ''
"""
_NEWEST: Final = "SELECT dataset, arg_max(dataset_revision, sequence) FROM catalog WHERE dataset <> '' GROUP BY 1 ORDER BY 1"
