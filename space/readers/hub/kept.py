"""Files that were downloaded before, by their SHA-256: a mirror of the next revision downloads what is new, not everything again.

A kept file shares its bytes with the mirrors that hold it, so it costs no room of its own while one does; `sweep` deletes those
that no mirror holds any more. What is taken is hashed again.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from shared.documents.revision import RevisionFile


class KeptFiles:
    """The files in `folder`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder: Final = folder

    def take(self, file: RevisionFile, into: Path) -> bool:
        """Put the kept bytes of `file` at `into`; False where there are none, or others than it lists."""
        kept = self._folder / file.sha256
        try:
            with kept.open("rb") as read:
                is_same = (hashlib.file_digest(read, "sha256").hexdigest(), kept.stat().st_size) == (file.sha256, file.size)
            if is_same:
                os.link(kept, into)
                return True
            kept.unlink(missing_ok=True)
        except FileExistsError:
            raise
        except OSError:
            return False
        return False

    def keep(self, file: RevisionFile, at: Path) -> None:
        """Keep the verified bytes that lie at `at`; where that cannot be, nothing is kept."""
        with suppress(OSError):
            os.link(at, self._folder / file.sha256)

    def sweep(self) -> None:
        """Delete what no mirror holds."""
        for kept in self._folder.iterdir():
            with suppress(OSError):
                if kept.stat().st_nlink == 1:
                    kept.unlink()
