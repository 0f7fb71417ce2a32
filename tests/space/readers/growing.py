"""A published folder that grew: runs published one after another, each time with a revision of the dataset and of the catalog."""

import shutil
from pathlib import Path
from typing import Any

from benchmarks.synthetic import synthetic_run
from benchmarks.synthetic_results import finish, publish
from shared import paths
from shared.documents.revision import Revision, RevisionFile
from tests.space.publishing import CATALOG, write_revision

BENCHMARK = "grown-works"


def grow(root: Path, count: int, *, is_first_withdrawn: bool = False) -> None:
    """Publish `count` runs one after another, each with a revision of its own; the last one may withdraw the first cell."""
    listed: dict[str, list[RevisionFile]] = {}
    published: dict[str, str] = {}
    rows: list[dict[str, Any]] = []
    kept: dict[tuple[str, int], bytes] = {}
    before: dict[str, Revision] = {}
    for number in range(1, count + 1):
        run = synthetic_run(number, cells=2, tasks=12, repeats=2, benchmark=BENCHMARK)
        files, found = publish(root, run, len(rows) + 1)
        listed.setdefault(BENCHMARK, []).extend(files)
        published[run.trace.run_id] = found[0]["publication_id"]
        rows += [{**row, "dataset_revision": str(number)} for row in found]
        if number == count and is_first_withdrawn:
            later = {"record": "withdrawn", "reason": "another prompt", "dataset_revision": str(number)}
            rows.append({**rows[0], **later})
        finish(root, listed, published, rows)
        _number(root, number, before, kept)


def _number(root: Path, number: int, before: dict[str, Revision], kept: dict[tuple[str, int], bytes]) -> None:
    """Make what was just written revision `number`, with a catalog file of its own, and put the earlier ones back."""
    for name in (f"example/{BENCHMARK}", CATALOG):
        folder = root / name
        made = Revision.from_bytes((folder / paths.revision_file(1)).read_bytes())
        files = tuple(_own_file(folder, file, number) for file in made.files)
        previous = before[name].digest if name in before else None
        revision = made.model_copy(update={"number": number, "previous_sha256": previous, "files": files})
        write_revision(folder, revision)
        before[name] = revision
        kept[name, number] = revision.to_bytes()
        for earlier in range(1, number):
            (folder / paths.revision_file(earlier)).write_bytes(kept[name, earlier])


def _own_file(folder: Path, file: RevisionFile, number: int) -> RevisionFile:
    if not file.path.startswith("tables/catalog/"):
        return file
    path = file.path.replace("-001.parquet", f"-{100 + number}.parquet")
    shutil.copy(folder / file.path, folder / path)
    return file.model_copy(update={"path": path})
