"""How a mirror is built: catalog first, then every dataset at the revision its newest record names; copy, check, index.

Everything is copied into a folder ending in `.partial` first, so a killed build leaves nothing that could be served; whatever
fails later deletes what it made. Only tables and receipts are copied, run locks and statements are not read here.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Final

import duckdb

from shared.documents.revision import RevisionFile
from shared.errors import BadInput
from space.readers.engine import Engine
from space.readers.indexing.catalog_read import newest_revisions
from space.readers.indexing.folder_index import fault_of, index, read_receipts
from space.readers.mirror import Mirror, RevisionSet
from space.readers.ranks import decide_large_editions
from space.readers.source import TOO_LARGE, Head, Source, SourceFault

MAX_FILE_BYTES: Final = 64 << 20
MAX_BYTES: Final = 4 << 30


def revisions_of(source: Source, catalog: Head | None, scratch: Path) -> RevisionSet:
    """Return the revision set that `catalog`, the newest or an earlier one, names; its own files are read in `scratch`."""
    if catalog is None:
        return RevisionSet(None)
    shutil.rmtree(scratch, ignore_errors=True)
    files = _wanted(catalog, "tables/catalog/")
    _check_size(files)
    scratch.mkdir(parents=True)
    try:
        for file in files:
            source.fetch(catalog, file, scratch / file.path)
        newest = newest_revisions(scratch)
    except duckdb.Error as error:
        raise fault_of(error) from None
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return RevisionSet(catalog, {dataset: source.at(dataset, revision) for dataset, revision in newest.items()})


def build_mirror(source: Source, revisions: RevisionSet, root: Path, memory_mib: int) -> Mirror:
    """Copy, check and index `revisions` below `root`; raise SourceFault and leave nothing behind if a check fails."""
    root.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=root, prefix=f"{revisions.identity[:32]}-", suffix=".partial"))
    final = partial.with_suffix("")  # a name of its own: an older mirror of the same revisions may still be read
    engine = None
    try:
        _copy(source, revisions, partial)
        partial.rename(final)
        index(final, memory_mib)
        engine = Engine(final, memory_mib)
        mirror = Mirror(revisions, final, engine, {receipt.publication_id: receipt for receipt in read_receipts(final)})
        decide_large_editions(mirror)
    except BaseException as error:
        if engine is not None:
            engine.close()
        shutil.rmtree(partial, ignore_errors=True)
        shutil.rmtree(final, ignore_errors=True)
        if isinstance(error, BadInput | duckdb.Error):
            raise fault_of(error) from error
        raise
    return mirror


def _copy(source: Source, revisions: RevisionSet, into: Path) -> None:
    heads = [*([revisions.catalog] if revisions.catalog else []), *revisions.datasets.values()]
    wanted = [(head, file) for head in heads for file in _wanted(head, "tables/", "publications/")]
    _check_size([file for _, file in wanted])
    for head, file in wanted:
        source.fetch(head, file, into / file.path)


def _wanted(head: Head, *prefixes: str) -> list[RevisionFile]:
    return [file for file in head.revision.files if file.path.startswith(prefixes)]


def _check_size(files: list[RevisionFile]) -> None:
    large = next((file for file in files if file.size > MAX_FILE_BYTES), None)
    if large is not None:
        raise SourceFault(TOO_LARGE, f"{large.path} is larger than {MAX_FILE_BYTES >> 20} MiB")
    if sum(file.size for file in files) > MAX_BYTES:
        raise SourceFault(TOO_LARGE, f"the published files are larger than {MAX_BYTES >> 30} GiB together")
