"""Noun `run`: plan, submit, status, list, cancel, reconcile."""

import argparse
import sys
from pathlib import Path

from runner.bootstrap import House, build
from runner.cli.answer import Answer, Verb, no_arguments
from runner.cli.run_status import status_lines, status_result
from runner.usecases.control.loading import RUN, run_subject
from runner.usecases.control.reconcile import PassReport, reconcile
from runner.usecases.runs.plan_run import PlannedRun, plan_run
from runner.usecases.runs.submit_run import put_request, request_body, submit_run
from shared.documents.status import RunStatus
from shared.errors import BadInput, Conflict, Refused, StoreFault
from shared.ids import RequestId, generate, is_id
from shared.inbox.codec import Request, RequestSubject
from shared.money import format_usd

WATCH_PATIENCE = 20
"""Passes in a row that may fail, or set a run aside, before a watch ends."""


def _manifest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("manifest", type=Path, metavar="MANIFEST", help="an experiment manifest (YAML)")


def _submit_arguments(parser: argparse.ArgumentParser) -> None:
    _manifest(parser)
    parser.add_argument("--key", default="", metavar="K", help="the same key submits the same run once")
    parser.add_argument("--dry-run", action="store_true", help="plan and print, put nothing into the inbox")


def _run_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a run id, or enough of its end to be unique")


def _cancel_arguments(parser: argparse.ArgumentParser) -> None:
    _run_id(parser)
    parser.add_argument("--reason", default="", metavar="T", help="why, for the journal")
    parser.add_argument("--now", action="store_true", help="end attempts under way without grace")
    parser.add_argument("--dry-run", action="store_true", help="say what would be asked, put nothing into the inbox")


def _reconcile_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="only this run")
    parser.add_argument("--all", action="store_true", help="every open run and every waiting request")
    parser.add_argument("--watch", action="store_true", help="pass after pass, until everything that is open has ended")
    parser.add_argument("--forever", action="store_true", help="with --watch: go on when nothing is open")


def plan(found: argparse.Namespace) -> Answer:
    """Plan the manifest; nothing is written."""
    planned = _plan(build(), found.manifest)
    return Answer(lines=_plan_lines(planned), ids={"plan_digest": planned.plan.digest}, result=_plan_result(planned))


def submit(found: argparse.Namespace) -> Answer:
    """Plan the manifest and put the request into the inbox."""
    house = build()
    planned = _plan(house, found.manifest)
    if found.dry_run:
        lines = [*_plan_lines(planned), "dry run: nothing was submitted"]
        return Answer(lines=lines, ids={"plan_digest": planned.plan.digest}, result=_plan_result(planned))
    submitted = submit_run(planned, found.manifest.parent, house.actor(), house.submit_world(), found.key)
    ids = {"run_id": submitted.run_id, "request_id": submitted.request_id, "plan_digest": planned.plan.digest}
    lines = [*_plan_lines(planned), f"submitted {submitted.run_id}", "next: python -m runner run reconcile --all --watch"]
    return Answer(lines=lines, ids=ids, result=_plan_result(planned))


def status(found: argparse.Namespace) -> Answer:
    """Show the newest status that a pass wrote."""
    house = build()
    document = _status(house, find_run(house, found.run))
    return Answer(lines=status_lines(document), ids={"run_id": document.run_id}, result=status_result(document))


def list_runs(_found: argparse.Namespace) -> Answer:
    """List every run, newest last."""
    found = sorted(build().status.list().items())
    documents = [RunStatus.from_bytes(each.data) for subject, each in found if subject.type == RUN]
    lines = [
        f"{each.run_id}  {each.state:<16} {each.label:<9} {each.counts.get('scored', 0)}/{each.planned}  {each.experiment}"
        for each in documents
    ]
    return Answer(lines=lines or ["no runs yet"], result=[status_result(each) for each in documents])


def cancel(found: argparse.Namespace) -> Answer:
    """Ask for the end of a run; completed evidence stays."""
    house = build()
    run_id = find_run(house, found.run)
    request_id = RequestId(generate("req", house.chance.uuid7()))
    ids = {"run_id": run_id, "request_id": request_id}
    if found.dry_run:
        return Answer(message=f"dry run: would ask to cancel {run_id}", ids=ids)
    body = request_body(reason=found.reason, now=found.now)
    put_request(house.inbox, Request(request_id, "cancel", house.actor(), RequestSubject("run", run_id), body))
    return Answer(message=f"cancel of {run_id} is in the inbox; a pass takes it", ids=ids)


