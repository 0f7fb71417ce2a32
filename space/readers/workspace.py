"""The folder that a Space keeps its mirrors in: its own while it lives, deleted when it ends, or by the next start after a kill.

Beside the folder lies a lock file of the same name that the process holds as long as it lives; the kernel lets go of it however
the process ends. Who starts deletes every such folder whose lock nobody holds, and leaves those of living neighbours alone.
"""

import fcntl
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Final

PREFIX: Final = "seawall-mirrors-"
_LOCK: Final = ".lock"


class Workspace:
    """An empty folder below `parent`, which is the system's temporary folder unless given."""

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or Path(tempfile.gettempdir())
        _sweep(parent)
        lock, folder = _claim(parent)
        self.folder: Final = folder
        self._end = weakref.finalize(self, _release, lock, folder)

    def close(self) -> None:
        """Delete the folder; a second call does nothing."""
        self._end()


def _claim(parent: Path) -> tuple[int, Path]:
    """Return a held lock and the new folder beside it; begins anew if a neighbour swept the lock before it was held."""
    while True:
        lock, name = tempfile.mkstemp(prefix=PREFIX, suffix=_LOCK, dir=parent)
        if _hold(lock, Path(name)):
            folder = Path(name).with_suffix("")
            folder.mkdir(mode=0o700)
            return lock, folder
        os.close(lock)


def _hold(lock: int, path: Path) -> bool:
    """Lock the open file `lock` if nobody holds it and it still lies at `path`."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(lock), path.lstat())
    except OSError:
        return False


def _sweep(parent: Path) -> None:
    for path in parent.glob(f"{PREFIX}*{_LOCK}"):
        try:
            lock = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # somebody else's, or gone
        if os.fstat(lock).st_uid == os.geteuid() and _hold(lock, path):
            _release(lock, path.with_suffix(""))
        else:
            os.close(lock)


def _release(lock: int, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.with_suffix(_LOCK).unlink(missing_ok=True)
    os.close(lock)
