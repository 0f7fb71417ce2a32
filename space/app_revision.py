"""Which app this is: a digest over its own files, its licence, and the versions of what it reads; stands below every page.

A Space may be a plain copy without any history, so the revision is what the files themselves say: equal files, equal revision.
"""

from functools import cache
from pathlib import Path
from typing import Final

from shared import versions
from shared.digests import Json, digest_of, sha256
from shared.tables.registry import TABLES

LICENCE: Final = "Apache-2.0"
_ROOT: Final = Path(__file__).parents[1]
_KINDS: Final = frozenset({".py", ".css", ".js"})


@cache
def app_revision(root: Path = _ROOT) -> str:
    """Return the digest over every source file of the Space below `root`, by path."""
    files = sorted(path for house in ("space", "shared") for path in (root / house).rglob("*") if path.suffix in _KINDS)
    found: dict[str, Json] = {path.relative_to(root).as_posix(): sha256(path.read_bytes()) for path in files}
    return digest_of(found)


def schema_versions() -> str:
    """Return the versions of the published tables, of their publication and of the statistics, as text."""
    tables = sorted({table.version for table in TABLES.values()})
    return (
        f"tables {', '.join(str(version) for version in tables)}; publication {versions.PUBLICATION_CONTRACT}; "
        f"statistics {versions.STATISTICS}"
    )
