"""What a program asks for by an address: a view that is read strictly, the format, and what else its query says.

A page shows its default where a value is none; a program would take that for its answer, so here a bad value is an error that
names its key. An unknown key is left out and named in the answer.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import parse_qsl

from shared.errors import BadInput
from space.queries.view import ALWAYS, KEYS, MAX_QUERY_BYTES, MAX_VALUE, View, parse

FORMAT: Final = "format"
PAGING: Final = frozenset({"page", "per_page"})
_MAX_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A view, the format it is wanted in ("" for none said), and the keys that mean nothing here."""

    view: View
    format: str
    ignored: tuple[str, ...] = ()


def read_asked(page: str, query: str | bytes, parameters: Collection[str]) -> Asked:
    """Return what `query` asks of `page`; raise BadInput `query.invalid` or `query.too_long` naming the key."""
    raw = query.encode("utf-8", "replace") if isinstance(query, str) else query
    if len(raw) > MAX_QUERY_BYTES:
        raise BadInput("query.too_long", f"a query has at most {MAX_QUERY_BYTES:,} bytes, got {len(raw):,}")
    pairs = _pairs(raw)
    view = parse(page, raw, parameters)
    if view.ignored:
        raise _invalid(view.ignored[0])
    _refuse_twice(pairs)
    known = {*parameters, *ALWAYS, FORMAT}
    unknown = sorted({key[:MAX_VALUE] for key, _ in pairs if key not in known})[:_MAX_NAMED]
    without_looks = {key: value for key, value in view.values.items() if key != "__theme"}
    return Asked(replace(view, values=without_looks), dict(pairs).get(FORMAT, ""), tuple(unknown))


def _pairs(raw: bytes) -> Sequence[tuple[str, str]]:
    try:
        return parse_qsl(raw.decode("utf-8"), keep_blank_values=False, errors="strict", separator="&")
    except (UnicodeDecodeError, ValueError):
        raise BadInput("query.invalid", "a query is UTF-8, percent-encoded") from None


def _refuse_twice(pairs: Sequence[tuple[str, str]]) -> None:
    """Refuse two different values of a key that holds one: which of them counts would be a guess."""
    first: dict[str, str] = {}
    for key, value in pairs:
        if key in KEYS and isinstance(KEYS[key].default, tuple):
            continue
        if (key in KEYS or key == FORMAT) and first.setdefault(key, value) != value:
            raise BadInput("query.invalid", f"{key} is given twice", field=key)


def _invalid(key: str) -> BadInput:
    return BadInput(
        "query.invalid", f"{key} has a value that it cannot have", field=key, way_out="/openapi.json says which it can."
    )
