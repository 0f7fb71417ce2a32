"""The status documents that a pass wrote: read, never written, each from a connection of its own that cannot write.

What a run is doing, what its requester is shown, what is offered and in use: the Space asks here and never folds a journal.
Raises StoreFault `status.unavailable` where the file is missing or does not hold what it should.
"""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import quote

from shared.documents.document import Document
from shared.documents.installation_status import InstallationStatus
from shared.documents.reviewed.offer import Offer
from shared.documents.shown import ShownRun
from shared.documents.status import RunStatus
from shared.documents.status_index import StatusLine
from shared.errors import BadInput, StoreFault
from shared.inbox.offers import OFFER

MAX_LISTED: Final = 50
BUSY_TIMEOUT_S: Final = 5.0
_ONE: Final = "SELECT data FROM status WHERE subject_type = :kind AND subject_id = :name"
_OFFERS: Final = "SELECT data FROM status WHERE subject_type = :kind AND length(data) > 0 ORDER BY subject_id"
_FIELDS: Final = ", ".join(f"'{name}', coalesce(json_extract(text, '$.{name}'), '')" for name in StatusLine.model_fields)
_LINE: Final = (
    f"SELECT CAST(json_object({_FIELDS}) AS BLOB)"  # noqa: S608 - the names of our own fields
    " FROM (SELECT subject_id, CAST(data AS TEXT) AS text FROM status WHERE subject_type = 'run')"
)
_OWN: Final = f"{_LINE} WHERE json_extract(text, '$.requested_by') = :user ORDER BY subject_id DESC LIMIT :most"
_ASKED: Final = f"{_LINE} WHERE json_extract(text, '$.request_state') = :state ORDER BY subject_id DESC LIMIT :most"


class Status(Protocol):
    """What the pass has written for people: adapters are StatusReader (a file) and hub/status (a Dataset)."""

    def run(self, run_id: str) -> RunStatus | None:
        """Return the status of a run, None while no pass has written one."""

    def shown(self, run_id: str) -> ShownRun | None:
        """Return the rows that would become public of a run."""

    def installation(self) -> InstallationStatus:
        """Return what is in use and the limits."""
        ...

    def offers(self) -> tuple[Offer, ...]:
        """Return what may be chosen from, by name."""
        ...

    def offer(self, name: str) -> Offer | None:
        """Return one offer, None where it does not stand."""

    def runs_of(self, user_id: str) -> Sequence[StatusLine]:
        """Return the newest runs that `user_id` asked for."""
        ...

    def runs_waiting(self) -> Sequence[StatusLine]:
        """Return the newest runs whose submit waits for a maintainer."""
        ...


class StatusReader:
    """The status documents in the file at `path`."""

    def __init__(self, path: Path) -> None:
        self._path: Final = path

    def run(self, run_id: str) -> RunStatus | None:
        """Return the status of a run, None while no pass has written one."""
        return self._document(RunStatus, "run", run_id)

    def shown(self, run_id: str) -> ShownRun | None:
        """Return the rows that would become public of a run."""
        return self._document(ShownRun, "shown", run_id)

    def installation(self) -> InstallationStatus:
        """Return what is in use and the limits; raise StoreFault while no pass has written it."""
        found = self._document(InstallationStatus, "installation", "installation")
        if found is None:
            raise unavailable("no pass has written it yet")
        return found

    def offers(self) -> tuple[Offer, ...]:
        """Return what may be chosen from, by name."""
        return tuple(parsed(Offer, row[0]) for row in self._rows(_OFFERS, {"kind": OFFER}))

    def offer(self, name: str) -> Offer | None:
        """Return one offer, None where it does not stand."""
        return self._document(Offer, OFFER, name)

    def runs_of(self, user_id: str) -> Sequence[StatusLine]:
        """Return the newest runs that `user_id` asked for."""
        return [parsed(StatusLine, row[0]) for row in self._rows(_OWN, {"user": user_id, "most": MAX_LISTED})]

    def runs_waiting(self) -> Sequence[StatusLine]:
        """Return the newest runs whose submit waits for a maintainer."""
        return [parsed(StatusLine, row[0]) for row in self._rows(_ASKED, {"state": "waiting_approval", "most": MAX_LISTED})]

    def _document[D: Document](self, kind: type[D], subject: str, name: str) -> D | None:
        rows = self._rows(_ONE, {"kind": subject, "name": name})
        return parsed(kind, rows[0][0]) if rows and rows[0][0] else None

    def _rows(self, query: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        try:
            address = f"file:{quote(str(self._path))}?mode=ro"
            with closing(sqlite3.connect(address, uri=True, timeout=BUSY_TIMEOUT_S)) as connection:
                return connection.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise unavailable(str(error)) from error


def unavailable(why: str) -> StoreFault:
    """Return the error of a status that cannot be read."""
    return StoreFault(
        "status.unavailable", f"the status cannot be read: {why}", way_out="Try again in a minute, or ask a maintainer."
    )


def parsed[D: Document](kind: type[D], data: bytes) -> D:
    """Return the document that `data` holds, or raise the error above."""
    try:
        return kind.from_bytes(bytes(data))
    except BadInput as error:
        raise unavailable(error.message) from error
