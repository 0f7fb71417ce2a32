"""Finds the trials in folders that Harbor left: jobs with a folder a trial, or result files alone; reads nothing of an agent's.

A folder is a trial's once it has a trial's result file, or looks like one that lost it; nothing below it is looked at, or an
agent could leave a `result.json` of its own among its artifacts and be believed. Links are never followed. What is no readable
result is named, and stops nothing else. Imports no Harbor; called where results made elsewhere are brought in.
"""

import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from runner.harness.reader import MAX_RESULT_BYTES, TrialResult, read_result
from runner.harness.trial_setting import NOT_OBSERVED, TrialSetting, read_setting
from shared.digests import Digest, sha256
from shared.errors import BadInput

RESULT: Final = "result.json"
MAX_DEPTH: Final = 8
MAX_TRIALS: Final = 100_000
_FILE_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FoundTrial:
    """One trial's result file, and the folder around it if there is one."""

    place: str
    file: Path
    """The result file."""
    has_folder: bool
    """Whether the file's folder is the trial's own; a file that was kept alone has none."""
    sha256: Digest
    result: TrialResult
    setting: TrialSetting
    harbor_version: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """A place that became no trial, and why."""

    place: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class LostTrial:
    """A trial's folder without a readable result; `task` is the last word of its task's path, if its configuration tells."""

    place: str
    task: str


@dataclass
class Found:
    """Everything below one folder."""

    trials: list[FoundTrial] = field(default_factory=list)
    lost: list[LostTrial] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    announced: dict[str, int] = field(default_factory=dict)
    """How many trials each job says that it has, by place."""
    retried: dict[str, int] = field(default_factory=dict)
    """How often Harbor itself tried again in a job, which deletes the earlier try, by place."""


def find_trials(root: Path, primary_reward: str, reward_range: tuple[float, float]) -> Found:
    """Return what lies below `root`, in the order of names; raise PATH_NOT_FOUND if it is no folder."""
    if root.is_symlink() or not root.is_dir():
        raise BadInput("PATH_NOT_FOUND", f"there is no folder {root}", field="JOBS_DIR", way_out="Name a folder of Harbor jobs.")
    search = _Search(root, primary_reward, reward_range)
    search.look(root, 0)
    if not search.found.trials and not search.found.lost:
        search.take_loose_files()
    return search.found


class _Search:
    def __init__(self, root: Path, primary_reward: str, reward_range: tuple[float, float]) -> None:
        self.root = root
        self.found = Found()
        self._scoring = primary_reward, reward_range

    def look(self, folder: Path, depth: int) -> None:
        """Take `folder` as a trial, or look into the folders below it."""
        if len(self.found.trials) >= MAX_TRIALS:
            self._tell(folder, "too_many_trials", f"only the first {MAX_TRIALS} trials are taken")
            return
        data = self._read(folder / RESULT)
        if data is not None and self._take(folder, data):
            return
        if self._is_trial(folder):
            self.found.lost.append(LostTrial(self._place(folder), _task_of(self._read(folder / "config.json"))))
            if data is None:
                self._tell(folder, "no_result", "the trial's folder has no result file")
            return
        if data is not None and (count := _announced(data)) is not None:
            self.found.announced[self._place(folder)] = count
            if retries := _retries(data):
                self.found.retried[self._place(folder)] = retries
        if depth >= MAX_DEPTH:
            self._tell(folder, "too_deep", f"folders below the {MAX_DEPTH}th level are not looked at")
            return
        for below in self._folders(folder):
            self.look(below, depth + 1)

    def take_loose_files(self) -> None:
        """Take every result file that lies directly in the folder, without a folder of its own."""
        for file in sorted(self.root.glob("*.json")):
            data = self._read(file)
            if data is not None:
                self._take(file, data)

    def _take(self, place: Path, data: bytes) -> bool:
        """Take a trial's result; False if `data` is no trial's, told unless it is a job's."""
        try:
            result = read_result(data, *self._scoring)
            setting = read_setting(data)
        except BadInput as error:
            if _announced(data) is None:
                self._tell(place, error.code.lower(), error.message)
            return False
        has_folder = place.is_dir()
        places = (place, place.parent) if has_folder else ()
        versions = (_harbor_version(self._read(each / "lock.json")) for each in places)
        version = next(filter(None, versions), NOT_OBSERVED)
        file = place / RESULT if has_folder else place
        self.found.trials.append(FoundTrial(self._place(place), file, has_folder, sha256(data), result, setting, version))
        return True

    def _is_trial(self, folder: Path) -> bool:
        """Tell whether `folder` is a trial's by what Harbor puts into every one of them."""
        if (folder / "trial.log").is_file() or all((folder / name).is_dir() for name in ("agent", "verifier")):
            return True
        return "trial_name" in _json(self._read(folder / "config.json"))

    def _folders(self, folder: Path) -> Iterator[Path]:
        try:
            with os.scandir(folder) as entries:
                names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        except OSError as error:
            self._tell(folder, "unreadable", f"the folder cannot be read: {error.strerror}")
            return
        yield from (folder / name for name in names)

    def _read(self, file: Path) -> bytes | None:
        """Return the bytes of a regular file, None if there is none; what is a link, a pipe or too big is told."""
        try:
            descriptor = os.open(file, _FILE_FLAGS)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            self._tell(file, "unreadable", f"the file cannot be read: {error.strerror}")
            return None
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_RESULT_BYTES:
                self._tell(file, "unreadable", "it is no regular file of a result's size")
                return None
            return stream.read(MAX_RESULT_BYTES + 1)

    def _place(self, path: Path) -> str:
        text = os.fsencode(path.relative_to(self.root).as_posix()).decode("utf-8", "backslashreplace")
        return "".join(mark if mark.isprintable() else f"\\x{ord(mark):02x}" for mark in text)

    def _tell(self, path: Path, code: str, message: str) -> None:
        self.found.troubles.append(Trouble(self._place(path), code, message))


def _announced(data: bytes) -> int | None:
    """Return how many trials a job's own result file says that the job has, None if it is no job's."""
    document = _json(data)
    count = document.get("n_total_trials")
    return count if isinstance(count, int) and not isinstance(count, bool) and "stats" in document else None


def _retries(data: bytes) -> int:
    stats = _json(data).get("stats")
    count = stats.get("n_retries") if isinstance(stats, dict) else 0
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0


def _task_of(config: bytes | None) -> str:
    task = _json(config).get("task")
    path = task.get("path") or task.get("name") if isinstance(task, dict) else None
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2] if isinstance(path, str) else ""


def _harbor_version(lock: bytes | None) -> str:
    harbor = _json(lock).get("harbor")
    version = harbor.get("version") if isinstance(harbor, dict) else None
    return version if isinstance(version, str) and version.isprintable() and len(version) <= 64 else ""


def _json(data: bytes | None) -> dict[str, Any]:
    try:
        document = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
