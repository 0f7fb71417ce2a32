"""The form: an offer, its models, its agents and a cost ceiling; everything else is the offer's and is shown."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from shared.documents.experiment.reader import read_experiment
from shared.documents.reviewed.offer import Offer
from shared.money import format_usd
from shared.planning.requested import offered_ids
from space.components.html import Child, Markup, tag
from space.components.shell import panel
from space.pages.requests.frame import button, hidden, lines, sender


class Filled(NamedTuple):
    """What stands in the form."""

    offer: str = ""
    models: Sequence[str] = ()
    agents: Sequence[str] = ()
    ceiling_usd: str = ""


def form(offers: Sequence[Offer], filled: Filled) -> Markup:
    """Return the form for one of `offers`, as it was filled."""
    if not offers:
        return panel(
            "Nothing is offered yet", tag("p", "A maintainer offers a benchmark with its models and agents."), kind="empty"
        )
    offer = next((each for each in offers if each.name == filled.offer), offers[0])
    return tag("section", tag("h2", "Ask for a run"), _choose_offer(offers, offer), _form(offer, filled))


def _choose_offer(offers: Sequence[Offer], chosen: Offer) -> Markup | None:
    if len(offers) == 1:
        return None
    links = [
        tag("li", tag("a", each.title, href=f"/request?offer={each.name}", aria_current="true" if each is chosen else None))
        for each in offers
    ]
    return tag("nav", tag("ul", *links), aria_label="What is offered", class_="contents")


def _form(offer: Offer, filled: Filled) -> Markup:
    models, agents = offered_ids(offer)
    experiment = read_experiment(offer.manifest.encode())
    most = experiment.policy.max_spend_usd_micros
    is_new = filled.offer != offer.name
    tasks = f"{len(offer.tasks):,}, each {experiment.policy.repeats} times"
    facts = lines(
        (
            ("Tasks", tasks),
            ("Longest trial", f"{experiment.policy.trial_seconds} s"),
            ("Prices", f"{offer.prices.name}, observed {offer.prices.observed_at}"),
            ("Published in", experiment.publishing.dataset),
        )
    )
    field = tag("input", type="text", name="ceiling_usd", value=filled.ceiling_usd or "0", inputmode="decimal", maxlength=20)
    ceiling = tag("label", tag("span", "US dollars"), field, class_="line")
    return sender(
        "/request/preview",
        hidden("offer", offer.name),
        _group("Benchmark and preset", tag("p", tag("strong", offer.title)), facts),
        _group("Model", *_boxes("models", models, models if is_new else filled.models)),
        _group("Agent", *_boxes("agents", agents, agents if is_new else filled.agents)),
        _group("Cost ceiling", tag("p", f"The run stops before it costs more. At most {format_usd(most)} here."), ceiling),
        button("Preview"),
        tag("p", "The preview writes nothing.", class_="muted"),
    )


def _group(name: str, *children: Child) -> Markup:
    return tag("fieldset", tag("legend", name), *children)


def _boxes(name: str, values: Sequence[str], chosen: Sequence[str]) -> list[Markup]:
    return [
        tag("label", tag("input", type="checkbox", name=name, value=value, checked=value in chosen), tag("span", _word(value)))
        for value in values
    ]


def _word(value: str) -> str:
    return "no model (the agent asks none)" if value == "none" else value


def manifest_link(filled: Filled) -> Markup:
    """Return the link to the manifest that says the same as the form."""
    chosen = {"models": ",".join(filled.models), "agents": ",".join(filled.agents)}
    query = urlencode({"offer": filled.offer, **chosen, "ceiling_usd": filled.ceiling_usd})
    return tag("a", "Download YAML", href=f"/request/manifest?{query}")
