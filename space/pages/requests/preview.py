"""What would be asked for, before it is: a submit with its plan, cost and who will see it; any other request in its own words."""

import json
from collections.abc import Sequence
from decimal import Decimal

from shared.documents.run_request import RunRequest
from shared.inbox.quotas import Used
from shared.money import MICROS_PER_USD, format_usd
from shared.plural import counted
from space.components.figures import duration
from space.components.html import Markup, tag
from space.pages.requests.form import Filled, manifest_link
from space.pages.requests.frame import button, hidden, lines, sender
from space.requests.submit import Preview
from space.requests.ticket import Draft

_TITLES = {
    "cancel": "Cancel this run",
    "approve": "Decide about this request",
    "consent": "Decide what becomes public",
    "withdraw": "Withdraw this publication",
    "hold": "Hold new work",
}
_SAYS = {
    "cancel": "What is complete stays; nothing new starts.",
    "approve": "An approval names exactly the request that you looked at.",
    "consent": "Publishing shows exactly the rows on the run's page. Kept private, one record a cell stays: digest and time.",
    "withdraw": "The line leaves the ranking and stays listed with this reason. Earlier revisions keep it.",
    "hold": "While it is on, no new work that costs starts; cleanup goes on.",
}


def submit_preview(preview: Preview, before: Sequence[str], ticket: str) -> Markup:
    """Return the preview of a submit with the form that confirms it; `before` are published cells of the same configuration."""
    head, sums, prices = preview.plan.head, preview.plan.head.arithmetic, preview.offer.prices
    expected, most = sums.expected_cost_usd_micros, preview.asked.max_spend_usd_micros
    facts = lines(
        (
            (
                "Trials",
                " x ".join((counted(sums.cells, "cell"), counted(sums.tasks, "task"), counted(head.policy.repeats, "repeat")))
                + f" = {sums.trials:,}",
            ),
            ("Shards, waves", f"{sums.shards}, {sums.waves}"),
            ("Expected cost", f"{format_usd(expected)}, {_each(expected, sums.trials)} per trial"),
            ("At most", f"{format_usd(most)}, {_each(most, sums.trials)} per trial"),
            ("Prices", f"{prices.name}, observed {prices.observed_at}, digest {prices.digest}"),
            ("Longest wave", duration(sums.longest_wave_seconds)),
            ("At once", counted(head.policy.concurrent_trials, "trial")),
            ("Next pass", f"due {preview.next_pass}"),
            ("Plan digest", tag("code", preview.plan.digest, class_="digest")),
        )
    )
    waits = (
        "A maintainer has to approve it first; after 7 days it is refused."
        if preview.waits_for_approval
        else "It needs no approval."
    )
    held = tag("p", "A hold is on: it will wait until a maintainer lifts it.") if preview.is_held else None
    return tag(
        "section",
        tag("h2", f"Preview of {preview.offer.title}"),
        facts,
        _before(before),
        tag("h3", "What of your limits is in use"),
        _left(preview, preview.used),
        tag("p", waits),
        held,
        tag("p", manifest_link(filled_of(preview.asked)), " gives the command line the same plan."),
        _confirm(ticket, preview.asked.to_bytes().decode(), _seen_by()),
    )


def decision_preview(draft: Draft, ticket: str) -> Markup:
    """Return what any other request would ask, with the form that confirms it."""
    said = [(name, _text(value)) for name, value in sorted(json.loads(draft.body).items())]
    about = [("about", draft.subject.id)] if draft.subject.type == "run" else []
    return tag(
        "section",
        tag("h2", _TITLES[draft.kind]),
        tag("p", _SAYS[draft.kind]),
        lines([*about, *said]),
        _confirm(ticket, draft.body, None),
    )


def filled_of(asked: RunRequest) -> Filled:
    """Return the form as it was filled for `asked`."""
    usd = Decimal(asked.max_spend_usd_micros) / MICROS_PER_USD
    return Filled(asked.offer, asked.models, asked.agents, f"{usd:f}")


def _confirm(ticket: str, body: str, consent: Markup | None) -> Markup:
    return sender("/request/confirm", hidden("ticket", ticket), hidden("body", body), consent, button("Confirm"))


def _seen_by() -> Markup:
    box = tag("input", type="checkbox", name="seen", value="yes", required=True)
    said = (
        "I have read who will see it: this run is yours and the maintainers' until it ends. If you then publish it, "
        "your account's id, its cost and its failures become public with the result."
    )
    return tag("label", box, tag("span", said))


def _left(preview: Preview, used: Used) -> Markup:
    bounds = preview.bounds
    return lines(
        (
            ("Unfinished requests", f"{used.open_user:,} of {bounds.open_requests_user:,}"),
            ("Requests in 24 hours", f"{used.day_user:,} of {bounds.requests_day_user:,}"),
            ("Today", f"{format_usd(used.day_user_usd_micros)} of {format_usd(bounds.day_user_usd_micros)}"),
            ("This month", f"{format_usd(used.month_user_usd_micros)} of {format_usd(bounds.month_user_usd_micros)}"),
        )
    )


def _before(cells: Sequence[str]) -> Markup | None:
    if not cells:
        return None
    listed = [tag("li", tag("a", cell, href=f"/cell?cell_id={cell}")) for cell in cells]
    return tag("div", tag("h3", "Measured before, the same configuration"), tag("ul", *listed))


def _each(micros: int, trials: int) -> str:
    return format_usd(-(-micros // trials) if trials else 0)


def _text(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value) or "-"
