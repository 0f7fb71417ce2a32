"""Noun `request`: what waits for a maintainer, and what a maintainer decides about it."""

import argparse
from typing import Any

from runner.bootstrap import House, build
from runner.cli.answer import Answer, Verb, no_arguments
from runner.cli.request.offers import OFFERS
from runner.cli.run_names import find_run
from runner.usecases.journals.loading import RUN, run_subject
from runner.usecases.requests.waiting_runs import waiting_requests
from runner.usecases.runs.submit_run import put_request, request_body
from shared.documents.status import RunStatus
from shared.errors import BadInput, Refused
from shared.ids import RequestId, generate, is_id
from shared.inbox.codec import Request, RequestSubject
from shared.money import format_usd
from shared.plural import counted

REFUSALS_SHOWN = 10


def _id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="a request id, or a run id or enough of its end to be unique")
    parser.add_argument("--dry-run", action="store_true", help="say what would be asked, put nothing into the inbox")


def _id_and_reason(parser: argparse.ArgumentParser) -> None:
    _id(parser)
    parser.add_argument("--reason", required=True, metavar="T", help="why; a withdrawal's reason is published")


def list_requests(_found: argparse.Namespace) -> Answer:
    """List what waits: submits for approval, runs for consent, and requests that no pass has taken."""
    house = build()
    documents = [document for document in _documents(house) if document.request_state.startswith("waiting_")]
    waiting = house.inbox.list(1).waiting
    requests = [request for _, request in waiting_requests(house.inbox)]
    lines = [_line(document) for document in documents]
    if waiting:
        wait = counted(waiting, "request waits", "requests wait")
        lines.append(f"{wait} in the inbox; `run reconcile --all` takes {'it' if waiting == 1 else 'them'}")
    lines += [f"  {each.request_id} {each.kind} of {each.subject.id} by {each.actor.user_id}" for each in requests]
    refused = [(document.run_id, refusal) for document in _documents(house) for refusal in document.refusals][-REFUSALS_SHOWN:]
    lines += [f"{run_id[-8:]} refused {each.request}: {each.code}: {each.message}" for run_id, each in refused]
    result = {
        "waiting": [_result(document) for document in documents],
        "inbox": waiting,
        "inbox_requests": [
            {"request_id": each.request_id, "kind": each.kind, "subject": each.subject.id, "user_id": each.actor.user_id}
            for each in requests
        ],
        "refused": [{"run_id": run_id, **each.model_dump(mode="json")} for run_id, each in refused],
    }
    return Answer(lines=lines or ["no request waits"], result=result)


def approve(found: argparse.Namespace) -> Answer:
    """Let a waiting submit in."""
    return _judge(found, "approve", "")


def refuse(found: argparse.Namespace) -> Answer:
    """End a waiting submit."""
    return _judge(found, "refuse", found.reason)


def keep_private(found: argparse.Namespace) -> Answer:
    """Decide that a requested run is not published."""
    return _ask(build(), found, "consent", {"decision": "private"})


def withdraw(found: argparse.Namespace) -> Answer:
    """Ask for a published run to leave the ranking."""
    house = build()
    document = _status(house, found.id)
    if not document.publication_id:
        raise Refused("NOT_PUBLISHED", f"{document.run_id} is not published", way_out="`results list` shows what is.")
    return _ask(house, found, "withdraw", {"publication_id": document.publication_id, "reason": found.reason})


def _judge(found: argparse.Namespace, verdict: str, reason: str) -> Answer:
    house = build()
    waiting = _status(house, found.id).waiting_approval
    if waiting is None:
        raise Refused("NOT_WAITING", "no submit of this run waits for approval", way_out="`request list` shows what waits.")
    body = {"request_id": waiting.request_id, "body_sha256": waiting.body_sha256, "verdict": verdict, "reason": reason}
    return _ask(house, found, "approve", body)


def _ask(house: House, found: argparse.Namespace, kind: str, body: dict[str, Any]) -> Answer:
    run_id = _status(house, found.id).run_id
    if "reason" in body:
        body = {**body, "reason": house.redactor.redact_text(body["reason"])}
    request_id = RequestId(generate("req", house.chance.uuid7()))
    ids = {"run_id": run_id, "request_id": request_id}
    if found.dry_run:
        return Answer(f"dry run: would ask {kind} of {run_id}", ids=ids, result=body)
    put_request(house.inbox, Request(request_id, kind, house.actor(), RequestSubject("run", run_id), request_body(**body)))
    return Answer(f"{kind} of {run_id} is in the inbox; a pass takes it", ids=ids, result=body)


def _status(house: House, text: str) -> RunStatus:
    """Return the status of the run that a request id, or a run's name, leads to; raise NOT_FOUND."""
    if is_id(text, "req"):
        for document in _documents(house):
            if document.waiting_approval is not None and document.waiting_approval.request_id == text:
                return document
        raise Refused("NOT_FOUND", f"no run waits for {text}", field="ID", way_out="`request list` shows what waits.")
    found = house.status.read(run_subject(find_run(house, text)))
    if found is None:
        raise Refused("NOT_FOUND", f"no status of {text} yet", field="ID", way_out="Run `run reconcile --all`.")
    return RunStatus.from_bytes(found.data)


def _documents(house: House) -> list[RunStatus]:
    found = []
    for subject, stored in sorted(house.status.list().items()):
        if subject.type == RUN:
            try:
                found.append(RunStatus.from_bytes(stored.data))
            except BadInput:
                continue  # Of another version: the next pass writes it again.
    return found


def _line(document: RunStatus) -> str:
    who = f"{document.run_id[-8:]} of {document.requested_by}"
    if document.waiting_approval is not None:
        waiting = document.waiting_approval
        cost = format_usd(waiting.ceiling_usd_micros)
        return f"{who} waits for approval until {waiting.expires_at}: at most {cost}, {waiting.request_id}"
    return f"{who} waits for its requester's consent until {document.consent.expires_at if document.consent else '?'}"


def _result(document: RunStatus) -> dict[str, Any]:
    return document.model_dump(
        mode="json", include={"run_id", "requested_by", "owner", "request_state", "waiting_approval", "consent"}
    )


VERBS = (
    Verb("list", "show what waits for a decision", "request list", no_arguments, list_requests),
    Verb("approve", "let a waiting submit in", "request approve 1f3a", _id, approve),
    Verb("refuse", "end a waiting submit", "request refuse 1f3a --reason 'too large'", _id_and_reason, refuse),
    Verb("keep-private", "decide that a requested run is not published", "request keep-private 1f3a", _id, keep_private),
    Verb("withdraw", "take a published run out of the ranking", "request withdraw 1f3a --reason T", _id_and_reason, withdraw),
    *OFFERS,
)
