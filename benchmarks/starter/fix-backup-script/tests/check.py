"""1 if awkward names survive and a missing source is refused, else 0."""

import subprocess
import tempfile
from pathlib import Path

NAMES = ["plain.txt", "two words.txt", "-dash.txt", "deep/er/a b c.txt", "deep/star*.txt"]


def backup(source, target):
    """Return the script's exit code."""
    return subprocess.run(["bash", "/app/backup.sh", str(source), str(target)], capture_output=True, timeout=10).returncode


def is_right(base):
    """Tell whether both cases hold below the folder `base`."""
    source, target = base / "my source", base / "new" / "target"
    for name in NAMES:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name)
    (source / "skip.log").write_text("no")
    code = backup(source, target)
    copied = {str(path.relative_to(target)): path.read_text() for path in target.rglob("*") if path.is_file()}
    refused = backup(base / "nothing", base / "other") == 2 and not list((base / "other").glob("*"))
    return code == 0 and copied == {name: name for name in NAMES} and refused


with tempfile.TemporaryDirectory() as folder:
    try:
        right = is_right(Path(folder))
    except Exception:
        right = False
Path("/logs/verifier/reward.txt").write_text("1" if right else "0")
