"""Goldens: files that others read, compared byte for byte; SEAWALL_GOLDEN=refresh writes them anew."""

import os
from pathlib import Path


def check_golden(path: Path, found: bytes) -> None:
    """Assert that `path` holds `found`, or write it when goldens are being refreshed."""
    if os.environ.get("SEAWALL_GOLDEN") == "refresh":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(found)
    expected = path.read_bytes() if path.exists() else b""
    assert found == expected, f"{path.name} differs; if that is meant, run make golden and review the difference"
