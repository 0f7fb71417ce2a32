"""Noun `control`: the switch of the whole installation, and the audit of its log."""

import argparse

from runner.bootstrap import build
from runner.cli.answer import Answer, Verb, no_arguments
from runner.domain.control.installation import INSTALLATION
from runner.usecases.control.audit_log import audit_log
from runner.usecases.runs.submit_run import put_request, request_body
from shared.ids import RequestId, generate
from shared.inbox.codec import Request, RequestSubject
from shared.plural import counted


def _hold_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("switch", choices=("on", "off"), help="on: no new billable work; cleanup goes on")
    parser.add_argument("--reason", default="", metavar="T", help="why, for the journal")
    parser.add_argument("--dry-run", action="store_true", help="say what would be asked, put nothing into the inbox")


def hold(found: argparse.Namespace) -> Answer:
    """Ask for new work to be held back, or to go on."""
    house = build()
    request_id = RequestId(generate("req", house.chance.uuid7()))
    if found.dry_run:
        return Answer(f"dry run: would ask to switch the hold {found.switch}", ids={"request_id": request_id})
    body = request_body(switch=found.switch, reason=house.redactor.redact_text(found.reason))
    put_request(house.inbox, Request(request_id, "hold", house.actor(), RequestSubject(*INSTALLATION), body))
    return Answer(f"hold {found.switch} is in the inbox; a pass takes it", ids={"request_id": request_id})


def audit(_found: argparse.Namespace) -> Answer:
    """Read every journal from its beginning and compare."""
    house = build()
    report = audit_log(house.log, house.savepoints)
    lines = [f"{where}: {what}" for where, what in report.findings]
    lines.append(
        ", ".join(
            (counted(report.journals, "journal"), counted(report.events, "event"), counted(len(report.findings), "finding"))
        )
    )
    code, exit_code = ("AUDIT_FINDINGS", 3) if report.findings else ("OK", 0)
    result = {"journals": report.journals, "events": report.events, "findings": [list(each) for each in report.findings]}
    return Answer(lines=lines, result=result, code=code, exit_code=exit_code)


VERBS = (
    Verb("hold", "hold new work back, or let it go on", "control hold on --reason 'price review'", _hold_arguments, hold),
    Verb("audit", "read every journal of the log from its beginning and compare", "control audit", no_arguments, audit),
)
