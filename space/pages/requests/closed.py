"""`/request` where there is no form: why, and the two other ways to get a model on here."""

from typing import Final

from space.components.html import Markup, join, tag
from space.components.shell import panel
from space.components.texts.keeper import for_who_keeps_it, program, whom
from space.form_settings import CLOSED
from space.keeper import Keeper

COMMANDS: Final = (
    "cp benchmarks/starter-smollm2.yaml benchmarks/mine.yaml",
    ".venv/bin/python -m runner run submit benchmarks/mine.yaml",
    ".venv/bin/python -m runner run reconcile --all --watch",
)
WAYS: Final = (
    (
        "Measure it yourself, then send the manifest",
        "in a clone of the program, name your model in a manifest and run the commands below. Who keeps this can run it here.",
    ),
    (
        "Send finished jobs of Harbor",
        "the jobs folder is imported with its evidence, listed as manual, and never ranked: nobody here saw it run.",
    ),
)


def closed(code: str, keeper: Keeper) -> Markup:
    """Return the reason `code`, the other ways and whom to ask; the code itself stands last, for who runs the Space."""
    reason = panel("Requests are closed here", tag("p", CLOSED[code]), kind="empty")
    setting = tag("p", "Setting: ", tag("code", code, class_="digest"), class_="muted")
    return join(reason, other_ways(keeper), for_who_keeps_it(keeper), setting)


def signed_out(login: str, *, is_framed: bool, keeper: Keeper) -> Markup:
    """Return the way in, for a visitor who is not signed in; a framed page opens it in a window of its own."""
    link = tag("a", "Sign in", href=login, class_="button", target="_blank" if is_framed else None)
    said = (
        "Sign in to ask for a run. Your account's name and organisations are read, nothing else, and nothing is written for you."
    )
    return join(panel("Sign in", tag("p", said), tag("p", link)), other_ways(keeper))


def other_ways(keeper: Keeper) -> Markup:
    """Return how a model gets on here without the form: what to do, where the program is, whom to send the result to."""
    listed = [tag("li", tag("strong", name), ": ", text) for name, text in WAYS]
    more = tag("p", tag("a", "How to get a model on here", href="/about#model"), " has every step.")
    return tag(
        "section",
        tag("h2", "Two ways without this form", id="ways", tabindex=-1),
        tag("ul", *listed),
        tag("p", program(keeper)),
        tag("pre", *(tag("span", line, class_="line") for line in COMMANDS), class_="command", tabindex=0, aria_label="Commands"),
        tag("p", whom(keeper)),
        more,
        class_="prose",
    )
