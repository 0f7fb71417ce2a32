"""Job folders that were made elsewhere, to be imported, and an installation that imports them."""

import dataclasses
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from runner.config import CHECKOUT
from runner.evidence.redaction import Redactor
from runner.harness.job_folders import find_trials
from runner.ports.stores.result_store import ResultStore
from runner.usecases.imports.plan_import import ImportOrder, PlannedImport, plan_import
from runner.usecases.imports.seal_import import ImportWorld, seal_import
from runner.usecases.results.publish_run import Publication
from shared.ids import RunId
from tests.builders.houses import BUILD, Place

JOBS: Final = CHECKOUT / "tests" / "data" / "harbor-jobs"
"""One job of Harbor 0.26.0: two tasks, two agents, twice each; paths neutralised."""
CASES: Final = CHECKOUT / "tests" / "data" / "harbor-results"
JOB: Final = "made-elsewhere"
ORDER: Final = ImportOrder(
    benchmark="elsewhere",
    dataset="local/elsewhere",
    catalog="local/catalog",
    series="imported",
    primary_reward="reward",
    reward_range=("0", "1"),
    pass_threshold="1",
    reason="made on another machine",
    imported_by="tester",
    imported_at="2026-12-01T00:00:00.000Z",
    build=BUILD,
)


def copy_jobs(folder: Path) -> Path:
    """Return a copy of the job's folder that a test may alter."""
    return Path(shutil.copytree(JOBS, folder / "jobs"))


def trials_of(jobs: Path) -> list[Path]:
    """Return the folders of the job's trials, sorted."""
    return sorted(path.parent for path in (jobs / JOB).glob("*/result.json"))


def alter_result(trial: Path, **changes: Any) -> None:
    """Change fields of a trial's result file."""
    file = trial / "result.json"
    file.write_text(json.dumps({**json.loads(file.read_bytes()), **changes}))


def planned(jobs: Path, secrets: Mapping[str, str] | None = None, **changes: Any) -> PlannedImport:
    """Return the plan of importing `jobs`."""
    order = dataclasses.replace(ORDER, **changes)
    low, high = order.reward_range
    found = find_trials(jobs, order.primary_reward, (float(low), float(high)))
    return plan_import(found, order, Redactor(secrets or {}).redact_text)


def bring_in(
    place: Place, plan: PlannedImport, into: ResultStore | None = None, secrets: Mapping[str, str] | None = None
) -> Publication:
    """Seal and publish the import `plan`."""
    world = ImportWorld(place.house.evidence, place.folder / "importing", secrets or {})
    record, _ = seal_import(plan, world)
    return place.house.publish(RunId(record.run_id), into)


def codes(plan: PlannedImport) -> dict[str, list[str]]:
    """Return, by code, the places that are odd."""
    found: dict[str, list[str]] = {}
    for each in plan.record.oddities:
        found.setdefault(each.code, []).append(each.place)
    return found
