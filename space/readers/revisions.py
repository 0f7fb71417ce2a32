"""Earlier revisions of the catalog: which there are, and one of them at a time mirrored for those who ask for it.

    asked for --not there--> source.loading, built in the background --> served --30 idle minutes--> dropped
                                                                              `--another one built--> dropped

One is built at a time and six an hour, so whoever asks for fifty cannot keep the newest mirror from being served or swapped.
Until one is ready who asks is told to wait; beyond the limit, when to come again. Numbers, ranks and editions of such a mirror
are those that were published then.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.errors import Refused, SeawallError
from space.readers.build import build_mirror, revisions_of
from space.readers.mirror import Mirror
from space.readers.source import UNREACHABLE, Head, Source, SourceFault

BUILDS_AN_HOUR: Final = 6
IDLE_SECONDS: Final = 1_800.0
FAULT_SECONDS: Final = 600.0
MAX_LISTED: Final = 50
LOADING: Final = "source.loading"
BUSY: Final = "source.revisions_busy"
_HOUR: Final = 3_600.0
_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CatalogRevision:
    """One revision of the catalog: its number, when it was made (ISO 8601), its digest, and the commit on the Hub."""

    number: int
    created_at: str
    digest: str
    commit: str = ""


@dataclass(slots=True)
class _Held:
    number: int
    mirror: Mirror
    used_at: float


def in_a_thread(work: Callable[[], None]) -> None:
    """Do `work` in the background."""
    threading.Thread(target=work, name="earlier revision", daemon=True).start()


class Revisions:
    """The earlier revisions of one source; `enter` and `listed` answer from any thread."""

    def __init__(
        self,
        source: Source,
        root: Path,
        *,
        memory_mib: int,
        clock: Callable[[], float],
        start: Callable[[Callable[[], None]], None] = in_a_thread,
    ) -> None:
        self._source = source
        self._root = root
        self._memory_mib = memory_mib
        self._clock = clock
        self._start = start
        self._lock = threading.Lock()
        self._known: dict[int, CatalogRevision] = {}
        self._held: _Held | None = None
        self._building = 0
        self._built_at: list[float] = []
        self._faults: dict[int, tuple[float, SeawallError]] = {}
        self._is_closed = False
        self.listed: tuple[CatalogRevision, ...] = ()
        """The newest fifty, newest first."""

    def note(self, catalog: Head | None) -> None:
        """Take up what the source shows now; a revision that cannot be read ends the list."""
        if catalog is None:
            return
        found = [_listed(catalog)]
        for number in range(catalog.revision.number - 1, max(0, catalog.revision.number - MAX_LISTED), -1):
            try:
                found.append(self._known.get(number) or _listed(self._source.at(catalog.dataset, str(number))))
            except SeawallError:
                break
        self._known = {each.number: each for each in found}
        self.listed = tuple(found)

    def enter(self, number: int, newest: Head | None) -> Mirror:
        """Return the mirror of revision `number` with one more reader, who must leave it.

        Raises Refused `view.not_published` for a revision that is none, SourceFault `source.loading` while it is built, Refused
        `source.revisions_busy` beyond the limit, or why it could not be built.
        """
        if newest is None or not 1 <= number <= newest.revision.number:
            raise Refused(
                "view.not_published", f"no revision {number} is published here", field="revision", way_out="Leave `revision` out."
            )
        with self._lock:
            now = self._clock()
            held = self._held
            if held is not None and held.number == number:
                held.used_at = now
                held.mirror.enter()
                return held.mirror
            is_mine = self._reserve(number, now)
        if is_mine:
            self._start(lambda: self._build(number, newest.dataset))
        what = (
            f"revision {number} is being read and checked" if is_mine or self._building == number else "another one is read first"
        )
        raise SourceFault(LOADING, what, way_out="Reload in a few seconds.")

    def drop_idle(self) -> None:
        """Drop the mirror that nobody asked for in half an hour."""
        with self._lock:
            held = self._held
            if held is None or self._clock() - held.used_at < IDLE_SECONDS:
                return
            self._held = None
        held.mirror.retire()

    def close(self) -> None:
        """Drop the mirror; one that is still being built is dropped when it is done."""
        with self._lock:
            self._is_closed = True
            held, self._held = self._held, None
        if held is not None:
            held.mirror.retire()

    def _reserve(self, number: int, now: float) -> bool:
        """Take the one place for a build, False where it is taken; the lock is held."""
        failed_at, fault = self._faults.get(number, (0.0, None))
        if fault is not None and now - failed_at < FAULT_SECONDS:
            raise fault
        if self._building or self._is_closed:
            return False
        self._built_at = [at for at in self._built_at if now - at < _HOUR]
        if len(self._built_at) >= BUILDS_AN_HOUR:
            minutes = 1 + int((_HOUR - (now - self._built_at[0])) // 60)
            message = f"{BUILDS_AN_HOUR} earlier revisions were read in the last hour, which is the limit"
            raise Refused(
                BUSY, message, field="revision", way_out=f"Try again in {minutes} minutes, or read the newest revision."
            )
        self._built_at.append(now)
        self._building = number
        return True

    def _build(self, number: int, dataset: str) -> None:
        made, fault = None, None
        try:
            head = self._source.at(dataset, str(number))
            revisions = revisions_of(self._source, head, self._root / "earlier.partial")
            made = build_mirror(self._source, revisions, self._root, self._memory_mib)
        except SeawallError as error:
            fault = error
        except Exception as error:  # noqa: BLE001 - a thread's last line: the next request must be told, and the place be free
            _log.exception("revision %d could not be read", number)
            fault = SourceFault(UNREACHABLE, f"{type(error).__name__} while revision {number} was read")
        self._put(number, made, fault)

    def _put(self, number: int, made: Mirror | None, fault: SeawallError | None) -> None:
        with self._lock:
            self._building = 0
            now = self._clock()
            before = self._held
            if fault is not None:
                self._faults = {**self._faults, number: (now, fault)}
                return
            is_wanted = made is not None and not self._is_closed
            self._held = _Held(number, made, now) if made is not None and is_wanted else None
        for old in (before.mirror if before else None, None if is_wanted else made):
            if old is not None:
                old.retire()


def _listed(head: Head) -> CatalogRevision:
    return CatalogRevision(head.revision.number, head.revision.created_at, str(head.digest), head.commit)
