"""What the Hub double knows, in one SQLite file: tokens, repositories, commits and bytes; it survives a kill at any moment.

A commit is a set of changes (a path and its blob, or none), so a tree at a commit is the newest change of each path up to it, and
which commit last touched a path comes with it. Blobs are named as git names them. Imports nothing of product or client.
"""

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

DDL: Final = """
CREATE TABLE IF NOT EXISTS token (value TEXT PRIMARY KEY, said TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS repo (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, private INTEGER NOT NULL,
  created TEXT NOT NULL, UNIQUE (kind, name)) STRICT;
CREATE TABLE IF NOT EXISTS blob (sha1 TEXT PRIMARY KEY, sha256 TEXT NOT NULL, data BLOB NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS by_sha256 ON blob (sha256);
CREATE TABLE IF NOT EXISTS done (repo INTEGER NOT NULL, serial INTEGER NOT NULL, oid TEXT NOT NULL, title TEXT NOT NULL,
  made TEXT NOT NULL, PRIMARY KEY (repo, serial)) STRICT;
CREATE TABLE IF NOT EXISTS change (repo INTEGER NOT NULL, serial INTEGER NOT NULL, path TEXT NOT NULL, sha1 TEXT,
  large INTEGER NOT NULL, PRIMARY KEY (repo, path, serial)) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Repo:
    """A repository; `kind` is models, datasets or spaces."""

    id: int
    kind: str
    name: str
    private: bool
    created: str


class Commit(NamedTuple):
    """One commit of a repository's only branch."""

    serial: int
    oid: str
    title: str
    made: str


class Entry(NamedTuple):
    """A file of a tree, and the commit that last changed it."""

    path: str
    sha1: str
    sha256: str
    size: int
    large: bool
    serial: int


class Change(NamedTuple):
    """New bytes of a path, or None where it is deleted; `large` files are answered as LFS does."""

    path: str
    data: bytes | None
    large: bool = False


class Moved(Exception):
    """The branch is not where the writer believes."""


class State:
    """The file at `path`, and what is asked of it from any thread."""

    def __init__(self, path: Path) -> None:
        self._lock: Final = threading.RLock()
        self._connection: Final = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.executescript(DDL)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def set_token(self, value: str, said: Mapping[str, Any]) -> None:
        """Keep what a token may do."""
        self._ask("INSERT OR REPLACE INTO token VALUES (?, ?)", value, json.dumps(said))

    def token(self, value: str) -> dict[str, Any] | None:
        """Return what a token may do, None for one that is none."""
        found = self._ask("SELECT said FROM token WHERE value = ?", value)
        return dict(json.loads(found[0][0])) if found else None

    def create(self, kind: str, name: str, *, private: bool) -> Repo | None:
        """Make a repository with a first commit; None where there is one of that name."""
        with self._transaction():
            if self.repo(kind, name) is not None:
                return None
            self._ask("INSERT INTO repo (kind, name, private, created) VALUES (?, ?, ?, ?)", kind, name, int(private), _now())
            made = self.repo(kind, name)
            assert made is not None
            self.commit(made, "initial commit", [Change(".gitattributes", b"*.parquet filter=lfs\n")])
        return made

    def repo(self, kind: str, name: str) -> Repo | None:
        """Return a repository by its name."""
        found = self._ask("SELECT id, kind, name, private, created FROM repo WHERE kind = ? AND name = ?", kind, name)
        return Repo(found[0][0], found[0][1], found[0][2], bool(found[0][3]), found[0][4]) if found else None

    def set_private(self, repo: Repo, *, private: bool) -> None:
        """Hide a repository or show it to everybody."""
        self._ask("UPDATE repo SET private = ? WHERE id = ?", int(private), repo.id)

    def commit(self, repo: Repo, title: str, changes: list[Change], parent: str | None = None) -> Commit:
        """Add a commit; raise Moved where `parent` is given and is not the head."""
        with self._transaction():
            commits = self.commits(repo)
            if parent is not None and (not commits or not commits[-1].oid.startswith(parent)):
                raise Moved
            serial, made = len(commits) + 1, _now()
            told = repr((repo.kind, repo.name, serial, title, made, commits[-1].oid if commits else ""))
            oid = hashlib.sha1(told.encode(), usedforsecurity=False).hexdigest()
            for change in changes:
                sha1 = None if change.data is None else self._keep(change.data)
                self._ask(
                    "INSERT OR REPLACE INTO change VALUES (?, ?, ?, ?, ?)", repo.id, serial, change.path, sha1, int(change.large)
                )
            self._ask("INSERT INTO done VALUES (?, ?, ?, ?, ?)", repo.id, serial, oid, title, made)
        return Commit(serial, oid, title, made)

    def commits(self, repo: Repo) -> list[Commit]:
        """Return every commit, oldest first."""
        found = self._ask("SELECT serial, oid, title, made FROM done WHERE repo = ? ORDER BY serial", repo.id)
        return [Commit(*row) for row in found]

    def tree(self, repo: Repo, serial: int) -> dict[str, Entry]:
        """Return the files at a commit, by path."""
        query = (
            "SELECT c.path, c.sha1, b.sha256, length(b.data), c.large, max(c.serial) FROM change c LEFT JOIN blob b USING (sha1)"
            " WHERE c.repo = ? AND c.serial <= ? GROUP BY c.path ORDER BY c.path"
        )
        found = [Entry(row[0], row[1], row[2], row[3], bool(row[4]), row[5]) for row in self._ask(query, repo.id, serial)]
        return {entry.path: entry for entry in found if entry.sha1}

    def data(self, sha: str) -> bytes | None:
        """Return bytes by their git name or their SHA-256."""
        found = self._ask("SELECT data FROM blob WHERE sha1 = ? OR sha256 = ?", sha, sha)
        return bytes(found[0][0]) if found else None

    def _keep(self, data: bytes) -> str:
        sha1 = blob_id(data)
        self._ask("INSERT OR IGNORE INTO blob VALUES (?, ?, ?)", sha1, hashlib.sha256(data).hexdigest(), data)
        return sha1

    def _ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            if self._connection.in_transaction:
                yield
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def blob_id(data: bytes) -> str:
    """Return what git names these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
