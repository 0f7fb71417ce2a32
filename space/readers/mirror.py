"""The mirror: a verified local copy of one set of published revisions, with the tables that the pages ask.

A page uses one mirror from start to end. The mirror's id is the digest of its revision set, so equal ids mean equal numbers. It
holds views over the Parquet files under the published names (runs, cells, trials, attempts, metrics, artifacts, catalog; times
as integer microseconds), and three tables: `run`, `cell` (each published cell with its newest catalog record, its standing and,
where its trials say otherwise, the reason it is withheld) and `cell_task` (a cell's trials of one task summed up).
"""

import shutil
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from shared.digests import digest_of
from shared.documents.receipt import Receipt
from space.queries.statement import Statement
from space.readers.engine import STATEMENT_SECONDS, Engine, Row
from space.readers.source import Head

MAX_REMEMBERED: Final = 256
MAX_CHARACTERS: Final = 12_000_000
MAX_KEPT_ROWS: Final = 4_096


@dataclass(frozen=True, slots=True)
class RevisionSet:
    """Which revision of every dataset a mirror shows; None and empty while nothing was published."""

    catalog: Head | None
    datasets: Mapping[str, Head] = field(default_factory=dict)

    @property
    def identity(self) -> str:
        """Digest over the catalog's revision and each dataset's."""
        heads = {name: str(head.digest) for name, head in sorted(self.datasets.items())}
        catalog = None if self.catalog is None else [self.catalog.dataset, str(self.catalog.digest)]
        return digest_of([catalog, dict(heads)])


class Mirror:
    """A built mirror; `rows` answers from any thread."""

    def __init__(self, revisions: RevisionSet, folder: Path, engine: Engine, receipts: Mapping[str, Receipt]) -> None:
        self.revisions: Final = revisions
        self.identity: Final = revisions.identity
        self.folder: Final = folder
        self.receipts: Final = receipts
        self._engine = engine
        self._readers = 0
        self._is_retired = False
        self._lock = threading.Lock()
        self._made: OrderedDict[str, Any] = OrderedDict()
        self._characters = 0
        self._making: dict[str, threading.Lock] = {}
        self._rows: OrderedDict[tuple[str, str], Row] = OrderedDict()
        self._decided: dict[str, Any] = {}
        self._deciding = threading.Lock()

    def rows(self, statement: Statement, seconds: float = STATEMENT_SECONDS) -> list[Row]:
        """Return the rows of `statement`."""
        return self._engine.rows(statement, seconds)

    def each(self, statement: Statement, seconds: float = STATEMENT_SECONDS) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `statement` as tuples in the order of its columns: for very many of them."""
        return self._engine.each(statement, seconds)

    def asked(self, statement: Statement) -> list[Row]:
        """Return the rows of `statement`, a short answer that many pages need: it is remembered, and not to be changed."""
        return self.remembered(repr(statement), lambda: self.rows(statement))

    def kept(self, listing: str, keys: Sequence[str], load: Callable[[list[str]], Mapping[str, Row]]) -> list[Row]:
        """Return the rows of `listing` that `keys` name; those that are not kept are loaded. 4,096 rows are kept at most."""
        with self._lock:
            found = {key: self._rows[listing, key] for key in keys if (listing, key) in self._rows}
        if missing := [key for key in keys if key not in found]:
            found |= load(missing)
        with self._lock:
            for key in keys:
                self._rows[listing, key] = found[key]
                self._rows.move_to_end((listing, key))
            while len(self._rows) > MAX_KEPT_ROWS:
                self._rows.popitem(last=False)
        return [found[key] for key in keys]

    def one(self, statement: Statement) -> Row | None:
        """Return the first row of `statement`, or None."""
        found = self._engine.rows(statement)
        return found[0] if found else None

    def remembered[Made](self, key: str, make: Callable[[], Made]) -> Made:
        """Return what `make` made for `key` before, or makes now: a mirror never changes, so neither does what is made of it.

        Of many who ask at once one makes it and the others wait. The 256 keys used last are kept, and twelve million characters
        of pages; an error is not. `key` must name everything that `make` depends on but this mirror.
        """
        with self._lock:
            if key in self._made:
                return self._kept(key)  # type: ignore[no-any-return]
            turn = self._making.setdefault(key, threading.Lock())
        with turn:
            with self._lock:
                if key in self._made:
                    return self._kept(key)  # type: ignore[no-any-return]
            try:
                made = make()
                self._keep(key, made)
            finally:
                self._making.pop(key, None)
        return made

    def decided[Made](self, key: str, make: Callable[[], Made]) -> Made:
        """Return what `make` made for `key`, once in the life of the mirror: for what costs seconds and every page needs."""
        with self._deciding:
            if key not in self._decided:
                self._decided[key] = make()
            return self._decided[key]  # type: ignore[no-any-return]

    def enter(self) -> bool:
        """Count one more reader; False once the mirror is closed."""
        with self._lock:
            if self._is_retired and self._readers == 0:
                return False
            self._readers += 1
            return True

    def leave(self) -> None:
        """Count one reader less; the last one of a retired mirror closes it and deletes its folder."""
        with self._lock:
            self._readers -= 1
            is_last = self._is_retired and self._readers == 0
        if is_last:
            self._close()

    def retire(self) -> None:
        """Say that a newer mirror is served; closes as soon as nobody reads."""
        with self._lock:
            self._is_retired = True
            is_unused = self._readers == 0
        if is_unused:
            self._close()

    def _kept(self, key: str) -> Any:
        self._made.move_to_end(key)
        return self._made[key]

    def _keep(self, key: str, made: object) -> None:
        with self._lock:
            self._made[key] = made
            self._characters += _characters(made)
            while len(self._made) > MAX_REMEMBERED or self._characters > MAX_CHARACTERS:
                _, dropped = self._made.popitem(last=False)
                self._characters -= _characters(dropped)

    def _close(self) -> None:
        self._engine.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _characters(made: object) -> int:
    """Return how long the text of a page is; what else is remembered is small."""
    text = getattr(made, "text", made)
    return len(text) if isinstance(text, str) else 0
