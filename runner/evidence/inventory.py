"""What the files of an attempt are called, which of them lie loose in the bundle, and how large they may be.

Kinds come from the path alone. Harbor's whole tree goes into the archive; only what people and programs open often (result, lock,
trajectory, session) also lies loose. Everything outside Harbor's tree is ours and lies loose.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from shared import paths
from shared.documents.evidence.bundle import Marker

HARBOR: Final = "harbor/"
RESULT: Final = "harbor/result.json"
RESERVED: Final = frozenset({paths.ARCHIVE, paths.INVENTORY, paths.CHECKSUMS, *Marker})

type _Predicate = Callable[[PurePosixPath], bool]


@dataclass(frozen=True)
class SealLimits:
    """Bytes of one file and of one attempt, before redaction."""

    max_file_bytes: int = 64 << 20
    max_attempt_bytes: int = 512 << 20


def kind_of(path: str) -> str:
    """Return the kind of the file at `path` of an attempt."""
    exact = _EXACT.get(path)
    if exact:
        return exact
    if not path.startswith(HARBOR):
        return "other"
    pure = PurePosixPath(path)
    return next((kind for kind, holds in _PREDICATES if holds(pure)), "other")


def is_loose(path: str, kind: str) -> bool:
    """Tell whether the file lies loose in the bundle."""
    return not path.startswith(HARBOR) or kind in _LOOSE


_EXACT: Final = {
    paths.ATTEMPT: "attempt",
    "manifest.yaml": "manifest",
    paths.EVENTS: "events",
    "harbor.log": "harbor_log",
    "provider-requests.jsonl": "provider_requests",
    RESULT: "result",
    "harbor/lock.json": "lock",
    "harbor/config.json": "config",
}
_PREDICATES: Final[tuple[tuple[str, _Predicate], ...]] = (
    ("verifier", lambda path: "verifier" in path.parts[:-1]),
    ("artifact", lambda path: "artifacts" in path.parts[:-1]),
    ("trajectory", lambda path: path.name.startswith("trajectory") and path.suffix == ".json"),
    (
        "session",
        lambda path: path.suffix in {".json", ".jsonl"} and ("sessions" in path.parts or path.stem.startswith("session")),
    ),
    ("log", lambda path: path.suffix in {".log", ".txt", ".cast"}),
    ("agent", lambda path: "agent" in path.parts[:-1]),
)
_LOOSE: Final = frozenset({"result", "lock", "trajectory", "session"})
