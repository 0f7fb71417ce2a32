"""Which mirror is served: built at start, swapped when the source shows another revision set, kept when a check fails.

    loading --built--> ready --check failed--> stale --built--> ready
       `----check failed--> failed --built--> ready

One thread refreshes. A page takes the mirror with `lease()` and reads that one alone; the old mirror closes with its last reader.
A catalog only ever grows, so a source that lost it, or shows an earlier revision or another history, is no newer source: what was
served stays, stale, until the source is put right or a person restarts the Space on it.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from shared.errors import SeawallError
from space.readers.build import build_mirror, revisions_of
from space.readers.mirror import Mirror, RevisionSet
from space.readers.revisions import Revisions
from space.readers.source import MISSING, ROLLED_BACK, UNREACHABLE, Head, Source, SourceFault
from space.readers.workspace import Workspace

LOADING: Final = "source.loading"
SCRATCH: Final = "catalog.partial"
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """What the pages say about the numbers they show; times are seconds since the epoch."""

    state: Literal["loading", "ready", "stale", "failed"]
    checked_at: float | None = None
    since: float | None = None
    code: str = ""
    message: str = ""


class Refresh:
    """The served mirror and its standing."""

    def __init__(self, source: Source, *, memory_mib: int, clock: Callable[[], float], mirrors_below: Path | None = None) -> None:
        self._source = source
        self._memory_mib = memory_mib
        self._clock = clock
        self._workspace = Workspace(mirrors_below)
        self._root = self._workspace.folder
        self.revisions = Revisions(source, self._root, memory_mib=memory_mib, clock=clock)
        self._mirror: Mirror | None = None
        self._swap = threading.Lock()
        self._once = threading.Lock()
        self._stop = threading.Event()
        self.opened_at: Final = clock()
        self.standing = Standing("loading", code=LOADING)

    def refresh(self) -> Standing:
        """Look at the source once, build and swap if it shows another revision set; return the standing."""
        with self._once:
            self.revisions.drop_idle()
            try:
                self._renew()
            except (SeawallError, OSError) as error:
                self._failed(error)
            except Exception as error:  # noqa: BLE001 - a thread's last line: it must go on, and the pages must say so
                _log.exception("the refresh failed unexpectedly")
                self._failed(SourceFault(UNREACHABLE, f"{type(error).__name__} while the source was read"))
            return self.standing

    @contextmanager
    def lease(self, revision: int = 0) -> Iterator[Mirror]:
        """Yield the served mirror for one page, or the one of an earlier `revision` of the catalog.

        Raises SourceFault `source.loading`, or why there is none; Refused `view.not_published` for a revision that is none.
        """
        with self._swap:
            mirror = self._mirror
            if mirror is not None:
                mirror.enter()
        if mirror is not None and revision and not _shows(mirror, revision):
            newest, mirror = mirror, None
            try:
                mirror = self.revisions.enter(revision, newest.revisions.catalog)
            finally:
                newest.leave()
        if mirror is None:
            standing = self.standing
            message = standing.message or "the published tables are being read and checked"
            raise SourceFault(standing.code, message, way_out="Reload in a few seconds.")
        try:
            yield mirror
        finally:
            mirror.leave()

    def start(self, seconds: int, jitter: Callable[[], float]) -> threading.Thread:
        """Refresh now and then every `seconds` times (1 + `jitter()`), in a thread that ends with `close`."""
        thread = threading.Thread(target=self._forever, args=(seconds, jitter), name="refresh", daemon=True)
        thread.start()
        return thread

    def close(self) -> None:
        """Stop refreshing and delete the mirrors."""
        self._stop.set()
        with self._once, self._swap:
            if self._mirror is not None:
                self._mirror.retire()
            self._mirror = None
            self.revisions.close()
            self._workspace.close()

    def _forever(self, seconds: int, jitter: Callable[[], float]) -> None:
        while not self._stop.is_set():
            self.refresh()
            self._stop.wait(seconds * (1 + jitter()))

    def _renew(self) -> None:
        served = None if self._mirror is None else self._mirror.revisions
        catalog = self._source.catalog()
        if served is None or not _is_same(served.catalog, catalog):
            if served is not None:
                _check_history(self._source, served.catalog, catalog)
            self._swap_in(revisions_of(self._source, catalog, self._root / SCRATCH))
        self.standing = Standing("ready", checked_at=self._clock())
        self.revisions.note(catalog)

    def _swap_in(self, revisions: RevisionSet) -> None:
        if self._mirror is None or self._mirror.identity != revisions.identity:
            built = build_mirror(self._source, revisions, self._root, self._memory_mib)
            with self._swap:
                before, self._mirror = self._mirror, built
            if before is not None:
                before.retire()

    def _failed(self, error: SeawallError | OSError) -> None:
        code, message = (error.code, error.message) if isinstance(error, SeawallError) else (UNREACHABLE, str(error.strerror))
        before = self.standing
        since = before.since if before.state in {"stale", "failed"} else self._clock()
        state: Literal["stale", "failed"] = "failed" if self._mirror is None else "stale"
        self.standing = Standing(state, before.checked_at, since, code, message)


def _shows(mirror: Mirror, revision: int) -> bool:
    catalog = mirror.revisions.catalog
    return catalog is not None and catalog.revision.number == revision


def _is_same(served: Head | None, shown: Head | None) -> bool:
    """Tell whether the catalog is the one that is served: everything that is shown follows from it."""
    if served is None or shown is None:
        return False
    return (served.dataset, served.digest, served.commit) == (shown.dataset, shown.digest, shown.commit)


def _check_history(source: Source, served: Head | None, shown: Head | None) -> None:
    """Check that the catalog `shown` now goes on from the one that is `served`."""
    if served is None:
        return
    name = f"{served.dataset}@{served.revision.number}"
    if shown is None:
        raise SourceFault(MISSING, f"the source no longer holds the catalog {name}, which is served here")
    if shown.dataset != served.dataset or shown.revision.number < served.revision.number:
        found = f"{shown.dataset}@{shown.revision.number}"
        raise SourceFault(ROLLED_BACK, f"the source shows {found} where {name} is served")
    try:
        kept = shown if shown.revision.number == served.revision.number else source.at(shown.dataset, str(served.revision.number))
    except SourceFault as error:
        raise SourceFault(ROLLED_BACK, f"the source no longer holds {name}, which is served here: {error.message}") from None
    if kept.digest != served.digest:
        raise SourceFault(ROLLED_BACK, f"the source has another history than {name}, which is served here")
