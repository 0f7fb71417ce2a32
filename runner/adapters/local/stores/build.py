"""The build of a local installation: the digest of the code that workers start from, measured over the checkout's own files."""

from functools import cache
from pathlib import Path
from typing import Final

from shared.digests import Digest, Json, digest_of, sha256

PACKAGES: Final = ("runner", "shared")
LOCKS: Final = ("pyproject.toml", "uv.lock")


@cache
def build_digest(checkout: Path) -> Digest:
    """Return the digest of every Python file of `runner` and `shared` and of the lock."""
    files = [checkout / name for name in LOCKS]
    for package in PACKAGES:
        files += sorted((checkout / package).rglob("*.py"))
    listed: list[Json] = [[file.relative_to(checkout).as_posix(), sha256(file.read_bytes())] for file in files if file.is_file()]
    return digest_of(listed)
