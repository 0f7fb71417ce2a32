"""Putting together what a requester is shown: the publication as it would be made, without making it."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from shared.documents.shown import MAX_TRIALS, ShownRun, ShownTable
from shared.tables.published import PublishedRun
from shared.tables.registry import RESULT_TABLES, build_tables


def shown_run(facts: PublishedRun, dataset: str, catalog: str) -> ShownRun:
    """Return the document that shows what publishing `facts` would publish."""
    publication, rows, digests = build_tables(facts)
    tables = {
        name: ShownTable(rows=len(rows[name][table.key]), sha256=digests[name]) for name, (table, _) in RESULT_TABLES.items()
    }
    return ShownRun(
        run_id=facts.trace.run_id,
        publication_id=publication,
        dataset=dataset,
        catalog=catalog,
        run_lock_sha256=facts.trace.run_lock_sha256,  # type: ignore[arg-type]
        evidence_sha256=facts.trace.evidence_sha256,  # type: ignore[arg-type]
        tables=tables,
        runs=_rows(rows["runs"]),
        cells=_rows(rows["cells"]),
        trials=_rows(rows["trials"]),
    )


def _rows(columns: Mapping[str, Sequence[Any]]) -> tuple[dict[str, Any], ...]:
    names = list(columns)
    return tuple(dict(zip(names, values, strict=True)) for values in islice(zip(*columns.values(), strict=True), MAX_TRIALS))
