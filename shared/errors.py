"""The errors that a person or a program can meet, drawn as a tree; the class decides the exit code.

    SeawallError                   1  fault: our own mistake or a broken machine
    |-- BadInput                   2  a document, argument or file is not what was expected; nothing was written
    |-- Refused                    3  well-formed, but a rule, a guard or a check says no; nothing was written
    |-- Inconclusive               4  the check ran and could not decide
    |-- StoreFault                 7  a store failed, or the outcome of an effect is unknown: read the world first
    |-- Conflict                   8  somebody else was first, or holds it now
    `-- DeadlinePassed             9  the work was bounded in time and the time is over

Every error carries a `code` (upper snake case, stable, in docs/map.md), a message that names the thing and the expectation,
the `field` it is about where there is one, and `way_out`: what to do next. Never a secret's value.
"""

from typing import Final


class SeawallError(Exception):
    """The root: anything that Seawall itself raises on purpose."""

    exit_code: int = 1

    def __init__(self, code: str, message: str, *, field: str = "", way_out: str = "") -> None:
        super().__init__(message)
        self.code: Final = code
        self.message: Final = message
        self.field: Final = field
        self.way_out: Final = way_out

    @property
    def told(self) -> str:
        """What a person is told beside the code: where, what, and what to do next."""
        where = f"{self.field}: " if self.field else ""
        if not self.way_out:
            return f"{where}{self.message}"
        stop = "" if self.message.endswith((".", "!", "?")) else "."
        return f"{where}{self.message}{stop} {self.way_out}"

    def __str__(self) -> str:
        return f"{self.code}: {self.told}"


class BadInput(SeawallError):
    """A document, argument or file is not what was expected."""

    exit_code = 2


class Refused(SeawallError):
    """The request is well-formed, but a rule, a guard or a check says no."""

    exit_code = 3


class Inconclusive(SeawallError):
    """A check ran to its end and could not decide."""

    exit_code = 4


class StoreFault(SeawallError):
    """A store failed, or it is unknown whether an effect was applied."""

    exit_code = 7


class Conflict(SeawallError):
    """Somebody else was first, or holds the thing now."""

    exit_code = 8


class DeadlinePassed(SeawallError):
    """The work was bounded in time and the time is over."""

    exit_code = 9
