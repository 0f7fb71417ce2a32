"""The list of published tables; a new table is one file and one line here."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from shared.digests import Digest, digest_of
from shared.tables import artifacts, attempts, catalog, cells, metrics, runs, trials
from shared.tables.canonical import table_digest
from shared.tables.published import PublishedRun
from shared.tables.rows import Rows
from shared.tables.schema import Constant, Table
from shared.versions import PUBLICATION_CONTRACT

RESULT_TABLES: Final[Mapping[str, tuple[Table, Callable[[PublishedRun, str], Rows]]]] = {
    module.TABLE.name: (module.TABLE, module.rows) for module in (runs, cells, trials, attempts, metrics, artifacts)
}
TABLES: Final[Mapping[str, Table]] = {**{name: table for name, (table, _) in RESULT_TABLES.items()}, "catalog": catalog.TABLE}


def build_tables(run: PublishedRun) -> tuple[str, dict[str, Rows], dict[str, Digest]]:
    """Return publication id, rows by table and table digests of `run`; equal facts always give equal three."""
    with _collector_paused():
        rows = {name: build(run, "") for name, (_, build) in RESULT_TABLES.items()}
    digests = {name: table_digest(RESULT_TABLES[name][0], found) for name, found in rows.items()}
    publication = publication_id(run.trace.run_lock_sha256, run.trace.evidence_sha256, digests)
    for found in rows.values():
        found["publication_id"] = Constant(publication, len(found["publication_id"]))
    return publication, rows, digests


def publication_id(run_lock_sha256: str, evidence_sha256: str, digests: Mapping[str, Digest]) -> str:
    """Return the identity of a publication: contract version, run lock, evidence root and table digests."""
    identity = digest_of([PUBLICATION_CONTRACT, run_lock_sha256, evidence_sha256, dict(digests)])
    return f"pub-{identity[:32]}"


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cycle collector: rows hold no cycles, and walking them again and again costs a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
