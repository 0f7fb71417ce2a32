"""What of this machine can change an outcome: its release, its processor, and a digest of the packages that are installed."""

import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

from shared.digests import Digest, Json, sha256


@cache
def host_facts() -> dict[str, Json]:
    """Return what of this machine can change an outcome: release, processor, and the digest of installed packages."""
    return {
        "host_release": _release(),
        "host_packages_sha256": _packages(),
        "machine": platform.machine(),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def _release() -> str:
    try:
        fields = platform.freedesktop_os_release()
    except OSError:
        return platform.system()
    return f"{fields.get('ID', 'linux')} {fields.get('VERSION_ID', 'unknown')}"


def _packages() -> Digest:
    """Return the digest of names and versions of what the system's package manager installed."""
    status = Path("/var/lib/dpkg/status")
    if status.is_file():
        wanted = ("Package: ", "Version: ")
        with status.open(encoding="utf-8", errors="replace") as lines:
            return sha256("".join(line for line in lines if line.startswith(wanted)).encode())
    try:
        rpm = shutil.which("rpm") or "/usr/bin/rpm"
        listed = subprocess.run([rpm, "-qa"], capture_output=True, check=True, timeout=60).stdout
        return sha256(b"\n".join(sorted(listed.splitlines())))
    except (OSError, subprocess.SubprocessError):
        return sha256(platform.platform().encode())
