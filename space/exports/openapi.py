"""The description of the API as OpenAPI 3.1: every list with its keys and columns, made from the lists themselves."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from space.exports.eval_file import EVAL_RESULTS
from space.exports.formats import FORMS
from space.exports.routes import FACTS, ITEMS, ROOT
from space.listings.listing import Field, Kind, Listing, discover
from space.listings.units import described, unit_of
from space.queries.view import KEYS

type Json = dict[str, Any]


@cache
def openapi() -> Mapping[str, Any]:
    """Return the document."""
    paths = {f"{ROOT}{name}": _get(listing.title, _list_keys(listing), listing) for name, listing in discover().items()}
    for (first, last), (name, key) in ITEMS.items():
        path = f"{ROOT}{first}/{{{key}}}" + (f"/{last}" if last else "")
        own = [_in_path(key), *_shared(*FORMS, *([EVAL_RESULTS] if name == "cells" else []))]
        paths[path] = _get(f"{discover()[name].title}: one by its id", own, discover()[name])
    paths[f"{ROOT}provenance/{{cell_id}}"] = _get("Where the score of a cell comes from", [_in_path("cell_id"), *_shared()])
    for name in FACTS:
        paths[f"{ROOT}{name}"] = _get(_FACT_TITLES[name], _shared())
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Seawall",
            "version": "1",
            "description": _ABOUT,
        },
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": {"Error": _ERROR}},
    }


def _get(title: str, keys: list[Json], listing: Listing | None = None) -> Json:
    row = _object(listing.fields) if listing else {"type": "object"}
    properties = {**_ANSWER, "rows": {"type": "array", "items": row}}
    good = {"description": "the rows", "content": {"application/json": {"schema": {"type": "object", "properties": properties}}}}
    bad = {"description": "why not", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    return {
        "get": {
            "summary": title,
            "parameters": keys,
            "responses": {"200": good, "304": {"description": "unchanged"}, **dict.fromkeys(_BAD, bad)},
        }
    }


def _object(fields: Iterable[Field]) -> Json:
    return {"type": "object", "properties": {field.name: _column(field) for field in fields}}


def _column(field: Field) -> Json:
    kind = _KINDS[field.kind]
    found: Json = {**kind, "type": [kind["type"], "null"]}
    said, unit = described(field), unit_of(field)
    return {**found, **({"description": said} if said else {}), **({"x-unit": unit} if unit else {})}


def _list_keys(listing: Listing) -> list[Json]:
    return [*(_in_query(key) for key in sorted(listing.parameters | {"page", "per_page"})), *_shared(*FORMS)]


def _shared(*forms: str) -> list[Json]:
    found = [_in_query("revision")]
    if forms:
        said = "the whole list as a file"
        found.append({"name": "format", "in": "query", "schema": {"type": "string", "enum": list(forms)}, "description": said})
    return found


def _in_query(key: str) -> Json:
    default = KEYS[key].default
    kind = "integer" if isinstance(default, int) else "string"
    found: Json = {"name": key, "in": "query", "schema": {"type": kind}, "description": _MEANINGS.get(key, "")}
    if isinstance(default, tuple):
        found["schema"] = {"type": "array", "items": {"type": "string"}}
        found |= {"style": "form", "explode": False}
    elif default:
        found["schema"]["default"] = default
    return found


def _in_path(key: str) -> Json:
    return {"name": key, "in": "path", "required": True, "schema": {"type": "string"}}


_ABOUT: Final = (
    "Published results of agent benchmarks, read without an account. Times are ISO 8601 in UTC, money is integer micro-USD "
    "(columns ending in _usd_micros), durations are seconds; every column says its unit (x-unit), the same in every format. "
    "null is a value that is not there, and a column's description says why."
)
_BAD: Final = ("400", "404", "413", "503", "504")
_FACT_TITLES: Final = {"mirror": "Which mirror is served, and how to cite it", "revisions": "The newest revisions of the catalog"}
_MEANINGS: Final = {
    "revision": "number of an earlier revision of the catalog; the first answer may be 503 until it is read",
    "edition": "beginning of an edition's digest; without it the newest edition with most cells",
    "benchmark": "a published benchmark",
    "q": "text that model, agent or cell id contain",
    "reruns": "latest or all",
    "roles": "final, component or diagnostic",
    "sort": "score, cost, pass_rate, tokens, duration or completed",
    "dir": "asc or desc; without it the better first",
    "per_page": "25, 50, 100 or 200",
    "max_cost": "at most so many US dollars a planned trial",
    "cells": "two to four cell ids",
}
_KINDS: Final[Mapping[Kind, Mapping[str, Any]]] = {
    "text": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "time": {"type": "string", "format": "date-time"},
    "micros": {"type": "integer"},
    "seconds": {"type": "number"},
    "texts": {"type": "array", "items": {"type": "string"}},
}
_ANSWER: Final[Mapping[str, Any]] = {
    "mirror": {"type": "string", "description": "digest over everything that the numbers come from"},
    "revisions": {"type": "object", "description": "revision and digest of each dataset"},
    "view": {"type": "string", "description": "the address of this answer, as it was understood"},
    "ignored": {"type": "array", "items": {"type": "string"}, "description": "keys that mean nothing here"},
    "total": {"type": "integer"},
    "page": {"type": "integer"},
    "pages": {"type": "integer"},
}
_ERROR: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {name: {"type": "string"} for name in ("code", "message", "field", "way_out")},
        }
    },
}
