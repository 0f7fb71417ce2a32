"""What a visitor is told of who keeps this leaderboard and of where its program is.

A visitor always reads a way that exists: the contact, else the Community tab that every repository on the Hub has, else that the
address itself is all that is known. Names of settings stand in one sentence of their own, for who keeps the Space.
"""

from space.components.html import Markup, join, outside_link, tag
from space.keeper import Keeper, is_plain_address


def whom(keeper: Keeper) -> Markup:
    """Return whom to ask."""
    if keeper.contact:
        return join("Whom to ask: ", _linked(keeper.contact), ".")
    if keeper.community:
        return join("Whom to ask: leave a message in the Community tab, ", _linked(keeper.community), ".")
    return join("This Space names no contact: ask whoever gave you its address.")


def program(keeper: Keeper) -> Markup:
    """Return where the program is had, as a sentence."""
    if keeper.repository:
        return join("The program: clone ", _linked(keeper.repository), " and run ", _code("make setup"), " in it.")
    if keeper.has_program:
        return join(
            "The program: this Space names no address to clone from, but it runs from a checkout of the program. "
            "Where that checkout lies, the commands work as they are; from anywhere else, ask for a copy of it."
        )
    return join("The program: this Space names no address to clone from; ask for one.")


def for_who_keeps_it(keeper: Keeper) -> Markup | None:
    """Return which settings are not filled, None where all are."""
    unset = [
        tag("li", _code(name), f": {meaning}")
        for name, meaning, value in (
            ("SEAWALL_REPOSITORY", "the https address of the repository that visitors clone", keeper.repository),
            ("SEAWALL_CONTACT", "whom visitors ask: a name, an e-mail or an https address", keeper.contact),
        )
        if not value
    ]
    return tag("div", tag("p", "For who keeps this Space, not set yet:"), tag("ul", *unset), class_="muted") if unset else None


def _linked(text: str) -> Markup:
    return outside_link(text) if is_plain_address(text) else join(text)


def _code(text: str) -> Markup:
    return tag("code", text, class_="digest")
