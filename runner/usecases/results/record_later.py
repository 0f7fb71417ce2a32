"""Later records of a catalog: a run was kept private, a publication was withdrawn; each once, however often it is asked for.

A record is found again by the id that its file is named by, which follows from what it is about. Nothing of an earlier revision
changes. Called by the publishing job.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runner.domain.yields import declare, reach
from runner.ports.stores.answers import Unknown
from runner.ports.stores.result_store import ResultStore, not_committed
from runner.usecases.results.published_tables import read_catalog
from shared import paths
from shared.arrow import write_parquet
from shared.documents.revision import Revision
from shared.errors import Refused
from shared.ids import PublicationId, RunId, private_record_id, withdrawal_record_id
from shared.tables import catalog
from shared.tables.rows import Row, Rows

BEFORE_RECORD: Final = declare("publish.before_record", "recording, what is to be said is known, the catalog does not say it")
AFTER_RECORD: Final = declare("publish.after_record", "recording, the catalog says it, nobody was told")
COMMIT_TRIES: Final = 20
PRIVATE_PLACE: Final = "private"
"""Stands where a file's benchmark is named: a private record names none."""


@dataclass(frozen=True, slots=True)
class RecordWorld:
    """Where a record is written, and when."""

    store: ResultStore
    catalog: str
    now: str


def is_recorded(head: Revision | None, record: PublicationId) -> bool:
    """Tell whether the catalog revision `head` has the later record `record`."""
    return head is not None and any(f"/{record}-" in file.path for file in head.files if file.path.startswith("tables/catalog/"))


def keep_private(run_id: RunId, cell_digests: Sequence[str], at_micros: int, world: RecordWorld) -> Revision:
    """Record that the cells of `run_id` were kept private; the record says their digests and the time alone."""
    record = private_record_id(run_id)

    def rows(_head: Revision | None, first: int) -> Rows:
        return catalog.private_rows(cell_digests, first_sequence=first, at_micros=at_micros)

    return _record(record, PRIVATE_PLACE, rows, world, "record cells that were kept private")


def withdraw(publication: str, actor: str, reason: str, at_micros: int, world: RecordWorld) -> Revision:
    """Record that every cell of `publication` is withdrawn; raise Refused NOT_PUBLISHED if the catalog does not have it."""
    record = withdrawal_record_id(publication)

    def rows(head: Revision | None, first: int) -> Rows:
        records = [_at_newest(world, record) for record in _newest(world, head, publication)]
        return catalog.withdrawn_rows(records, first_sequence=first, at_micros=at_micros, actor=actor, reason=reason)

    benchmark = str(_newest(world, world.store.head(world.catalog), publication)[0]["benchmark"])
    return _record(record, benchmark, rows, world, f"withdraw {publication}")


def _at_newest(world: RecordWorld, record: Row) -> Row:
    """Return `record` naming the revision of its dataset that stands now.

    Readers take the revision of a dataset's newest record. An older one would hide what was published since; this one is read
    after the catalog's head, so every publication that the head records is in it.
    """
    head = world.store.head(record["dataset"])
    return record if head is None else {**record, "dataset_revision": str(head.number)}


def _newest(world: RecordWorld, head: Revision | None, publication: str) -> list[Row]:
    """Return the newest record of each cell of `publication`."""
    found: dict[str, Row] = {}
    for row in read_catalog(world.store, world.catalog, head) if head is not None else ():
        known = found.get(row["cell_id"])
        if row["publication_id"] == publication and (known is None or known["sequence"] < row["sequence"]):
            found[row["cell_id"]] = row
    if not found:
        raise Refused("NOT_PUBLISHED", f"{world.catalog} has no record of {publication}", way_out="`results list` shows them.")
    return list(found.values())


def _record(
    record: PublicationId, place: str, rows: Callable[[Revision | None, int], Rows], world: RecordWorld, because: str
) -> Revision:
    reach(BEFORE_RECORD)
    for _ in range(COMMIT_TRIES):
        head = world.store.head(world.catalog)
        if head is not None and is_recorded(head, record):
            return head
        found = rows(head, (head.rows if head else 0) + 1)
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "catalog.parquet"
            write_parquet(catalog.TABLE, found, file)
            answer = world.store.commit(
                world.catalog,
                head,
                # The number is the next revision's: a killed writer's file, never listed, is not taken for this one.
                {paths.table_file("catalog", place, record, (head.number if head else 0) + 1): file},
                kind="catalog",
                runs={},
                rows=len(found["sequence"]),
                because=because,
                created_at=world.now,
            )
        if isinstance(answer, Revision):
            reach(AFTER_RECORD)
            return answer
        if isinstance(answer, Unknown) and answer.is_full:
            break
    raise not_committed(world.catalog, answer)
