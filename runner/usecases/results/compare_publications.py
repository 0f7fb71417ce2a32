"""Comparing a publication with the one made anew: everything that is published of a run, not its tables alone.

Rows are compared by table digests that are recomputed from the published files; receipt, run lock, evidence root and statements
byte for byte; the catalog's record column by column, save those that depend on what was published before. Parquet bytes differ
between writers and mean nothing. Called by `results rebuild`.
"""

from collections.abc import Iterator
from typing import Any, Final

from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.publish_run import Publication
from runner.usecases.results.published_tables import read_catalog, read_whole_publication
from shared import paths
from shared.documents.revision import Revision
from shared.errors import SeawallError
from shared.ids import PublicationId, RunId

BY_ORDER: Final = frozenset({"sequence", "dataset_revision"})
"""Columns of a catalog record that say when it was published, not what."""


def differences(run_id: RunId, made: Publication, published: ResultStore, rebuilt: ResultStore) -> Iterator[str]:
    """Yield what of the published run `run_id` is not as `made` in `rebuilt`: (what, how)."""
    head, new = published.head(made.dataset), rebuilt.head(made.dataset)
    assert head is not None
    assert new is not None
    publication = head.runs[run_id]
    if publication != made.publication_id:
        yield f"{made.dataset}: published as {publication}, rebuilt as {made.publication_id}"
    try:
        receipt = read_whole_publication(published, made.dataset, head, publication).receipt
        for name, table in receipt.tables.items():
            if table.sha256 != made.digests[name]:
                yield f"{made.dataset}: table {name} has other rows"
        path = paths.receipt_file(PublicationId(publication))
        new_path = paths.receipt_file(PublicationId(made.publication_id))
        if published.read(made.dataset, head, path) != rebuilt.read(made.dataset, new, new_path):
            yield f"{made.dataset}: the receipt says something else"
    except SeawallError as error:
        yield f"{made.dataset}: {error.field}: {error.message}"
    try:
        yield from _catalog_differences(run_id, made, published, rebuilt)
    except SeawallError as error:
        yield f"{made.catalog}: {error.field}: {error.message}"


def _catalog_differences(run_id: RunId, made: Publication, published: ResultStore, rebuilt: ResultStore) -> Iterator[str]:
    head, new = published.head(made.catalog), rebuilt.head(made.catalog)
    assert new is not None
    if head is None or run_id not in head.runs:
        yield f"{made.catalog}: does not record the run"
        return
    old_proofs, new_proofs = _proofs_of(run_id, head), _proofs_of(run_id, new)
    for path in sorted(old_proofs ^ new_proofs):
        yield f"{made.catalog}: {path} is {'not published' if path in new_proofs else 'published and not rebuilt'}"
    for path in sorted(old_proofs & new_proofs):
        try:
            if published.read(made.catalog, head, path) != rebuilt.read(made.catalog, new, path):
                yield f"{made.catalog}: {path} has other bytes"
        except SeawallError as error:
            yield f"{made.catalog}: {path}: {error.message}"
    old_rows, new_rows = _records(published, made.catalog, head, run_id), _records(rebuilt, made.catalog, new, run_id)
    for cell in sorted(set(old_rows) ^ set(new_rows)):
        yield f"{made.catalog}: the record of {cell} is {'missing' if cell in new_rows else 'of no such cell'}"
    for cell in sorted(set(old_rows) & set(new_rows)):
        columns = [name for name, value in old_rows[cell].items() if value != new_rows[cell][name] and name not in BY_ORDER]
        if columns:
            yield f"{made.catalog}: the record of {cell} differs in {', '.join(columns)}"


def _proofs_of(run_id: RunId, revision: Revision) -> frozenset[str]:
    """Return the proofs of the run that `revision` lists: run lock, evidence root, statements."""
    names = (paths.lock_file(run_id), f"evidence/{run_id}-")
    return frozenset(file.path for file in revision.files if file.path.startswith(names))


def _records(store: ResultStore, catalog: str, head: Revision, run_id: RunId) -> dict[str, dict[str, Any]]:
    """Return the `published` records of the run's cells, by cell."""
    records = (row for row in read_catalog(store, catalog, head) if row["run_id"] == run_id and row["record"] == "published")
    return {str(row["cell_id"]): row for row in records}