def reconcile_runs(found: argparse.Namespace) -> Answer:
    """Run one pass, or passes until nothing is open."""
    if not found.all and found.run is None:
        raise BadInput("ARGUMENT_MISSING", "expected RUN or --all", way_out="python -m runner run reconcile --all")
    house = build()
    only = find_run(house, found.run) if found.run else None
    report = _watch(house, only, found) if found.watch else reconcile(house.pass_world(), only)
    if not found.json:
        _show_progress(house, report)
    lines = [f"{run_id} is set aside: {why}" for run_id, why in report.frozen.items()]
    return Answer(lines=lines, result={"open_runs": report.open_runs, "events": report.events, "frozen": report.frozen})


def _watch(house: House, only: str | None, found: argparse.Namespace) -> PassReport:
    """Pass until nothing is open; a store that fails or a run that is set aside is looked at again before the watch gives up."""
    world, failed = house.pass_world(), 0
    while True:
        try:
            report = reconcile(world, only)
        except (Conflict, StoreFault) as error:
            failed += 1
            if failed > WATCH_PATIENCE:
                raise
            sys.stderr.write(f"{error}\n")
        else:
            failed = failed + 1 if report.frozen else 0
            is_over = report.is_idle and not house.inbox.list(1).waiting and not 0 < failed <= WATCH_PATIENCE
            if is_over and not found.forever:
                return report
            if not found.json:
                _show_progress(house, report)
        house.clock.sleep(house.settings.pace.cadence_s)


def find_run(house: House, text: str) -> str:
    """Return the id of the run that `text` names, whole or by its end; raise NOT_FOUND or AMBIGUOUS."""
    if is_id(text, "run"):
        return text
    known = {subject.id for subject in house.status.list() if subject.type == RUN}
    matches = [each for each in known if text and each.endswith(text)]
    if len(matches) == 1:
        return matches[0]
    way_out = "`run list` shows the runs."
    if matches:
        raise Refused("AMBIGUOUS", f"{len(matches)} runs end with {text}", field="RUN", way_out=way_out)
    raise Refused("NOT_FOUND", f"no run ends with {text}", field="RUN", way_out=way_out)


def _plan(house: House, manifest: Path) -> PlannedRun:
    try:
        data = manifest.read_bytes()
    except OSError as error:
        raise BadInput("MANIFEST_MISSING", f"cannot read {manifest}: {error.strerror}", field="MANIFEST") from error
    return plan_run(data, manifest.parent, house.plan_world())


def _plan_result(planned: PlannedRun) -> dict[str, object]:
    sums = planned.plan.head.arithmetic
    return {"plan_digest": planned.plan.digest, "manifest_sha256": planned.manifest_sha256, **sums.model_dump(mode="json")}


def _plan_lines(planned: PlannedRun) -> list[str]:
    head, sums = planned.plan.head, planned.plan.head.arithmetic
    return [
        f"plan {planned.plan.digest}",
        f"  experiment {head.experiment}: {sums.cells} cells x {sums.tasks} tasks x {head.policy.repeats} repeats",
        f"  {sums.trials} trials in {sums.shards} shards, {sums.waves} waves of at most {sums.longest_wave_seconds} s",
        f"  cost {format_usd(sums.expected_cost_usd_micros)} expected, {format_usd(sums.worst_cost_usd_micros)} at worst",
    ]


def _status(house: House, run_id: str) -> RunStatus:
    found = house.status.read(run_subject(run_id))
    if found is None:
        raise Refused("NOT_FOUND", f"no status of {run_id} yet", way_out="Run `run reconcile --all`, or look at `run list`.")
    return RunStatus.from_bytes(found.data)


_last_shown: dict[str, str] = {}


def _show_progress(house: House, report: PassReport) -> None:
    """Print a line for each run whose status has changed."""
    for subject, found in house.status.list().items():
        if subject.type != RUN:
            continue
        document = RunStatus.from_bytes(found.data)
        counts = ", ".join(f"{count} {state}" for state, count in sorted(document.counts.items()))
        state = f"{document.state} {document.label}".strip()
        line = f"{document.run_id[-8:]} {document.experiment}: {state} ({counts}); waits for {document.awaits}"
        if _last_shown.get(subject.id) != line:
            _last_shown[subject.id] = line
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
    for run_id, why in report.frozen.items():
        sys.stderr.write(f"{run_id} is set aside: {why}\n")


VERBS = (
    Verb("plan", "resolve a manifest into a plan; writes nothing", "run plan benchmarks/starter.yaml", _manifest, plan),
    Verb("submit", "plan and request a run", "run submit benchmarks/starter.yaml", _submit_arguments, submit),
    Verb("status", "show what a run is doing and waits for", "run status 1f3a", _run_id, status),
    Verb("list", "list runs", "run list", no_arguments, list_runs),
    Verb("cancel", "end a run; completed evidence stays", "run cancel 1f3a --reason 'wrong model'", _cancel_arguments, cancel),
    Verb("reconcile", "take requests and move runs on", "run reconcile --all --watch", _reconcile_arguments, reconcile_runs),
)
