"""Named yield points: the places where a test may end the process, one name each, passed by the real code.

`reach(NAME)` does nothing in production. `SEAWALL_FAULT=<name>:<n>` makes bootstrap install a hook that ends the process with
SIGKILL at its n-th passage of that name, and the simulator installs hooks of its own. A test walks `YIELDS`: each name is
passed by some run and killed by some test. A name is `<part>.<step>`; `before` an effect, `after` its answer is known.
"""

from collections.abc import Callable
from typing import Final

YIELDS: Final[dict[str, str]] = {}


def declare(name: str, where: str) -> str:
    """Register the yield point `name` with one line on `where` it stands; return the name."""
    if name in YIELDS:
        raise ValueError(f"yield point {name!r} is declared twice")
    YIELDS[name] = where
    return name


def _pass_by(_name: str) -> None:
    return


_hook: Callable[[str], None] = _pass_by


def install(hook: Callable[[str], None]) -> None:
    """Call `hook(name)` at every yield point from now on."""
    global _hook
    _hook = hook


def reach(name: str) -> None:
    """Pass the yield point `name`."""
    _hook(name)
