"""The view codec: a page plus its parsed query string, the only view state there is.

`parse` never fails: the query is cut to 2,048 bytes, unknown keys are dropped, a bad value becomes the default and its key is
named in `ignored`. `format_query` is canonical (defaults left out, keys and lists sorted), and `parse(format_query(v)) == v`.
Gradio's own `__theme` is kept, so that a page embedded in a dark frame stays dark.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import parse_qsl, quote

MAX_QUERY_BYTES: Final = 2_048
MAX_VALUE: Final = 200
MAX_TEXT: Final = 100
MAX_CELLS: Final = 4
MAX_MARKED: Final = 40
"""So many marks are kept, so that who marked too many is told so and loses none; more do not fit in what a form may send."""

type Value = str | int | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of the query string: how its text is read (None = not a value), and what holds without it."""

    read: Callable[[str], Value | None]
    default: Value
    most: int = MAX_VALUE
    """How long its text may be."""


@dataclass(frozen=True, slots=True)
class View:
    """A page and what its address asks for; `values` holds only what differs from the default."""

    page: str
    values: Mapping[str, Value]
    ignored: tuple[str, ...] = field(default=(), compare=False)

    def text(self, key: str) -> str:
        """Return the text value of `key`."""
        value = self.values.get(key, KEYS[key].default)
        assert isinstance(value, str)
        return value

    def number(self, key: str) -> int:
        """Return the number of `key`."""
        value = self.values.get(key, KEYS[key].default)
        assert isinstance(value, int)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the list of `key`."""
        value = self.values.get(key, KEYS[key].default)
        assert isinstance(value, tuple)
        return value

    def with_values(self, **changes: Value) -> "View":
        """Return this view with `changes`; a value equal to its default is left out."""
        merged = {**self.values, **changes}
        return replace(self, values={key: merged[key] for key in sorted(merged) if merged[key] != KEYS[key].default})


def parse(page: str, query: str | bytes, parameters: Collection[str]) -> View:
    """Return the view of `page` that `query` says; only `parameters` are read."""
    found: dict[str, Value] = {}
    ignored: set[str] = set()
    for key, text in _pairs(query):
        if key not in parameters and key not in ALWAYS:
            continue
        value = KEYS[key].read(text) if len(text) <= KEYS[key].most else None
        if value is None:
            ignored.add(key)
        elif isinstance(value, tuple):
            before = found.get(key, ())
            both = tuple(sorted({*(before if isinstance(before, tuple) else ()), *value}))
            if len(_written(both)) <= KEYS[key].most and KEYS[key].read(_written(both)) == both:
                found[key] = both
            else:
                ignored.add(key)
        else:
            found[key] = value
    return _within_limit(View(page, {}, tuple(sorted(ignored))).with_values(**found))


def _within_limit(view: View) -> View:
    """Return `view` without the values that do not fit its own canonical query; escapes can make that longer than what came."""
    while len(format_query(view)) > MAX_QUERY_BYTES:
        longest = max(view.values, key=lambda key: len(quote(_written(view.values[key]))))
        kept = {key: value for key, value in view.values.items() if key != longest}
        view = View(view.page, kept, tuple(sorted({*view.ignored, longest})))
    return view


def format_query(view: View) -> str:
    """Return the canonical query string of `view`, without the question mark."""
    pairs = [(key, _written(view.values[key])) for key in sorted(view.values)]
    return "&".join([f"{key}={value if _PLAIN.fullmatch(value) else quote(value, safe=',')}" for key, value in pairs])


def address(view: View) -> str:
    """Return the canonical own address of `view`."""
    query = format_query(view)
    return f"/{view.page}?{query}" if query else f"/{view.page}"


def _pairs(query: str | bytes) -> list[tuple[str, str]]:
    raw = query if isinstance(query, bytes) else query.encode("utf-8", "replace")
    cut = raw[:MAX_QUERY_BYTES].decode("utf-8", "replace")
    return parse_qsl(cut, keep_blank_values=False, errors="replace", separator="&")


def _written(value: Value) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


_PLAIN: Final = re.compile(r"[A-Za-z0-9_.~,-]*")
"""What stands in an address as it is: asking costs a fifth of quoting, and a page holds hundreds of addresses."""
_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
_DIGEST: Final = re.compile(r"[0-9a-f]{6,64}")
_REPOSITORY: Final = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_LIST_VALUE: Final = re.compile(r"[A-Za-z0-9][\w.:@/+ -]{0,99}", re.ASCII)


def _identifier(text: str) -> str | None:
    return text if _ID.fullmatch(text) else None


def _digest(text: str) -> str | None:
    return text if _DIGEST.fullmatch(text) else None


def _text(text: str) -> str | None:
    return text if len(text) <= MAX_TEXT and text.strip() and "\0" not in text else None


def _name(text: str) -> str | None:
    return text if text.strip() and "\0" not in text else None


def _list(text: str) -> tuple[str, ...] | None:
    parts = {part for part in text.split(",") if part}
    return tuple(sorted(parts)) if parts and all(_LIST_VALUE.fullmatch(part) for part in parts) else None


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"[1-9][0-9]{0,5}", text) else None


def _one_of(*choices: str) -> Callable[[str], str | None]:
    return lambda text: text if text in choices else None


def _usd(text: str) -> str | None:
    return text if re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", text, re.ASCII) else None


def _cells(text: str) -> tuple[str, ...] | None:
    parts = {part for part in text.split(",") if part}
    return tuple(sorted(parts)) if 0 < len(parts) <= MAX_MARKED and all(_ID.fullmatch(part) for part in parts) else None


def _repository(text: str) -> str | None:
    return text if text == "none" or _REPOSITORY.fullmatch(text) else None


def _agent(text: str) -> str | None:
    return text if _LIST_VALUE.fullmatch(text) else None


def _size(text: str) -> int | None:
    return int(text) if text in {"25", "50", "100", "200"} else None


ALWAYS: Final = frozenset({"__theme", "revision"})
"""Keys of every page: Gradio's own colours, and the catalog revision that is read."""
_EMPTY_LISTS: Final = ("models", "agents", "deployments", "providers", "hardware", "quality", "kind", "cols", "outcomes")
_IDS: Final = ("benchmark", "run_id", "cell_id", "trial_id", "attempt_id", "request_id", "training_id", "release_id")
KEYS: Final[Mapping[str, Key]] = {
    "__theme": Key(_one_of("dark", "light", "system"), ""),
    **{key: Key(_identifier, "") for key in _IDS},
    **{key: Key(_list, ()) for key in _EMPTY_LISTS},
    "edition": Key(_digest, ""),
    "revision": Key(_number, 0),
    "q": Key(_text, ""),
    "reruns": Key(_one_of("latest", "all"), "latest"),
    "roles": Key(_one_of("final", "component", "diagnostic"), "final"),
    "sort": Key(_one_of("score", "cost", "pass_rate", "tokens", "duration", "completed"), "score"),
    "dir": Key(_one_of("asc", "desc"), ""),
    "page": Key(_number, 1),
    "per_page": Key(_size, 50),
    "max_cost": Key(_usd, ""),
    "cells": Key(_cells, (), MAX_MARKED * (len("cell-") + 32 + len(","))),
    "model": Key(_repository, ""),
    "agent": Key(_agent, ""),
    "task": Key(_name, ""),
}
