"""Table `artifacts`: one row per stored evidence file of an attempt: where it lies and its digest, never its content."""

import hashlib
from typing import Final

from shared.tables.published import PublishedRun
from shared.tables.rows import Rows, trace_columns
from shared.tables.schema import TRACE, Constant, Table, columns

TABLE: Final = Table(
    name="artifacts",
    version=1,
    grain="one stored evidence file of one owner",
    key="artifact_id",
    columns=(*TRACE, *columns("artifact_id owner_type owner_id kind path sha256 media_type size_bytes:i stored")),
)


def artifact_id(owner: str, path: str, sha256: str) -> str:
    """Return the id of the file `path` of `owner` with that content."""
    text = f"{owner}\0{path}\0{sha256}"
    return f"art-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def rows(run: PublishedRun, publication: str) -> Rows:
    """Return one row per artifact of every attempt of `run`."""
    attempts = [attempt for cell in run.cells for trial in cell.trials for attempt in trial.attempts]
    owners = [attempt.attempt_id for attempt in attempts for _ in attempt.artifacts]
    found = [artifact for attempt in attempts for artifact in attempt.artifacts]
    return {
        **trace_columns(run, TABLE, publication, len(found)),
        "artifact_id": [artifact_id(owner, file.path, file.sha256) for owner, file in zip(owners, found, strict=True)],
        "owner_type": Constant("attempt", len(found)),
        "owner_id": owners,
        "kind": [artifact.kind for artifact in found],
        "path": [artifact.path for artifact in found],
        "sha256": [artifact.sha256 for artifact in found],
        "media_type": [artifact.media_type for artifact in found],
        "size_bytes": [artifact.size_bytes for artifact in found],
        "stored": [artifact.stored for artifact in found],
    }
