"""The plan and the lock whose bytes are kept as goldens."""

from pathlib import Path
from typing import Final

from shared.digests import Digest
from shared.documents.run_lock import HarborLock, RunLock
from shared.ids import RunId, cell_id, trial_id
from shared.planning.plan import Plan
from shared.planning.sharding import trial_at
from tests.builders.experiments import good_tree, make_plan

GOLDEN: Final = Path(__file__).parents[2] / "data" / "golden" / "plan"
RUN: Final = RunId("run-0192f0c1d2e37abc8def0123456789ab")


def golden_plan() -> Plan:
    """Return the plan of the manifest that names every field."""
    return make_plan(good_tree())


def golden_ids(made: Plan) -> dict[str, list[str]]:
    """Return the ids that one run derives from `made`: of every cell, and of the first and last trial."""
    ends = [trial_at(made.head, index).key for index in (0, made.head.arithmetic.trials - 1)]
    return {
        "cells": [cell_id(RUN, cell.cell_digest) for cell in made.head.cells],
        "trials": [trial_id(RUN, key) for key in ends],
    }


def golden_lock(made: Plan) -> RunLock:
    """Return the lock of one submission of `made`."""
    return RunLock(
        run_id=RUN,
        plan_digest=made.digest,
        manifest_sha256=Digest("1" * 64),
        source_lock_sha256=made.head.benchmark.source_lock_sha256,
        prices_sha256=made.head.prices_sha256,
        build=Digest("2" * 64),
        harbor=HarborLock(version=made.head.harbor.version, lock_sha256=made.head.harbor.lock_sha256),
        requested_by="maintainer",
        submitted_at="2026-01-01T00:00:00Z",
    )
