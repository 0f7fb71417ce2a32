"""Who keeps this leaderboard and where its program is, as the settings say it; what visitors are told of it, components say."""

import re
from dataclasses import dataclass
from typing import Final

_PLAIN: Final = re.compile(r"https://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:[0-9]{1,5})?(/[\w.~-]+)*/?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Keeper:
    """What is known of who keeps this Space; empty where it is not said."""

    contact: str = ""
    """Whom to ask: a name, an e-mail or an https address."""
    repository: str = ""
    """The https address that the program is cloned from."""
    community: str = ""
    """The https address of the Community tab on the Hub, of the Space or else of the catalog."""
    has_program: bool = False
    """The Space runs from a whole checkout, the command line included."""


NOBODY: Final = Keeper()
"""Nothing is known."""


def is_plain_address(text: str) -> bool:
    """Tell whether `text` is an https address that may stand in a link: a host and a plain path, no account and no query."""
    return _PLAIN.fullmatch(text) is not None and ".." not in text
