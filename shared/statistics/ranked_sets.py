"""Which cells are ranked together, and why another is not: decided from published columns alone, whatever a page filters.

Ranked are final, complete cells that stand (published, not withdrawn) and lost at most 5% of their planned trials to the
infrastructure. Of several publications of one cell digest the newest counts: a rerun replaces, the better of two is never
picked. One set holds one edition. Cells run in a local sandbox are compared within one host's software only, so each such host
is a set of its own; concurrency, cost and hardware separate nothing.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from shared.outcomes import Label
from shared.statistics.cells import Cell

MAX_EXHAUSTED_PERCENT: Final = 5
REFERENCE_AGENTS: Final = frozenset({"oracle", "nop"})
"""Harbor's own agents that follow the solution or do nothing: they check a benchmark, are ranked, and are nobody's choice."""
_LOCAL: Final = "local"
_MIXED: Final = "mixed"


class SetKey(NamedTuple):
    """What the cells of one ranked set share."""

    edition: str
    host_packages_sha256: str | None
    """The software of the host, where the sandbox is local."""


class Candidate(NamedTuple):
    """A published cell with the columns that its standing hangs on."""

    cell: Cell
    cell_digest: str
    edition: str
    kind: str
    quality: str
    role: str
    sandbox: str
    host_packages_sha256: str | None
    planned_trials: int
    infrastructure_exhausted_trials: int
    stands: bool
    """Published or restored, not withdrawn or superseded."""
    sequence: int
    """Of the catalog record that published it, whatever later ones say: the newest publication has the highest."""


def ranked_sets(candidates: Iterable[Candidate]) -> dict[SetKey, tuple[Cell, ...]]:
    """Return the ranked sets that `candidates` form, each by cell id."""
    newest: dict[tuple[SetKey, str], Candidate] = {}
    for candidate in candidates:
        if not candidate.stands or _reason(candidate) is not None:
            continue
        place = (set_key(candidate.edition, candidate.sandbox, candidate.host_packages_sha256), candidate.cell_digest)
        if place not in newest or newest[place].sequence < candidate.sequence:
            newest[place] = candidate
    found: dict[SetKey, list[Cell]] = {}
    for (key, _), candidate in newest.items():
        found.setdefault(key, []).append(candidate.cell)
    return {key: tuple(sorted(cells, key=lambda cell: cell.cell_id)) for key, cells in sorted(found.items(), key=str)}


def set_key(edition: str, sandbox: str, host_packages_sha256: str | None) -> SetKey:
    """Return the key of the set that a cell of these columns would be ranked in."""
    return SetKey(edition, host_packages_sha256 if sandbox == _LOCAL else None)


def why_unranked(*, kind: str, quality: str, role: str, planned: int, lost: int, host_packages_sha256: str | None) -> str | None:
    """Return why such a cell is listed without a rank, or None; `lost` of its `planned` trials are infrastructure_exhausted."""
    if kind != "complete" or quality not in {Label.CLEAN, Label.DEGRADED}:
        return f"not complete: {kind if kind != 'complete' else quality}"
    if role != "final":
        return f"role {role}"
    if 100 * lost > MAX_EXHAUSTED_PERCENT * planned:
        return f"infrastructure lost more than {MAX_EXHAUSTED_PERCENT}% of the planned trials"
    if host_packages_sha256 == _MIXED:
        return "trials ran on hosts with different software"
    return None


def _reason(candidate: Candidate) -> str | None:
    return why_unranked(
        kind=candidate.kind,
        quality=candidate.quality,
        role=candidate.role,
        planned=candidate.planned_trials,
        lost=candidate.infrastructure_exhausted_trials,
        host_packages_sha256=candidate.host_packages_sha256,
    )
