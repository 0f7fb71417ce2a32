"""Every remote path is built and checked here, so that two modules never spell one place differently.

Paths are relative POSIX text inside a store: the object store, the evidence store, the log's documents, a results Dataset.
The layouts are those of docs/map.md, "Where things lie". `check_relative` is the one rule for a path that comes from outside
(a manifest, an archive, a bundle): relative, NFC, at most 512 bytes and 32 parts, no empty, `.`, `..`, backslash, NUL or
control part.
"""

import unicodedata
from typing import Final

from shared.digests import Digest
from shared.ids import AttemptId, CellId, PublicationId, RequestId, RunId, TrialId, WaveId, wave_id

MAX_PATH_BYTES: Final = 512
MAX_PATH_PARTS: Final = 32

CHECKSUMS: Final = "checksums.json"
RUN_LOCK: Final = "run.lock.json"
RUN_SUMMARY: Final = "run-summary.json"
WAVE_LOCK: Final = "wave.lock.json"
WAVE_SUMMARY: Final = "wave-summary.json"
CELL_SUMMARY: Final = "cell-summary.json"
TRIAL_SUMMARY: Final = "trial-summary.json"
ATTEMPT: Final = "attempt.json"
INVENTORY: Final = "private-artifacts.json"
ARCHIVE: Final = "artifacts.tar.gz"
EVENTS: Final = "events.jsonl"
RUNTIME_ENVIRONMENT: Final = "runtime-environment.json"
IMPORT: Final = "import.json"
CURRENT: Final = "current.json"
REQUESTS: Final = "requests"
STATUS_INDEX: Final = "status/index.json"


def run_prefix(run: RunId) -> str:
    """Return where the evidence of `run` lies."""
    return f"runs/{run}"


def wave_prefix(run: RunId, wave: WaveId) -> str:
    """Return where the evidence of `wave` lies."""
    return f"{run_prefix(run)}/waves/{wave}"


def import_record(run: RunId) -> str:
    """Return where the record of an import lies; a run of ours has none."""
    return f"{wave_prefix(run, wave_id(run, 1))}/{IMPORT}"


def progress_segment(run: RunId, wave: WaveId, number: int) -> str:
    """Return the path of the `number`-th progress segment (from 1) of `wave`."""
    return f"{wave_prefix(run, wave)}/progress/{number:06d}.jsonl"


def cell_prefix(run: RunId, cell: CellId) -> str:
    """Return where the evidence of `cell` lies."""
    return f"{run_prefix(run)}/cells/{cell}"


def trial_prefix(run: RunId, cell: CellId, trial: TrialId) -> str:
    """Return where the evidence of `trial` lies."""
    return f"{cell_prefix(run, cell)}/trials/{trial}"


def attempt_prefix(run: RunId, cell: CellId, trial: TrialId, attempt: AttemptId) -> str:
    """Return where the bundle of `attempt` lies."""
    return f"{trial_prefix(run, cell, trial)}/attempts/{attempt}"


def evidence_statements(run: RunId, number: int) -> str:
    """Return the path of the `number`-th file (from 1) of evidence statements of `run`."""
    return f"{run_prefix(run)}/evidence-statements-{number:03d}.jsonl"


def object_path(digest: Digest) -> str:
    """Return where the object with `digest` lies in the object store."""
    return f"objects/{digest[:2]}/{digest}"


def table_file(table: str, benchmark: str, publication: PublicationId, number: int) -> str:
    """Return the path of one Parquet file of a publication inside its results Dataset."""
    return f"tables/{table}/benchmark={benchmark}/{publication}-{number:03d}.parquet"


def receipt_file(publication: PublicationId) -> str:
    """Return the path of a publication's receipt inside its results Dataset."""
    return f"publications/{publication}.json"


def revision_file(number: int) -> str:
    """Return the path of the immutable list of the files of revision `number` (from 1)."""
    return f"revisions/{number}.json"


def lock_file(run: RunId) -> str:
    """Return the path of a published run lock inside the catalog Dataset."""
    return f"locks/{run}.json"


def published_checksums(run: RunId) -> str:
    """Return the path of a published evidence root (the run root's checksums.json) inside the catalog Dataset."""
    return f"evidence/{run}-checksums.json"


def published_statements(run: RunId, number: int) -> str:
    """Return the path of a published file of evidence statements inside the catalog Dataset."""
    return f"evidence/{run}-{number:03d}.jsonl"


def shown_run(run: RunId) -> str:
    """Return where the evidence store keeps what the requester of `run` is shown before deciding."""
    return f"shown/{run}.json"


def request_file(request: RequestId) -> str:
    """Return where a request waits in an inbox Dataset."""
    return f"{REQUESTS}/{request}.json"


def status_file(kind: str, name: str) -> str:
    """Return where the status document of a subject lies in a control Dataset."""
    return f"status/{kind}/{name}.json"


def check_relative(path: str) -> str:
    """Return `path` if it is a safe relative path, else raise ValueError naming the rule that it breaks."""
    if not path or len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        raise ValueError(f"expected a path of 1 to {MAX_PATH_BYTES} bytes")
    if unicodedata.normalize("NFC", path) != path:
        raise ValueError("expected a path in Unicode normal form C")
    parts = path.split("/")
    if len(parts) > MAX_PATH_PARTS:
        raise ValueError(f"expected at most {MAX_PATH_PARTS} path parts")
    for part in parts:
        if part in {"", ".", ".."}:
            raise ValueError("expected a relative path without empty, '.' or '..' parts")
    if "\\" in path or _has_control(path):
        raise ValueError("expected a path without backslash, NUL or control characters")
    return path


def _has_control(path: str) -> bool:
    if path.isascii():
        return not path.isprintable()
    return any(unicodedata.category(character) in {"Cc", "Cs"} for character in path)
