"""What a run published, in a form in which two runs of one plan can be compared row by row.

Every published column counts but times and durations, generated ids (publication, wave and job), and digests and sizes of bytes
that carry times. A try that was really interrupted while it was under way is one row more in `attempts` (state `lost` after its
worker died, category `lost` after its trial host did) and counts in `attempts` and `failed_attempts`: such tries are set aside
here, and `lost` says how many there were. A wave that was lost has used up the ordinals that it held, begun or not, so each
trial's tries are numbered anew.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from runner.bootstrap import House
from runner.ports.stores.result_store import ResultStore
from runner.usecases.results.published_tables import read_whole_publication
from shared import paths
from shared.arrow import read_parquet
from shared.digests import Digest
from shared.documents.experiment.policy import Publishing
from shared.documents.receipt import Receipt
from shared.ids import PublicationId, RunId
from shared.tables.registry import TABLES

TIMED: Final = frozenset({"started_at", "finished_at", "completed_at", "submitted_at", "recorded_at", "duration_seconds"})
GENERATED: Final = frozenset({"publication_id", "wave_id", "job_id", "waves"})
OF_TIMED_BYTES: Final = frozenset(
    {"run_lock_sha256", "evidence_sha256", "bundle_sha256", "receipt_sha256", "control_commit", "sha256", "size_bytes"}
)
NAMED_BY_TRY: Final = frozenset({"metric_id", "artifact_id"})
LEFT_OUT: Final = TIMED | GENERATED | OF_TIMED_BYTES | NAMED_BY_TRY

type Row = dict[str, Any]


class Published(NamedTuple):
    """Comparable rows by table, and by trial how many tries were lost."""

    rows: Mapping[str, list[Row]]
    lost: Mapping[str, int]


def read_published(house: House, publishing: Publishing) -> Published:
    """Return what the one run of `house` published, set in order."""
    head = house.results.head(publishing.dataset)
    assert head is not None
    (publication,) = head.runs.values()
    whole = read_whole_publication(house.results, publishing.dataset, head, publication)
    tables = {name: _rows(columns) for name, columns in whole.rows.items()}
    attempts = tables["attempts"]
    lost_ids = {row["attempt_id"] for row in attempts if "lost" in {row["state"], row["category"]}}
    lost = Counter(row["trial_id"] for row in attempts if row["attempt_id"] in lost_ids)
    names = _names(row for row in attempts if row["attempt_id"] not in lost_ids)
    tables["attempts"] = [row for row in attempts if row["attempt_id"] not in lost_ids]
    for name in ("metrics", "artifacts"):
        tables[name] = [row for row in tables[name] if row["owner_id"] not in lost_ids]
    tables["catalog"] = _catalog(house, publishing.catalog)
    cells = Counter({row["cell_id"]: 0 for row in tables["cells"]})
    for row in tables["trials"]:
        cells[row["cell_id"]] += lost[row["trial_id"]]
    comparable = {name: [_comparable(name, row, names, lost, cells) for row in rows] for name, rows in tables.items()}
    return Published(comparable, dict(lost))


def differences(found: Published, expected: Published) -> list[str]:
    """Return where the comparable rows differ, one line a column."""
    lines = []
    for table, rows in expected.rows.items():
        mine = found.rows[table]
        if len(mine) != len(rows):
            lines.append(f"{table}: {len(mine)} rows, not {len(rows)}")
        for number, (row, other) in enumerate(zip(mine, rows, strict=False)):
            lines += [f"{table}[{number}].{key}: {row[key]!r}, not {other[key]!r}" for key in other if row[key] != other[key]]
    return lines


def _names(attempts: Iterable[Row]) -> dict[str, tuple[str, int]]:
    """Return, by attempt id, its trial and its number among the tries of that trial that were not lost."""
    counts: Counter[str] = Counter()
    names = {}
    for row in sorted(attempts, key=lambda row: (row["trial_id"], row["ordinal"])):
        counts[row["trial_id"]] += 1
        names[row["attempt_id"]] = (row["trial_id"], counts[row["trial_id"]])
    return names


def _comparable(
    table: str, row: Row, names: Mapping[str, tuple[str, int]], lost: Mapping[str, int], cells: Mapping[str, int]
) -> Row:
    kept = {name: value for name, value in row.items() if name not in LEFT_OUT}
    if table == "attempts":
        kept["ordinal"] = kept["attempt_id"] = names[row["attempt_id"]]
        kept["retry_reason"] = None if lost.get(row["trial_id"]) else row["retry_reason"]
    elif table == "trials":
        kept["selected_attempt_id"] = names.get(row["selected_attempt_id"])
        kept["attempts"] -= lost.get(row["trial_id"], 0)
    elif table in {"metrics", "artifacts"}:
        kept["owner_id"] = names[row["owner_id"]]
        if row.get("unit") in {"seconds", "s"}:
            kept["value"] = None
    elif table in {"cells", "runs"}:
        surplus = cells[row["cell_id"]] if table == "cells" else sum(cells.values())
        kept["attempts"] -= surplus
        kept["failed_attempts"] -= surplus
    return kept


def _catalog(house: House, catalog: str) -> list[Row]:
    head = house.results.head(catalog)
    assert head is not None
    files = [
        house.results.root / paths.check_relative(catalog) / file.path
        for file in head.files
        if file.path.startswith("tables/catalog/")
    ]
    return _rows(read_parquet(TABLES["catalog"], files))


def _rows(columns: Mapping[str, list[Any]]) -> list[Row]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def published_digests(store: ResultStore, dataset: str, run_id: RunId) -> dict[str, Digest]:
    """Return the table digests of the run's receipt in `dataset`."""
    head = store.head(dataset)
    assert head is not None
    receipt = Receipt.from_bytes(store.read(dataset, head, paths.receipt_file(PublicationId(head.runs[run_id]))))
    return {name: table.sha256 for name, table in receipt.tables.items()}
