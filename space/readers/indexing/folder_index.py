"""The index of a copied folder: every check of its files, then the database beside them. A large one is made apart.

That is in a process of its own. It takes a gigabyte and half a minute of work from nobody who reads meanwhile, and
what a hostile file does to it ends there. Its environment holds no secret; it ends when the process that waits for it is gone.

`python -m space.readers.indexing.folder_index FOLDER MIB` answers nothing, or {code, message} and exit code 3.
"""

import errno
import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Final

import duckdb

from shared.documents.receipt import Receipt
from shared.errors import BadInput
from shared.tables.registry import TABLES
from space.readers.engine import Engine
from space.readers.indexing import tables
from space.readers.indexing.checks import check_catalog, check_files, check_receipts, check_tables
from space.readers.indexing.measures import create_measures
from space.readers.indexing.values import check_places, check_values
from space.readers.mirror import Mirror, RevisionSet
from space.readers.ranks import store_large_editions
from space.readers.source import SCHEMA, TOO_LARGE, UNREACHABLE, SourceFault

APART_BYTES: Final = 8 << 20
APART_SECONDS: Final = 900.0
"""A process that was stopped, or reads a disk that answers nothing, keeps nobody from the next refresh."""
FAULT: Final = 3
_NICE: Final = 5
_PASSED_ON: Final = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "TMPDIR")
_ROOT: Final = Path(__file__).parents[3]
_log: Final = logging.getLogger(__name__)


def index(folder: Path, memory_mib: int) -> None:
    """Check the files of `folder` and write its database; raise SourceFault if a check fails, or what DuckDB says."""
    if sum(file.stat().st_size for file in folder.rglob("*.parquet")) < APART_BYTES:
        index_here(folder, memory_mib)
    else:
        index_apart(folder, memory_mib)


def index_here(folder: Path, memory_mib: int) -> None:
    """Do it in this process."""
    engine = Engine(folder, memory_mib, is_built=False)
    try:
        receipts = read_receipts(folder)
        files = {name: sorted((folder / "tables" / name).rglob("*.parquet")) for name in TABLES}
        check_files(engine, files)
        check_places(engine, folder)
        tables.lay_out(files, folder)
        tables.create_views(engine, files, folder)
        tables.gather(engine)
        check_values(engine)
        check_receipts(engine, receipts)
        check_catalog(engine, receipts)
        check_tables(engine, receipts)
        tables.create_tables(engine)
        create_measures(engine)
        store_large_editions(Mirror(RevisionSet(None), folder, engine, {}), engine)
    finally:
        engine.close()


def index_apart(folder: Path, memory_mib: int) -> None:
    """Do it in a process of its own."""
    environment = {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | {"PYTHONPATH": str(_ROOT)}
    command = [sys.executable, "-P", "-m", __name__, str(folder), str(memory_mib)]
    its_stdin, ours = os.pipe()  # Nothing is written: it ends when we are gone.
    try:
        ended = subprocess.run(command, env=environment, stdin=its_stdin, capture_output=True, check=False, timeout=APART_SECONDS)
    except subprocess.TimeoutExpired:
        raise SourceFault(UNREACHABLE, f"checking the published files did not end in {APART_SECONDS:g} s") from None
    finally:
        os.close(its_stdin)
        os.close(ours)
    if ended.returncode == FAULT:
        raise SourceFault(**json.loads(ended.stdout))
    if ended.returncode:
        _log.error("checking the published files ended with %d: %s", ended.returncode, ended.stderr.decode(errors="replace"))
        code = TOO_LARGE if ended.returncode < 0 else UNREACHABLE
        raise SourceFault(code, f"checking the published files ended with exit code {ended.returncode}")


def read_receipts(folder: Path) -> list[Receipt]:
    """Return the receipts that were copied into `folder`."""
    return [Receipt.from_bytes(file.read_bytes()) for file in sorted((folder / "publications").rglob("*.json"))]


def fault_of(error: BadInput | duckdb.Error) -> SourceFault:
    """Return what it says of the source that a document or a table could not be read."""
    code = TOO_LARGE if isinstance(error, duckdb.OutOfMemoryException) else SCHEMA
    if isinstance(error, duckdb.IOException) and os.strerror(errno.ENOSPC) in str(error):
        code = UNREACHABLE  # the disk here is full, which says nothing of the source
    return SourceFault(code, str(error).splitlines()[0][:300])


def main(folder: str, memory_mib: str) -> int:
    """Index `folder` and return the exit code."""
    os.nice(_NICE)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        index_here(Path(folder), int(memory_mib))
    except (SourceFault, BadInput, duckdb.Error) as error:
        fault = error if isinstance(error, SourceFault) else fault_of(error)
        sys.stdout.write(json.dumps({"code": fault.code, "message": fault.message}))
        return FAULT
    return 0


def _end_with_parent() -> None:
    """Wait for the end of what the parent writes, which is nothing: it has ended, and nobody wants the index."""
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
