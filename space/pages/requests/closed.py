"""`/request` where there is no form: why, and the two other ways to get a model on here."""

from space.components.html import Markup, join, tag
from space.components.shell import panel
from space.form_settings import CLOSED
from space.pages.requests.frame import whom


def closed(code: str, contact: str) -> Markup:
    """Return the reason `code`, the other ways and whom to ask; the code itself stands last, for who runs the Space."""
    reason = panel("Requests are closed here", tag("p", CLOSED[code]), kind="empty")
    return join(reason, other_ways(contact), tag("p", "Setting: ", tag("code", code, class_="digest"), class_="muted"))


def signed_out(login: str, *, is_framed: bool, contact: str) -> Markup:
    """Return the way in, for a visitor who is not signed in; a framed page opens it in a window of its own."""
    link = tag("a", "Sign in", href=login, class_="button", target="_blank" if is_framed else None)
    said = (
        "Sign in to ask for a run. Your account's name and organisations are read, nothing else, and nothing is written for you."
    )
    return join(panel("Sign in", tag("p", said), tag("p", link)), other_ways(contact))


def other_ways(contact: str) -> Markup:
    """Return how a model gets on here without the form."""
    ways = (
        (
            "On your own machine",
            "run a benchmark with your model and send its jobs folder to who keeps this. Imports are listed, never ranked.",
        ),
        (
            "Ask the maintainers",
            f"they run a manifest that you send, or offer it here for members to choose from. {whom(contact)}",
        ),
    )
    listed = [tag("li", tag("strong", name), ": ", text) for name, text in ways]
    more = tag("p", tag("a", "How to get a model on here", href="/about#model"), " has the commands.")
    return tag("section", tag("h2", "Two ways without this form"), tag("ul", *listed), more, class_="prose")
