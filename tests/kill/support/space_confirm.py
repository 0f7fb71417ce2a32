"""The Space's confirm as a process of its own that may end itself at one SQL statement: HOME, FORM (JSON), WHERE.

WHERE is the first word of a statement that is about to be carried out on the inbox, `after` for the moment after the commit and
before any answer, or `never`. The form holds the ticket, the body and the moment at which it is confirmed.
"""

import json
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from shared.inbox.codec import Actor
from shared.inbox.rights import Access, Standing, Submitters
from space.auth.people import Person
from space.auth.sealed import key_from
from space.readers.status import StatusReader
from space.requests.confirm import Confirming
from space.requests.desk import Desk
from space.requests.inbox_sqlite import SqliteInbox

ALICE = Person("alice", Actor("alice", "org-members", "read"), Standing.MEMBER)


def desk_at(home: Path, now: float, number: int = 0) -> Desk:
    """Return the form's surroundings over an installation; `number` is that of the next ids."""
    access = Access(Submitters.MEMBERS, frozenset({"org-members"}), frozenset())
    stores = StatusReader(home / "control.sqlite"), SqliteInbox(home / "inbox.sqlite")
    return Desk(access, *stores, key_from("secret", "ticket"), lambda: now, lambda: UUID(int=number))


def end_at(where: str) -> None:
    """Let every connection that the Space opens end this process before the statement that begins with `where`."""
    real = sqlite3.connect

    def watch(text: str) -> None:
        if text.startswith(where):
            os.kill(os.getpid(), signal.SIGKILL)

    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = real(*given, **named)
        connection.set_trace_callback(watch)
        return connection

    sqlite3.connect = connect  # type: ignore[assignment]


def main() -> None:
    """Confirm."""
    home, form, where = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()), sys.argv[3]
    if where not in {"after", "never"}:
        end_at(where)
    confirming = Confirming(desk_at(home, form["now"]))
    confirming.confirm(ALICE, form["ticket"], form["body"], has_read=True)
    if where == "after":
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
