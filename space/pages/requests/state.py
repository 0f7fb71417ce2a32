"""A request and its run, as its requester and maintainers see it: where it is, what it waits for, what failed, what to do."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from shared.documents.shown import ShownRun
from shared.documents.status import RunStatus
from shared.money import format_usd
from space.auth.people import Person
from space.components.html import Child, Markup, join, tag
from space.components.shell import panel
from space.components.table import Column, table
from space.pages.requests.failures import failures
from space.pages.requests.frame import button, hidden, lines, sender
from space.requests.run_seen import RunSeen

_WORDS: Final = {
    "waiting_approval": "Waiting for a maintainer's approval",
    "taken": "Taken",
    "refused": "Refused",
    "waiting_consent": "Ended, private, and waiting for your decision",
    "published": "Published",
    "kept_private": "Kept private",
    "withdrawn": "Withdrawn",
    "ended": "Ended short of complete: there is nothing to publish",
}
_OPEN: Final = frozenset({"taken", "waiting_approval"})


def state(seen: RunSeen, shown: ShownRun | None, person: Person, next_pass: str) -> Markup:
    """Return the page of one request; `next_pass` says when the next pass is due."""
    status = seen.status
    if status is None:
        if seen.submit in seen.writing:
            return join(tag("p", "Writing: not recorded yet", class_="state"), _writing(seen), _cancel(seen))
        said = "Recorded. No pass has taken it yet; this page says more once one has."
        return join(
            tag("p", "Recorded", class_="state"), tag("p", said), _writing(seen), _waiting(seen, next_pass), _cancel(seen)
        )
    return join(
        tag("p", _WORDS.get(status.request_state, status.request_state), class_="state"),
        tag("p", tag("a", "To your decision", href="#decide")) if status.request_state == "waiting_consent" else None,
        _facts(status, next_pass),
        _writing(seen),
        _waiting(seen, next_pass),
        _refusals(status),
        _shown(status, shown) if shown is not None else None,
        _actions(seen, status, person),
        failures(status),
    )


def _facts(status: RunStatus, next_pass: str) -> Markup:
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(status.counts.items())) or "none yet"
    amounts = (status.settled_usd_micros, status.reserved_usd_micros, status.ceiling_usd_micros)
    spent = "{}, {} reserved, at most {}".format(*map(format_usd, amounts))
    pairs: list[tuple[str, Child]] = [
        ("Run", tag("code", status.run_id, class_="digest")),
        ("Experiment", status.experiment or "-"),
        ("Asked for by", status.requested_by),
        ("Waits for", status.awaits),
        ("Trials", f"{status.planned} planned: {counts}"),
        ("Spent", spent),
        ("Waves", ", ".join(f"{wave.number} {wave.state}" for wave in status.waves) or "none yet"),
        ("Written", f"{status.written_at}, sequence {status.seq}"),
    ]
    if status.request_state in _OPEN:
        pairs.append(("Next pass", f"due {next_pass}"))
    if status.held_by:
        pairs.append(("Held back by", status.held_by))
    if status.withdrawn_because:
        pairs.append(("Withdrawn because", status.withdrawn_because))
    pairs += [(f"Attention: {code}", why) for code, why in status.attention.items()]
    if status.publication_id:
        pairs.append(("Published as", tag("a", status.publication_id, href=f"/run?run_id={status.run_id}")))
    return lines(pairs)


def _writing(seen: RunSeen) -> Markup | None:
    if not seen.writing:
        return None
    kinds = ", ".join(request.kind for request in seen.writing)
    when = f" It is tried next at {datetime.fromtimestamp(seen.due_at, UTC):%H:%M:%S} UTC." if seen.due_at else ""
    return tag("p", f"Writing, not recorded yet: {kinds}.{when} Reload this page then.", role="status")


def _waiting(seen: RunSeen, next_pass: str) -> Markup | None:
    if not seen.waiting:
        return None
    kinds = ", ".join(request.kind for request in seen.waiting)
    return tag("p", f"In the inbox, waiting for the next pass: {kinds}. It is due {next_pass}.", role="status")


def _refusals(status: RunStatus) -> Markup | None:
    if not status.refusals:
        return None
    listed = [tag("li", tag("strong", line.code), ": ", line.message) for line in status.refusals]
    return panel("Refused", tag("ul", *listed), kind="failed" if status.request_state == "refused" else "")


def _shown(status: RunStatus, shown: ShownRun) -> Markup:
    """Return exactly what would become public, and the digests of all of it."""
    digests = [(name, each.rows, tag("code", each.sha256, class_="digest")) for name, each in sorted(shown.tables.items())]
    title = "What would become public" if status.request_state == "waiting_consent" else "What was shown to you"
    named = (
        ("Dataset", shown.dataset),
        ("Publication", shown.publication_id),
        ("Digest of what is shown", tag("code", shown.digest, class_="digest")),
    )
    columns = [Column("Table"), Column("Rows", is_number=True), Column("Digest")]
    parts = [tag("h2", title), lines(named), table("Every table of the publication", columns, digests, name="Tables")]
    for name, rows in (("runs", shown.runs), ("cells", shown.cells), ("trials", shown.trials)):
        parts.append(_rows(name, rows, shown.tables[name].rows if name in shown.tables else len(rows)))
    return tag("section", *parts)


def _rows(name: str, rows: Sequence[Mapping[str, object]], planned: int) -> Markup:
    columns = sorted({column for row in rows for column in row})
    said = f"Rows of {name}: {len(rows)} of {planned}"
    if name == "trials":
        cells = [[_value(row.get(column)) for column in columns] for row in rows]
        inner = table(said, [Column(column) for column in columns], cells, name=f"Rows of {name}")
    else:
        heads = [Column("Column"), *(Column(f"Row {place}") for place in range(1, len(rows) + 1))]
        turned = [[column, *(_value(row.get(column)) for row in rows)] for column in columns]
        inner = table(f"{said}, a line for each column", heads, turned, name=f"Rows of {name}")
    return tag("details", tag("summary", said), inner, open=name == "cells")


def _value(value: object) -> str:
    return "-" if value is None else str(value)


def _actions(seen: RunSeen, status: RunStatus, person: Person) -> Markup | None:
    forms = []
    if status.request_state == "waiting_consent" and status.consent is not None:
        ends = tag("p", f"Without an answer it is kept private on {status.consent.expires_at}.")
        if seen.is_own:
            forms.append(_ask(seen, "consent", "Publish these rows", ends, decision="publish"))
        forms.append(_ask(seen, "consent", "Keep private", decision="private", style="quiet"))
    if status.request_state == "published":
        forms.append(_ask(seen, "withdraw", "Withdraw", _reason("Reason, published"), style="sharp"))
    if status.waiting_approval is not None and person.is_maintainer:
        forms.append(_ask(seen, "approve", "Approve", verdict="approve"))
        forms.append(_ask(seen, "approve", "Refuse", _reason("Reason"), verdict="refuse", style="quiet"))
    if status.request_state in _OPEN:
        forms.append(_cancel(seen))
    return (
        tag("div", tag("h2", "What you may do", id="decide", tabindex=-1), tag("div", *forms, class_="actions"))
        if forms
        else None
    )


def _cancel(seen: RunSeen) -> Markup:
    now = tag("label", tag("input", type="checkbox", name="now", value="yes"), tag("span", "End what is under way at once"))
    return _ask(seen, "cancel", "Cancel", _reason("Reason"), now, style="sharp")


def _ask(seen: RunSeen, kind: str, title: str, *children: Child, style: str = "", **fields: str) -> Markup:
    kept = [hidden(name, value) for name, value in fields.items()]
    return sender(
        "/request/ask", hidden("kind", kind), hidden("run_id", seen.run_id), *kept, *children, button(title, kind=style)
    )


def _reason(title: str) -> Markup:
    return tag("label", tag("span", title), tag("input", type="text", name="reason", maxlength=300), class_="line")
