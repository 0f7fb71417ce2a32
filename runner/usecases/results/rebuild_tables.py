"""Rebuild published tables from evidence and control log alone, into an empty folder, and say whether they are the same."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.publish_run import Publication
from shared import paths
from shared.digests import Digest
from shared.documents.receipt import Receipt
from shared.ids import PublicationId, RunId


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """One rebuilt run: its publication there, and whether the published one has equal tables (None: not published)."""

    run_id: RunId
    publication_id: str
    is_equal: bool | None


def rebuild_tables(
    runs: Iterable[tuple[RunId, str]], publish: Callable[[RunId], Publication], published: ResultStore
) -> list[Rebuilt]:
    """Publish every (run, dataset) of `runs` anew with `publish` and compare its digests with those in `published`."""
    found = []
    for run_id, dataset in runs:
        made = publish(run_id)
        before = published_digests(published, dataset, run_id)
        found.append(Rebuilt(run_id, made.publication_id, None if before is None else before == dict(made.digests)))
    return found


def published_digests(store: ResultStore, dataset: str, run_id: RunId) -> dict[str, Digest] | None:
    """Return the table digests of the run's receipt in `dataset`, or None if it is not published there."""
    head = store.head(dataset)
    publication = head.runs.get(run_id) if head else None
    if head is None or publication is None:
        return None
    receipt = Receipt.from_bytes(store.read(dataset, head, paths.receipt_file(PublicationId(publication))))
    return {name: table.sha256 for name, table in receipt.tables.items()}
