"""Noun `evidence`: verify a run's evidence from its root down, or copy one attempt's out of the store."""

import argparse
from pathlib import Path

from runner.bootstrap import build, evidence_at
from runner.cli.answer import Answer, Verb
from runner.cli.run_names import find_run, find_run_in
from runner.evidence.fetching import Fetched, fetch_bundle, find_attempt
from runner.evidence.verification import verify_bundle, verify_run
from runner.ports.stores.evidence_store import EvidenceStore
from shared.ids import RunId
from shared.plural import counted


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a sealed run")
    parser.add_argument("--offline", type=Path, metavar="DIR", help="a copy of the evidence folder, without an installation")


def _fetch_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run")
    parser.add_argument("--attempt", required=True, metavar="ID", help="the attempt, as the status of its run names it")
    parser.add_argument("--into", required=True, type=Path, metavar="DIR", help="a folder that is not there yet, or is empty")
    parser.add_argument("--offline", type=Path, metavar="DIR", help="a copy of the evidence folder, without an installation")
    parser.add_argument("--dry-run", action="store_true", help="verify and say what would be copied, write nothing")


def verify(found: argparse.Namespace) -> Answer:
    """Re-hash every bundle of the run."""
    store, run_id = _evidence_of(found)
    report = verify_run(store, run_id)
    read = f"{counted(report.bundles, 'bundle')}, {counted(report.files, 'file')}, {counted(report.bytes, 'byte')}"
    message = f"{run_id} {report.marker.value}: {read} verified"
    result = {"marker": report.marker.value, "bundles": report.bundles, "files": report.files, "statements": report.statements}
    return Answer(message, ids={"run_id": run_id, "evidence_sha256": report.checksums_sha256}, result=result)


def fetch(found: argparse.Namespace) -> Answer:
    """Copy the sealed evidence of one attempt into a folder, verified."""
    store, run_id = _evidence_of(found)
    prefix = find_attempt(store, run_id, found.attempt)
    if found.dry_run:
        return _fetched(run_id, found.into, Fetched(verify_bundle(store, prefix), is_new=False), "dry run: would copy")
    done = fetch_bundle(store, prefix, found.into)
    return _fetched(run_id, found.into, done, "copied" if done.is_new else "the whole copy is there:")


def _fetched(run_id: RunId, into: Path, done: Fetched, said: str) -> Answer:
    bundle = done.bundle
    read = f"{counted(bundle.files, 'file')}, {counted(bundle.bytes, 'byte')}"
    message = f"{said} {bundle.subject} {bundle.marker.value}: {read} verified, into {into}"
    result = {
        "marker": bundle.marker.value,
        "files": bundle.files,
        "bytes": bundle.bytes,
        "into": str(into),
        "is_new": done.is_new,
        "left_out": [{"path": each.path, "reason": each.reason} for each in bundle.left_out],
    }
    ids = {"run_id": run_id, "attempt_id": bundle.subject, "bundle_sha256": bundle.checksums_sha256}
    return Answer(message, ids=ids, result=result)


def _evidence_of(found: argparse.Namespace) -> tuple[EvidenceStore, RunId]:
    """Return the evidence that is meant and the id of the run."""
    if found.offline:
        return evidence_at(found.offline), RunId(find_run_in(found.offline, found.run))
    house = build()
    return house.evidence, RunId(find_run(house, found.run))


VERBS = (
    Verb("verify", "re-hash a run's evidence from its root down", "evidence verify 1f3a", _arguments, verify),
    Verb(
        "fetch",
        "copy one attempt's sealed evidence into a folder, verified; again changes nothing",
        "evidence fetch 1f3a --attempt 77c0 --into attempt",
        _fetch_arguments,
        fetch,
    ),
)
