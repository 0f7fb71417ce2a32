"""An error as a program reads it: the HTTP status, {error: {code, message, field, way_out}}, and when to come again."""

import logging
import secrets
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from shared.errors import BadInput, DeadlinePassed, Refused, SeawallError, StoreFault

_log: Final = logging.getLogger("seawall.space")


class Problem(NamedTuple):
    """What is answered in the place of rows."""

    status: int
    document: Mapping[str, Any]
    retry_after: int = 0
    """Seconds; 0 where coming again changes nothing."""


def problem_of(error: SeawallError) -> Problem:
    """Return what `error` is for a program that asked over HTTP."""
    code = _CODES.get(error.code, error.code)
    kind = next((status for kind, status in _KINDS.items() if isinstance(error, kind)), 500)
    status = _STATUS.get(code, kind)
    said = {"code": code, "message": error.message, "field": error.field, "way_out": error.way_out}
    return Problem(status, {"error": said}, _RETRY.get(code, 30) if status == 503 else 0)


def unexpected(error: Exception, path: str) -> Problem:
    """Return what is answered for a mistake of ours: an id that stands in the log beside the traceback."""
    incident = secrets.token_hex(4)
    _log.error("answer %s failed, error id %s", path, incident, exc_info=error)
    said = {"code": "answer.failed", "message": f"the answer could not be made, error id {incident}", "field": "", "way_out": ""}
    return Problem(500, {"error": said})


_CODES: Final[Mapping[str, str]] = {
    "EXPORT_TOO_LARGE": "export.too_large",
    "EXPORT_NO_DATASET": "export.no_dataset",
    "EXPORT_NOT_RANKED": "export.not_ranked",
    "EXPORT_NOT_OPEN": "export.not_open",
}
"""What the shared exports call by the names of the command line."""
_KINDS: Final[Mapping[type[SeawallError], int]] = {BadInput: 400, Refused: 400, DeadlinePassed: 504, StoreFault: 503}
_STATUS: Final[Mapping[str, int]] = {
    "view.not_published": 404,
    "view.nothing": 404,
    "route.unknown": 404,
    "route.read_only": 405,
    "export.no_list": 404,
    "export.no_dataset": 404,
    "export.not_ranked": 404,
    "export.not_open": 404,
    "export.too_large": 413,
    "space.busy": 503,
    "source.revisions_busy": 503,
}
_RETRY: Final[Mapping[str, int]] = {"space.busy": 2, "source.loading": 5, "source.revisions_busy": 600}
