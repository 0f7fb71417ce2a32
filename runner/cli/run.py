"""Noun `run`: plan, submit, status, list, cancel, retry, reconcile."""

import argparse
from pathlib import Path

from runner.bootstrap import House, build
from runner.cli.answer import Answer, Verb, no_arguments
from runner.cli.manifest_file import read_manifest_file
from runner.cli.run_names import find_run
from runner.cli.run_reconcile import RECONCILE
from runner.cli.run_status import read_status, said_state, status_lines, status_result
from runner.domain.control.projection.run_rules import RETRIABLE
from runner.usecases.journals.loading import RUN, load_run, run_subject
from runner.usecases.requests.waiting_runs import status_of_waiting, waiting_requests, waiting_submits
from runner.usecases.runs.plan_run import PlannedRun, plan_run
from runner.usecases.runs.submit_run import put_request, request_body, submit_run
from shared.documents.status import RunStatus
from shared.errors import Refused, StoreFault
from shared.ids import RequestId, generate
from shared.inbox.codec import Request, RequestSubject
from shared.money import format_usd
from shared.plural import counted

_UNREADABLE = "its status cannot be read; a pass writes it anew"


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


def _retry_arguments(parser: argparse.ArgumentParser) -> None:
    _run_id(parser)
    parser.add_argument(
        "--trial", type=int, action="append", default=[], metavar="N", help="a plan index; default: all that may be"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be asked, put nothing into the inbox")


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
        return Answer(lines=lines, ids={"plan_digest": planned.plan.digest}, result={**_plan_result(planned), "dry_run": True})
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
    house = build()
    found = sorted(house.status.list().items())
    read = {subject.id: read_status(each.data) for subject, each in found if subject.type == RUN}
    documents = [each for each in read.values() if each is not None]
    submits = waiting_submits(house.inbox)
    documents += [status_of_waiting(*each, house.objects) for run_id, each in submits.items() if run_id not in read]
    lines = [
        f"{each.run_id}  {said_state(each):<26} {each.counts.get('scored', 0)}/{each.planned}  {each.experiment}"
        + "".join(f"  refused {refusal.code}" for refusal in each.refusals[:1])
        for each in documents
    ]
    lines += [f"{run_id}  {_UNREADABLE}" for run_id, each in read.items() if each is None]
    return Answer(lines=lines or ["no runs yet"], result=[status_result(each) for each in documents])


def cancel(found: argparse.Namespace) -> Answer:
    """Ask for the end of a run; completed evidence stays."""
    house = build()
    run_id = _known_run(house, found.run)
    request_id = RequestId(generate("req", house.chance.uuid7()))
    ids = {"run_id": run_id, "request_id": request_id}
    if found.dry_run:
        return Answer(message=f"dry run: would ask to cancel {run_id}", ids=ids)
    body = request_body(reason=house.redactor.redact_text(found.reason), now=found.now)
    put_request(house.inbox, Request(request_id, "cancel", house.actor(), RequestSubject("run", run_id), body))
    return Answer(message=f"cancel of {run_id} is in the inbox; a pass takes it", ids=ids)


def retry(found: argparse.Namespace) -> Answer:
    """Ask for a new try at trials that have no valid result."""
    house = build()
    run_id = _known_run(house, found.run)
    trials = sorted(set(found.trial)) or _retriable(house, run_id)
    if not trials:
        raise Refused("NOTHING_TO_RETRY", f"no trial of {run_id} waits for a retry", way_out="`run status RUN` shows its trials.")
    request_id = RequestId(generate("req", house.chance.uuid7()))
    ids = {"run_id": run_id, "request_id": request_id}
    if found.dry_run:
        return Answer(
            f"dry run: would ask to retry {counted(len(trials), 'trial')} of {run_id}", ids=ids, result={"trials": trials}
        )
    put_request(
        house.inbox, Request(request_id, "retry", house.actor(), RequestSubject("run", run_id), request_body(trials=trials))
    )
    return Answer(
        f"retry of {counted(len(trials), 'trial')} of {run_id} is in the inbox; a pass takes it",
        ids=ids,
        result={"trials": trials},
    )


def _plan(house: House, manifest: Path) -> PlannedRun:
    return plan_run(read_manifest_file(manifest), manifest.parent, house.plan_world())


def _plan_result(planned: PlannedRun) -> dict[str, object]:
    sums = planned.plan.head.arithmetic
    return {
        "plan_digest": planned.plan.digest,
        "manifest_sha256": planned.manifest_sha256,
        **sums.model_dump(mode="json"),
        "notes": list(planned.notes),
    }


def _plan_lines(planned: PlannedRun) -> list[str]:
    head, sums = planned.plan.head, planned.plan.head.arithmetic
    grid = (counted(sums.cells, "cell"), counted(sums.tasks, "task"), counted(head.policy.repeats, "repeat"))
    waves = f"{counted(sums.waves, 'wave')} of at most {sums.longest_wave_seconds} s"
    return [
        f"plan {planned.plan.digest}",
        f"  experiment {head.experiment}: {' x '.join(grid)}",
        f"  {counted(sums.trials, 'trial')} in {counted(sums.shards, 'shard')}, {waves}",
        f"  cost {format_usd(sums.expected_cost_usd_micros)} expected, {format_usd(sums.worst_cost_usd_micros)} at worst",
        *(f"  note: {note}" for note in planned.notes),
    ]


def _status(house: House, run_id: str) -> RunStatus:
    found = house.status.read(run_subject(run_id))
    submits = waiting_submits(house.inbox) if found is None else {}
    if run_id in submits:
        return status_of_waiting(*submits[run_id], house.objects)
    if found is None:
        raise Refused("NOT_FOUND", f"no status of {run_id} yet", way_out="Run `run reconcile --all`, or look at `run list`.")
    document = read_status(found.data)
    if document is None:
        raise StoreFault("STATUS_INVALID", f"{run_id}: {_UNREADABLE}", way_out="Run `run reconcile --all`.")
    return document


def _known_run(house: House, text: str) -> str:
    """Return the id of a run that the status, the log or the inbox knows; raise NOT_FOUND."""
    run_id = find_run(house, text)
    if house.status.read(run_subject(run_id)) is not None:
        return run_id
    if next(iter(house.log.read(run_subject(run_id), 0, house.log.head().version)), None) is not None:
        return run_id
    if any(request.subject.id == run_id for _, request in waiting_requests(house.inbox)):
        return run_id
    raise Refused("NOT_FOUND", f"there is no run {run_id}", field="RUN", way_out="`run list` shows the runs.")


def _retriable(house: House, run_id: str) -> list[int]:
    state = load_run(house.log, run_id, house.log.head().version)
    return list(state.trials.unassigned(RETRIABLE))


VERBS = (
    Verb("plan", "resolve a manifest into a plan; writes nothing", "run plan benchmarks/starter.yaml", _manifest, plan),
    Verb("submit", "plan and request a run", "run submit benchmarks/starter.yaml", _submit_arguments, submit),
    Verb("status", "show what a run is doing and waits for", "run status 1f3a", _run_id, status),
    Verb("list", "list runs", "run list", no_arguments, list_runs),
    Verb("cancel", "end a run; completed evidence stays", "run cancel 1f3a --reason 'wrong model'", _cancel_arguments, cancel),
    Verb("retry", "try trials without a valid result again", "run retry 1f3a --trial 4", _retry_arguments, retry),
    RECONCILE,
)
