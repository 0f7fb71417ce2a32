"""Copying one trial's folder, as Harbor left it, into the folder that is sealed: nothing is followed, nothing else is read.

Regular files with one link at safe paths are copied, within the limits of a bundle; everything else comes back as left out, with
its reason. The folder that is imported is never written to. Called for each trial of an import.
"""

import os
from pathlib import Path
from typing import Final

from runner.evidence.inventory import HARBOR, RESULT, SealLimits
from runner.evidence.tree import Found, OpenFile, Tree
from runner.harness.job_folders import FoundTrial
from shared.digests import CHUNK_BYTES, Digest, sha256_stream
from shared.documents.evidence.bundle import LeftOut
from shared.errors import Refused

_WAY_OUT: Final = "Let nothing write there, then import again."


def stage_trial(trial: FoundTrial, staging: Path, limits: SealLimits) -> tuple[LeftOut, ...]:
    """Copy `trial` into `staging`/harbor and return what was left out.

    Raises Refused SOURCE_LINKED if its result file has a second name, SOURCE_CHANGED if it is another one than was planned with.
    """
    left_out: list[LeftOut] = []
    (staging / HARBOR).mkdir(parents=True, mode=0o700)
    with Tree(trial.file.parent) as tree:
        for found in _chosen(trial, tree, limits, left_out):
            opened = tree.open(found.path)
            if isinstance(opened, str):
                left_out.append(_left(found, opened))
                continue
            path = f"{HARBOR}{found.path}" if trial.has_folder else RESULT
            _copy(opened, staging / path)
    if any((each.path, each.reason) == (f"{HARBOR}{trial.file.name}", "hard_link") for each in left_out):
        message = "the result file has a second name (a hard link), by which another program could change it"
        raise Refused("SOURCE_LINKED", message, field=trial.place, way_out="Copy the folder with `cp -r`, then import the copy.")
    if _digest(staging / RESULT) != trial.sha256:
        raise Refused("SOURCE_CHANGED", "the result file changed while it was imported", field=trial.place, way_out=_WAY_OUT)
    return tuple(left_out)


def _chosen(trial: FoundTrial, tree: Tree, limits: SealLimits, left_out: list[LeftOut]) -> list[Found]:
    """Return the files to copy, the result first; a file that was kept alone has no neighbours."""
    if not trial.has_folder:
        return [Found(trial.file.name, trial.file.lstat().st_size, "")]
    left, chosen = limits.max_attempt_bytes, []
    for found in sorted(tree.walk(), key=lambda each: (each.path != trial.file.name, each.path)):
        reason = found.reason or ("file_too_big" if found.size > limits.max_file_bytes else "")
        reason = reason or ("attempt_too_big" if found.size > left else "")
        if reason:
            left_out.append(_left(found, reason))
        else:
            left -= found.size
            chosen.append(found)
    return chosen


def _left(found: Found, reason: str) -> LeftOut:
    path = os.fsencode(f"{HARBOR}{found.path}").decode("utf-8", "backslashreplace")
    return LeftOut(path=path, reason=reason, size_bytes=found.size)


def _copy(opened: OpenFile, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        with target.open("xb") as stream:
            left = opened.size
            while left and (chunk := os.read(opened.descriptor, min(CHUNK_BYTES, left))):
                stream.write(chunk)
                left -= len(chunk)
        if opened.is_executable:
            target.chmod(0o700)
    finally:
        os.close(opened.descriptor)


def _digest(file: Path) -> Digest | None:
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        return sha256_stream(stream)[0]
