"""The fields of a sent form: every name known, every value bounded, nothing twice that may stand once."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from shared.errors import BadInput

FORM_TYPE: Final = "application/x-www-form-urlencoded"
MAX_FIELDS: Final = 250
MAX_VALUE: Final = 300
LONG: Final = {"body": 64 * 1024, "ticket": 8_192}


class Fields:
    """A form as it was sent."""

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        self._values: Final = values

    def text(self, name: str) -> str:
        """Return a value that may stand once; empty where it is not given."""
        found = self._values.get(name, ())
        if len(found) > 1:
            raise _bad("this may stand once", name)
        return found[0] if found else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return every value, sorted, once each."""
        return tuple(sorted(set(self._values.get(name, ()))))

    def word(self, name: str, *known: str) -> str:
        """Return one of the `known` words."""
        found = self.text(name)
        if found not in known:
            raise _bad(f"expected {' or '.join(known)}", name)
        return found


def read_fields(content_type: str, body: bytes, known: Collection[str]) -> Fields:
    """Return the fields of `body`; raise BadInput `REQUEST_INVALID` naming what is wrong."""
    if content_type.partition(";")[0].strip().lower() != FORM_TYPE:
        raise _bad(f"expected a form ({FORM_TYPE})")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise _bad("the form cannot be read") from error
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in known:
            raise _bad("the form has a field that is not ours")
        if len(value) > LONG.get(name, MAX_VALUE):
            raise _bad("the value is too long", name)
        if any(ord(character) < 32 or ord(character) == 127 for character in value):
            raise _bad("expected text without control characters", name)
        values.setdefault(name, []).append(value)
    return Fields(values)


def _bad(message: str, field: str = "") -> BadInput:
    return BadInput("REQUEST_INVALID", message, field=field, way_out="Open the page again and use its form.")
