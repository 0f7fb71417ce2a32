"""Noun `results`: publish, list, audit, rebuild, verify-row; export and import stand in results_exchange."""

import argparse
import tempfile
from pathlib import Path

from runner.bootstrap import House, build, evidence_at, results_at
from runner.cli.answer import Answer, Verb, no_arguments
from runner.cli.results_exchange import EXCHANGE
from runner.cli.results_names import catalog_of, datasets, revision_of
from runner.cli.run_names import find_run
from runner.evidence.verification import verify_run
from runner.ports.state.answers import Version
from runner.usecases.journals.loading import RUN, load_plan, require_run
from runner.usecases.results.audit_tables import audit_tables
from runner.usecases.results.publicity import may_be_public
from runner.usecases.results.rebuild_tables import rebuild_tables
from runner.usecases.results.verify_row import VerifyWorld, verify_row
from shared.errors import BadInput, Refused, SeawallError
from shared.ids import RunId
from shared.plural import counted
from shared.states import RUN_TERMINAL


def _run_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a finished run")


def _rebuild_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="an empty folder for the rebuilt datasets")
    parser.add_argument("--dry-run", action="store_true", help="list what would be rebuilt, write nothing")


def _verify_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("dataset", metavar="DATASET[@N]", help="owner/name of the results dataset, and a revision number")
    parser.add_argument("table", metavar="TABLE", help="runs, cells, trials, attempts, metrics or artifacts")
    parser.add_argument("key", metavar="KEY", help="the row's key, for example a cell id")
    parser.add_argument("--results", type=Path, metavar="DIR", help="the folder with the published datasets")
    parser.add_argument("--catalog", metavar="NAME", help="owner/name of the catalog; found if there is only one")
    parser.add_argument("--evidence", type=Path, metavar="DIR", help="the evidence folder, to re-read the bundles as well")


def _publish_arguments(parser: argparse.ArgumentParser) -> None:
    _run_argument(parser)
    parser.add_argument("--dry-run", action="store_true", help="make the tables in a scratch folder, publish nothing")


def publish(found: argparse.Namespace) -> Answer:
    """Publish a finished run again or for the first time."""
    house = build()
    run_id = RunId(find_run(house, found.run))
    state = require_run(house.log, run_id, house.log.head().version)
    if state.run.state not in RUN_TERMINAL:
        way_out = "Wait for `run reconcile --all --watch`."
        raise Refused("RUN_OPEN", f"the run is {state.run.state}, only finished runs are published", way_out=way_out)
    if found.dry_run:
        with tempfile.TemporaryDirectory() as scratch:
            made = house.publish(run_id, results_at(Path(scratch)))
        ids = {"run_id": run_id, "publication_id": made.publication_id}
        message = f"dry run: would publish {run_id} as {made.publication_id}; nothing was written"
        return Answer(message, ids=ids, result=dict(made.digests))
    made = house.publish(run_id)
    word = "published" if made.is_new else "was published before, unchanged,"
    message = f"{run_id} {word} as {made.publication_id} in revision {made.revision}"
    return Answer(message, ids={"run_id": run_id, "publication_id": made.publication_id}, result=dict(made.digests))


def list_results(_found: argparse.Namespace) -> Answer:
    """List datasets with their newest revision and publications, and name those that cannot be read."""
    listed = datasets(build().settings.results)
    lines, result = [], list[dict[str, object]]()
    for name, head in listed.heads.items():
        lines.append(f"{name}  {head.kind} revision {head.number}: {counted(len(head.runs), 'run')}, {counted(head.rows, 'row')}")
        result.append({"dataset": name, "kind": head.kind, "revision": head.number, "runs": head.runs, "rows": head.rows})
    for name, error in listed.broken.items():
        lines.append(f"{name}  cannot be read: {error}")
        result.append({"dataset": name, "code": error.code, "field": error.field, "message": error.message})
    if listed.broken:
        message = f"{len(listed.broken)} of {len(result)} datasets cannot be read"
        return Answer(message, lines=lines, result=result, code="RESULT_BROKEN", exit_code=3)
    return Answer(lines=lines or ["nothing is published yet"], result=result)


def audit(_found: argparse.Namespace) -> Answer:
    """Recompute everything that is published."""
    house = build()
    kinds = {name: house.results.kind(name) for name in house.results.names()}
    names = [name for name, kind in kinds.items() if kind == "results"]
    if not kinds:
        return Answer(lines=["0 publications, 0 rows, 0 findings"], result={"publications": 0, "rows": 0, "findings": []})
    report = audit_tables(house.results, names, catalog_of(house.settings.results, None))
    lines = [f"{where}: {what}" for where, what in report.findings]
    lines.append(
        ", ".join(
            (counted(report.publications, "publication"), counted(report.rows, "row"), counted(len(report.findings), "finding"))
        )
    )
    code, exit_code = ("AUDIT_FINDINGS", 3) if report.findings else ("OK", 0)
    result = {"publications": report.publications, "rows": report.rows, "findings": [list(each) for each in report.findings]}
    return Answer(lines=lines, result=result, code=code, exit_code=exit_code)


