"""Noun `evidence`: verify a run's evidence from its root down."""

import argparse
from pathlib import Path

from runner.bootstrap import build, evidence_at
from runner.cli.answer import Answer, Verb
from runner.cli.run_names import find_run
from runner.evidence.verification import verify_run
from shared.ids import RunId


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a sealed run")
    parser.add_argument("--offline", type=Path, metavar="DIR", help="a copy of the evidence folder, without an installation")


def verify(found: argparse.Namespace) -> Answer:
    """Re-hash every bundle of the run."""
    if found.offline:
        store, run_id = evidence_at(found.offline), RunId(found.run)
    else:
        house = build()
        store, run_id = house.evidence, RunId(find_run(house, found.run))
    report = verify_run(store, run_id)
    message = f"{run_id} {report.marker.value}: {report.bundles} bundles, {report.files} files, {report.bytes} bytes verified"
    result = {"marker": report.marker.value, "bundles": report.bundles, "files": report.files, "statements": report.statements}
    return Answer(message, ids={"run_id": run_id, "evidence_sha256": report.checksums_sha256}, result=result)


VERBS = (Verb("verify", "re-hash a run's evidence from its root down", "evidence verify 1f3a", _arguments, verify),)
