"""The small JSON body of a request that carries no document, read field by field."""

from shared.digests import MAX_SAFE_INTEGER
from shared.documents.document import read_json
from shared.errors import BadInput

WAY_OUT = "Ask with the commands of `run`, `request` and `control`, or on the page Request: they write bodies like this."
MAX_TEXT = 500
MAX_TOLD = 1_000
"""Of what a refusal tells its requester: where, what, and what to do next."""


class RequestBody:
    """What the text of a request's body says; an empty text says nothing."""

    def __init__(self, text: str) -> None:
        self._found = read_json(text.encode(), what="the body", code="REQUEST_INVALID") if text else {}
        if not isinstance(self._found, dict):
            raise BadInput("REQUEST_INVALID", "expected a JSON object", field="body", way_out=WAY_OUT)

    def text(self, name: str) -> str:
        """Return a text, cut to its bound; nothing if it is not given."""
        value = self._found.get(name, "")
        if not isinstance(value, str):
            raise BadInput("REQUEST_INVALID", "expected text", field=f"body.{name}", way_out=WAY_OUT)
        if not value.isascii() and any("\ud800" <= mark <= "\udfff" for mark in value):
            raise BadInput("REQUEST_INVALID", "expected text without lone surrogates", field=f"body.{name}", way_out=WAY_OUT)
        return value[:MAX_TEXT]

    def word(self, name: str, *known: str) -> str:
        """Return one of the `known` words."""
        value = self.text(name)
        if value not in known:
            raise BadInput("REQUEST_INVALID", f"expected {' or '.join(known)}", field=f"body.{name}", way_out=WAY_OUT)
        return value

    def flag(self, name: str) -> bool:
        """Tell whether `name` is true."""
        return self._found.get(name) is True

    def numbers(self, name: str) -> list[int]:
        """Return a list of plan indices."""
        value = self._found.get(name, [])
        if not isinstance(value, list) or not all(type(each) is int and 0 <= each <= MAX_SAFE_INTEGER for each in value):
            raise BadInput("REQUEST_INVALID", "expected a list of plan indices", field=f"body.{name}", way_out=WAY_OUT)
        return value