def rebuild(found: argparse.Namespace) -> Answer:
    """Make every publication anew from log and evidence, and compare."""
    house = build()
    if found.into.exists() and any(found.into.iterdir()):
        raise BadInput("FOLDER_NOT_EMPTY", f"{found.into} is not empty", field="--into", way_out="Name a new folder.")
    finished, left_out = _finished(house)
    if found.dry_run:
        lines = [*(f"{run_id}: would be rebuilt into {name}" for run_id, name in finished), *left_out]
        listed = [{"run_id": run_id, "dataset": name} for run_id, name in finished]
        return Answer(lines=[*lines, "dry run: nothing was written"], result=listed)
    into = results_at(found.into)
    for run_id, _ in finished:
        verify_run(house.evidence, run_id)
    made = rebuild_tables(finished, lambda run_id: house.publish(run_id, into), house.results, into)
    words = {True: "equal to what is published", False: "DIFFERENT from what is published", None: "not published before"}
    lines = list(left_out)
    for each in made:
        lines += [f"{each.run_id} {each.publication_id}: {words[each.is_equal]}", *(f"  {what}" for what in each.differences)]
    is_equal = not left_out and all(each.is_equal is not False for each in made)
    result = [
        {"run_id": each.run_id, "publication_id": each.publication_id, "equal": each.is_equal, "differences": each.differences}
        for each in made
    ]
    code, exit_code = ("OK", 0) if is_equal else ("REBUILD_DIFFERS", 3)
    return Answer(lines=lines or ["nothing to rebuild"], result=result, code=code, exit_code=exit_code)


def verify(found: argparse.Namespace) -> Answer:
    """Recompute one published row and follow it to the run lock, and to the bundles if they are at hand."""
    root = (found.results or build().settings.results).absolute()
    dataset, number = revision_of(found.dataset)
    evidence = evidence_at(found.evidence) if found.evidence else None
    world = VerifyWorld(results_at(root), catalog_of(root, found.catalog), evidence)
    report = verify_row(dataset, number, found.table, found.key, world)
    lines = [f"verified {report.table} {report.key}", *(f"  ok: {link}" for link in report.links)]
    lines.append(f"  row digest {report.row_sha256}, {report.signature}, {report.level}")
    result = {"links": report.links, "level": report.level, "signature": report.signature, "row_sha256": report.row_sha256}
    return Answer(lines=lines, ids={"publication_id": report.publication_id, "run_id": report.run_id}, result=result)


def _finished(house: House) -> tuple[list[tuple[RunId, str]], list[str]]:
    """Return each run that has rows with its dataset, and what could not be read to tell."""
    version, listed = house.log.head().version, datasets(house.settings.results)
    found = [(RunId(run_id), name) for name, head in listed.heads.items() if head.kind == "results" for run_id in head.runs]
    left_out = [f"{name} cannot be read, runs are taken from the log alone: {error}" for name, error in listed.broken.items()]
    known = {run_id for run_id, _ in found}
    for subject in house.status.list():
        if subject.type == RUN and subject.id not in known:
            try:
                dataset = _dataset_of(house, subject.id, version)
            except SeawallError as error:
                left_out.append(f"{subject.id} cannot be read and is not rebuilt: {error}")
                continue
            found += [(RunId(subject.id), dataset)] if dataset else []
    return sorted(found), left_out


def _dataset_of(house: House, run_id: str, version: Version) -> str:
    """Return where the run's rows belong; empty if it has none."""
    run = require_run(house.log, run_id, version).run
    if run.state not in RUN_TERMINAL or run.label not in {"clean", "degraded"} or not may_be_public(run):
        return ""
    return load_plan(house.objects, run.plan_digest).publishing.dataset


VERBS = (
    Verb("publish", "publish a finished run; publishing twice adds nothing", "results publish 1f3a", _publish_arguments, publish),
    Verb("list", "list published datasets", "results list", no_arguments, list_results),
    Verb("audit", "recompute everything that is published", "results audit", no_arguments, audit),
    Verb("rebuild", "make the tables anew from log and evidence", "results rebuild --into again", _rebuild_arguments, rebuild),
    Verb(
        "verify-row",
        "recompute a published row and follow it to lock and evidence",
        "results verify-row local/starter cells cell-..",
        _verify_arguments,
        verify,
    ),
    *EXCHANGE,
)
