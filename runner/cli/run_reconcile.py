"""The verb `run reconcile`: one pass, or pass after pass until nothing moves without a person."""

import argparse
import sys
from contextlib import suppress
from dataclasses import replace

from runner.bootstrap import House, build
from runner.cli.answer import Answer, Verb
from runner.cli.run_names import find_run
from runner.cli.run_status import StatusLines
from runner.usecases.control.keep_status import repair_statuses
from runner.usecases.control.keep_views import end_passes
from runner.usecases.control.pass_world import PassReport
from runner.usecases.control.reconcile import preview, reconcile
from shared.errors import BadInput, Conflict, SeawallError, StoreFault

CLOCK_BEHIND_S = 60
"""From here on a clock that is behind the log is told."""
WATCH_PATIENCE = 20
"""Passes in a row that may fail, or set a run aside, before a watch ends."""


def _reconcile_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", nargs="?", metavar="RUN", help="only this run")
    parser.add_argument("--all", action="store_true", help="every open run and every waiting request")
    parser.add_argument("--watch", action="store_true", help="pass after pass, until nothing moves on without a person")
    parser.add_argument("--forever", action="store_true", help="with --watch: go on when nothing is open")
    parser.add_argument("--dry-run", action="store_true", help="say what a pass would decide, write nothing")


def reconcile_runs(found: argparse.Namespace) -> Answer:
    """Run one pass, or passes until nothing is open."""
    if not found.all and found.run is None:
        raise BadInput("ARGUMENT_MISSING", "expected RUN or --all", way_out="python -m runner run reconcile --all")
    house = build()
    only = find_run(house, found.run) if found.run is not None else None
    if found.dry_run:
        return _preview(house, only)
    shown = None if found.json else StatusLines(house.status, only)
    repair_statuses(house.pass_world())
    if found.watch:
        try:
            report = _watch(house, only, shown, is_forever=found.forever)
        finally:
            with suppress(SeawallError):  # Whoever reads it sees that the next pass is overdue.
                end_passes(house.pass_world())
    else:
        report = reconcile(house.pass_world(), only)
    if shown is not None:
        shown.show(report)
        if report.is_idle and not shown.count:
            sys.stdout.write("no run is open and nothing waits to be taken\n")
    return _answer(report, is_watch=found.watch)


def _answer(report: PassReport, *, is_watch: bool) -> Answer:
    lines = [f"{run_id} is set aside: {why}" for run_id, why in report.frozen.items()]
    lines += [
        f"{run_id} waits for a person: {what}; `run status {run_id[-8:]}` says more" for run_id, what in report.persons.items()
    ]
    lines += _clock_lines(report)
    result = {
        "open_runs": report.open_runs,
        "clock_behind_s": report.behind_s,
        "events": report.events,
        "frozen": report.frozen,
        "persons": report.persons,
        "refusals": [{"run_id": run_id, **line.model_dump()} for run_id, line in report.refusals],
    }
    if report.is_failed:
        return Answer(lines=lines, result=result, code="STORE_FAILED", message="a store failed for every run", exit_code=7)
    if is_watch and report.persons:
        return Answer(lines=lines, result=result, code="PERSON_NEEDED", message="a person is needed", exit_code=3)
    return Answer(lines=lines, result=result)


def _clock_lines(report: PassReport) -> list[str]:
    if report.behind_s < CLOCK_BEHIND_S:
        return []
    behind = f"this machine's clock is {report.behind_s} s behind the log"
    return [f"{behind}: until it has caught up deadlines pass at half speed, and only while a pass watches; is it set right?"]


def _preview(house: House, only: str | None) -> Answer:
    found = preview(house.pass_world(), only)
    lines = []
    for run_id, kinds in found.events.items():
        parts = [f"record {', '.join(kinds)}"] if kinds else []
        parts += [f"start a job for {target}" for target in found.starts[run_id]]
        parts += [f"end {job_id}" for job_id in found.ends[run_id]]
        lines.append(f"{run_id}: would {'; '.join(parts) or 'do nothing'}")
    lines += [f"{run_id} would be set aside: {why}" for run_id, why in found.report.frozen.items()]
    lines += [f"request {line.request} would be refused: {line.code}: {line.message}" for _, line in found.report.refusals]
    result = {"events": found.events, "starts": found.starts, "ends": found.ends, "frozen": found.report.frozen}
    return Answer(lines=[*lines, "dry run: nothing was written"], result=result)


def _watch(house: House, only: str | None, shown: StatusLines | None, *, is_forever: bool) -> PassReport:
    """Pass until nothing moves on; a store that fails or a run that is set aside is looked at again before the watch gives up."""
    world, failed = replace(house.pass_world(), repeats_s=house.settings.pace.cadence_s), 0
    persons: dict[str, str] = {}
    refusals, is_told = [], shown is None
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
            for line in () if is_told else _clock_lines(report):
                sys.stderr.write(f"{line}\n")
                is_told = True
            persons = {run_id: what for run_id, what in persons.items() if run_id not in report.open} | report.persons
            refusals += report.refusals
            is_waiting = only is None and house.inbox.list(1).waiting > 0
            if report.is_stuck and not is_waiting and not 0 < failed <= WATCH_PATIENCE and not is_forever:
                report.persons, report.refusals = persons, refusals if shown is None else report.refusals
                return report
            if shown is not None:
                shown.show(report)
        house.clock.sleep(house.settings.pace.cadence_s)


RECONCILE = Verb(
    "reconcile", "take requests and move runs on", "run reconcile --all --watch", _reconcile_arguments, reconcile_runs
)
