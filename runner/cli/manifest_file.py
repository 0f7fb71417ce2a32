"""Reading the manifest that a person names: a regular file of a manifest's size, or an error that says what it is instead.

A pipe or a device would be waited for without end, and a huge file would be read whole before its size is refused.
"""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from shared.documents.yaml_reader import MAX_BYTES
from shared.errors import BadInput


def read_manifest_file(path: Path) -> bytes:
    """Return the bytes of the manifest at `path`; raise BadInput `MANIFEST_MISSING` or `MANIFEST_NO_FILE`."""
    try:
        with open(path, "rb", opener=_without_waiting) as stream:
            return _read(stream, path)
    except OSError as error:
        raise BadInput(
            "MANIFEST_MISSING",
            f"cannot read {path}: {error.strerror}",
            field="MANIFEST",
            way_out="Name a manifest file, for example benchmarks/starter.yaml.",
        ) from error
    except ValueError:
        raise BadInput(
            "MANIFEST_MISSING",
            "a path cannot hold a NUL character",
            field="MANIFEST",
            way_out="Name a manifest file, for example benchmarks/starter.yaml.",
        ) from None


def _without_waiting(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NONBLOCK)


def _read(stream: BinaryIO, path: Path) -> bytes:
    status = os.fstat(stream.fileno())
    if not stat.S_ISREG(status.st_mode):
        way_out = "Write the manifest to a file and name that."
        raise BadInput("MANIFEST_NO_FILE", f"{path} is no regular file", field="MANIFEST", way_out=way_out)
    if status.st_size > MAX_BYTES:
        message = f"{path} has {status.st_size} bytes, a manifest at most {MAX_BYTES}"
        raise BadInput("MANIFEST_NO_FILE", message, field="MANIFEST", way_out="Name the manifest, not its data.")
    # One byte more than may be, so that a file that grows meanwhile is refused by the reader and not cut.
    return stream.read(MAX_BYTES + 1)
