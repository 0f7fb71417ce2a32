"""A Space's folder of mirrors goes with the Space, however that ends."""

import subprocess
import sys
import threading
from pathlib import Path

from space.readers.workspace import PREFIX, Workspace

_HOLD = """
import sys, threading
from pathlib import Path
from space.readers.workspace import Workspace
kept = Workspace(Path(sys.argv[1]))
(kept.folder / "mirror").mkdir()
print(kept.folder, flush=True)
threading.Event().wait(60)
"""


def test_a_folder_of_its_own_that_goes_with_it(tmp_path: Path) -> None:
    """Closing deletes folder and lock; closing twice is once."""
    made = Workspace(tmp_path)
    assert made.folder.is_dir()
    (made.folder / "mirror").mkdir()
    made.close()
    made.close()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_space_left_is_deleted_at_the_next_start(tmp_path: Path) -> None:
    """SIGKILL runs no clean-up; the next start does it, and spares the living."""
    living = Workspace(tmp_path)
    killed = subprocess.Popen([sys.executable, "-c", _HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    left = Path(killed.stdout.readline().strip())
    killed.kill()
    killed.wait(20)
    killed.stdout.close()
    assert (left / "mirror").is_dir()
    started = Workspace(tmp_path)
    assert not left.exists()
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == sorted([living.folder.name, started.folder.name])
    living.close()
    started.close()


def test_what_is_not_a_left_workspace_stays(tmp_path: Path) -> None:
    """A folder without a lock, and a link in the place of a lock."""
    (tmp_path / f"{PREFIX}folder").mkdir()
    (tmp_path / "precious").mkdir()
    (tmp_path / f"{PREFIX}link.lock").symlink_to(tmp_path / "precious")
    Workspace(tmp_path).close()
    assert {path.name for path in tmp_path.iterdir()} == {f"{PREFIX}folder", "precious", f"{PREFIX}link.lock"}


def test_many_starts_at_once_get_folders_of_their_own(tmp_path: Path) -> None:
    """Sweeping and claiming at the same time takes nobody's folder away."""
    made: list[Workspace] = []
    threads = [threading.Thread(target=lambda: made.append(Workspace(tmp_path))) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each.folder for each in made}) == 24
    assert all(each.folder.is_dir() for each in made)
    for each in made:
        each.close()
